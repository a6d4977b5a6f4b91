package recorder

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
)

// second is the part of an id that says when the session began: of several in one second only the record says which
// came first, for the rest of an id is the topic and chance.
func second(id council.SessionID) string { return string(id)[:min(len(id), len("20060102-150405"))] }

// newest orders two sessions, the later one first: by what their ids say, else by when their first events were recorded.
// One that has recorded nothing comes last.
func newest(a, b council.SessionID, began, other time.Time) int {
	if second(a) == second(b) {
		return cmp.Or(other.Compare(began), strings.Compare(string(b), string(a)))
	}
	return strings.Compare(string(b), string(a))
}

// latest is the session that began last, of at least one, whose ids are in descending order. It looks into those of the
// last second alone.
func (r *Root) latest(ids []council.SessionID) council.SessionID {
	n := slices.IndexFunc(ids, func(id council.SessionID) bool { return second(id) != second(ids[0]) })
	if n < 0 {
		n = len(ids)
	}
	if n == 1 {
		return ids[0]
	}
	began := map[council.SessionID]time.Time{}
	for _, id := range ids[:n] {
		if log, _ := r.look(id); log != nil && len(log.Entries) > 0 { // what comes before damage says it too
			began[id] = log.Entries[0].Time
		}
	}
	return slices.MinFunc(ids[:n], func(a, b council.SessionID) int { return newest(a, b, began[a], began[b]) })
}
