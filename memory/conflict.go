package memory

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

const mostConflicts = 2

type decision struct {
	*Record
	topic, title normalizedText
	isAsked      bool // the question is known
}

func (b Book) decisionsAt(at []int) (all []decision) {
	for _, i := range at {
		r := &b.Records[i]
		if r.Kind != KindDecision {
			continue
		}
		title, _, _ := strings.Cut(r.Summary, ": ")
		topic, isAsked := strings.CutPrefix(r.Evidence[0].Note, topicNote)
		all = append(all, decision{r, normalize(topic), normalize(title), isAsked})
	}
	return all
}

// conflicting maps the ids of decisions at some indexes to those of others there with which they may conflict.
func conflicting(b Book, at []int) map[string][]string {
	ids := map[string][]string{}
	all := b.decisionsAt(at)
	for _, d := range all {
		for _, o := range all {
			if len(ids[d.ID]) < mostConflicts && d.mayConflict(o) {
				ids[d.ID] = append(ids[d.ID], o.ID)
			}
		}
	}
	return ids
}

// mayConflict reports whether two decisions of different sessions have, by their words, the same matter or one a part
// of the other's: by their questions, or by titles of three words or more.
func (d decision) mayConflict(o decision) bool {
	if d.Rehearsed != o.Rehearsed || slices.ContainsFunc(d.Evidence, func(e Evidence) bool {
		return slices.ContainsFunc(o.Evidence, func(at Evidence) bool { return at.SessionID == e.SessionID })
	}) {
		return false
	}
	return d.isAsked && o.isAsked && phaseOf(d.Record) == phaseOf(o.Record) && d.topic.Same(o.topic) ||
		d.title.Weight() >= 3 && d.title.Same(o.title)
}

// MayConflict lists pairs of active decisions: one that a session made or confirmed, and another with which it may
// conflict. A session replaces only decisions that its motion names, so a person is shown the others.
func (b Book) MayConflict(session council.SessionID) (pairs [][2]Record) {
	var active []int
	for i, r := range b.Records {
		if r.Status == StatusActive {
			active = append(active, i)
		}
	}
	all := b.decisionsAt(active)
	for _, d := range all {
		if !slices.ContainsFunc(d.Evidence, func(e Evidence) bool { return e.SessionID == session && !isPersonal(e) }) {
			continue
		}
		for _, o := range all {
			if d.mayConflict(o) {
				pairs = append(pairs, [2]Record{*d.Record, *o.Record})
			}
		}
	}
	return pairs
}
