package memory

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// mostConflicts is how many decisions one is said to conflict with.
const mostConflicts = 2

// decision is a record of a decision with the matters of its question and its title.
type decision struct {
	*Record
	topic, title matter
	isAsked      bool // the question is known
}

// decisionsAt reads the decisions among the records at these places, in their order.
func (b Book) decisionsAt(at []int) (all []decision) {
	for _, i := range at {
		r := &b.Records[i]
		if r.Kind != KindDecision {
			continue
		}
		title, _, _ := strings.Cut(r.Summary, ": ")
		topic, isAsked := strings.CutPrefix(r.Evidence[0].Note, topicNote)
		all = append(all, decision{r, matterOf(topic), matterOf(title), isAsked})
	}
	return all
}

// conflicting returns for decisions among the records at these places which others of them they may conflict with.
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

// mayConflict reports whether two decisions of different sessions are, by their words, on the same matter or one on a
// part of the other's: by their questions, or by their titles where these say enough.
func (d decision) mayConflict(o decision) bool {
	if d.Rehearsed != o.Rehearsed || slices.ContainsFunc(d.Evidence, func(e Evidence) bool {
		return slices.ContainsFunc(o.Evidence, func(at Evidence) bool { return at.SessionID == e.SessionID })
	}) {
		return false
	}
	const telling = 3 // words of a title that names its matter
	return d.isAsked && o.isAsked && phaseOf(d.Record) == phaseOf(o.Record) && d.topic.Same(o.topic) ||
		d.title.Weight() >= telling && d.title.Same(o.title)
}

// MayConflict lists pairs of decisions that hold: first one that a session made or confirmed, then another one that it
// may conflict with. No session replaces a decision that its motion does not name, so a person is shown them.
func (b Book) MayConflict(session council.SessionID) (pairs [][2]Record) {
	var active []int
	for i, r := range b.Records {
		if r.Status == StatusActive {
			active = append(active, i)
		}
	}
	all := b.decisionsAt(active)
	for _, d := range all {
		if !slices.ContainsFunc(d.Evidence, func(e Evidence) bool { return e.SessionID == session && !personal(e) }) {
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
