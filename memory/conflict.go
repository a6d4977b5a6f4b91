package memory

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// mostConflicts is how many decisions one is said to conflict with.
const mostConflicts = 2

// conflicting returns for decisions among the records at these places which others of them they may conflict with.
func conflicting(b Book, at []int) map[string][]string {
	ids := map[string][]string{}
	for _, i := range at {
		for _, j := range at {
			r, o := &b.Records[i], &b.Records[j]
			if len(ids[r.ID]) < mostConflicts && mayConflict(r, o) {
				ids[r.ID] = append(ids[r.ID], o.ID)
			}
		}
	}
	return ids
}

// mayConflict reports whether two decisions of different sessions are, by their words, on the same matter or one on a
// part of the other's: by their questions, or by their titles where these say enough.
func mayConflict(r, o *Record) bool {
	if r.Kind != KindDecision || o.Kind != KindDecision || r.Rehearsed != o.Rehearsed ||
		slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
			return slices.ContainsFunc(o.Evidence, func(at Evidence) bool { return at.SessionID == e.SessionID })
		}) {
		return false
	}
	const telling = 3 // words of a title that says what it is about
	title, _, _ := strings.Cut(r.Summary, ": ")
	other, _, _ := strings.Cut(o.Summary, ": ")
	named := matterOf(title)
	topic, asked := strings.CutPrefix(r.Evidence[0].Note, topicNote)
	about, also := strings.CutPrefix(o.Evidence[0].Note, topicNote)
	return asked && also && phaseOf(r) == phaseOf(o) && matterOf(topic).Same(matterOf(about)) ||
		named.Weight() >= telling && named.Same(matterOf(other))
}

// MayConflict lists pairs of decisions that hold: first one that a session made or confirmed, then another one that it
// may conflict with. No session replaces a decision that its motion does not name, so a person is shown them.
func (b Book) MayConflict(session council.SessionID) (pairs [][2]Record) {
	for i := range b.Records {
		r := &b.Records[i]
		if r.Status != StatusActive || !slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
			return e.SessionID == session && !personal(e)
		}) {
			continue
		}
		for j := range b.Records {
			if o := &b.Records[j]; o.Status == StatusActive && mayConflict(r, o) {
				pairs = append(pairs, [2]Record{*r, *o})
			}
		}
	}
	return pairs
}
