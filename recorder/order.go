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

// latest is the session that began last, or "" if none has, of ids in descending order. One without an event, which is
// being made or was left by a crash, is passed over. It looks into those of the last second alone in which one began.
func (r *Root) latest(ids []council.SessionID) council.SessionID {
	for len(ids) > 0 {
		n := slices.IndexFunc(ids, func(id council.SessionID) bool { return second(id) != second(ids[0]) })
		if n < 0 {
			n = len(ids)
		}
		began := map[council.SessionID]time.Time{}
		var some []council.SessionID
		for _, id := range ids[:n] {
			log, err := r.look(id)
			if log != nil && len(log.Entries) > 0 { // what comes before damage says it too
				began[id] = log.Entries[0].Time
			}
			if err != nil || len(log.Entries) > 0 {
				some = append(some, id)
			}
		}
		if len(some) > 0 {
			return slices.MinFunc(some, func(a, b council.SessionID) int { return newest(a, b, began[a], began[b]) })
		}
		ids = ids[n:]
	}
	return ""
}
