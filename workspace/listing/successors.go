package listing

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// successors names the later sessions and records that reopen a closed session or replace its decision. Its own log
// does not know them.
type successors struct {
	ReopenedBy   []council.SessionID `json:"reopenedBy,omitempty"`   // sessions that take it up again, oldest first
	SupersededBy []string            `json:"supersededBy,omitempty"` // sessions or a person's records that replace it
}

// Words returns "reopened", "superseded", both, or nothing.
func (s successors) Words() string {
	reopened, superseded := "", ""
	if s.ReopenedBy != nil {
		reopened = "reopened"
	}
	if s.SupersededBy != nil {
		superseded = "superseded"
	}
	return site.Joined(", ", reopened, superseded)
}

// successorsAmong returns the successors of the sessions of a list. The list holds all newer sessions too.
func successorsAmong(world *site.World, root *recorder.Root,
	list []recorder.Summary) map[council.SessionID]*successors {
	found := map[council.SessionID]*successors{}
	of := func(id council.SessionID) *successors {
		if found[id] == nil {
			found[id] = &successors{}
		}
		return found[id]
	}
	for _, s := range slices.Backward(list) {
		if s.Reopens != "" {
			of(s.Reopens).ReopenedBy = append(of(s.Reopens).ReopenedBy, s.ID)
		}
	}
	records := map[string]memory.Record{}
	var heirs []memory.Record
	if dir, err := seat.MemoryDir(world, root.Path(), ""); err == nil {
		if held, err := store.Open(dir); err == nil {
			all, _ := held.All("") // the verbs of memory report an unreadable file
			for _, r := range all {
				records[r.ID] = r
				if len(r.Supersedes) > 0 {
					heirs = append(heirs, r)
				}
			}
		}
	}
	for _, heir := range heirs {
		by := heir.ID
		if last := lastSession(heir); last != "" {
			by = string(last)
		}
		for _, id := range heir.Supersedes {
			old := records[id]
			if old.Kind != memory.KindDecision || old.Status != memory.StatusSuperseded {
				continue
			}
			for _, e := range old.Evidence {
				if e.EventID == "" || string(e.SessionID) == by {
					continue
				}
				if s := of(e.SessionID); !slices.Contains(s.SupersededBy, by) {
					s.SupersededBy = append(s.SupersededBy, by)
				}
			}
		}
	}
	return found
}

// lastSession returns the session that bore out a record last; "" of one that only a person stated.
func lastSession(r memory.Record) council.SessionID {
	for _, e := range slices.Backward(r.Evidence) {
		if e.EventID != "" {
			return e.SessionID
		}
	}
	return ""
}

// SuccessorLines returns a sentence for each successor of a session.
func SuccessorLines(world *site.World, root *recorder.Root, id council.SessionID) (lines []string) {
	ids, err := root.IDs()
	if err != nil {
		return nil
	}
	began := string(id)[:min(len(id), len("20060102-150405"))]
	later := slices.IndexFunc(ids, func(other council.SessionID) bool { return string(other) < began })
	if later < 0 {
		later = len(ids)
	}
	list, _, err := root.Newest(later, nil)
	if s := successorsAmong(world, root, list)[id]; err == nil && s != nil {
		for _, by := range s.ReopenedBy {
			lines = append(lines, "This session was taken up again: "+site.CommandLine(root, "council show "+root.Short(by)))
		}
		for _, by := range s.SupersededBy {
			show := "council memory show " + by
			if !strings.HasPrefix(by, "r-") {
				show = "council show " + root.Short(council.SessionID(by))
			}
			lines = append(lines, "A decision of this session was superseded: "+site.CommandLine(root, show))
		}
	}
	return lines
}
