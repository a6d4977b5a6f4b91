// Package upkeep archives old sessions and verifies the ledger against the sessions. It is a package of its own because
// it reads all of a record.
package upkeep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/site"
)

// Collected says how much [Collect] moved, or would move.
type Collected struct {
	Archived     int // sessions
	Turns, Packs int // turns packed into files
	Unread       []error
}

// Collect archives the sessions that ended before a time, and packs the turns of those days. Unless apply is true it
// changes nothing. It calls say with a line for each file, and for each session that stays though it is old.
func Collect(world *site.World, root *recorder.Root, before time.Time, apply bool,
	say func(format string, args ...any)) (Collected, error) {
	c := collector{world: world, root: root, before: before, apply: apply, say: say}
	err := c.archive()
	if err == nil {
		err = c.pack()
	}
	return c.done, err
}

type collector struct {
	world  *site.World
	root   *recorder.Root
	before time.Time
	apply  bool
	say    func(format string, args ...any)
	done   Collected
}

// Restore takes a session out of the archive.
func Restore(world *site.World, root *recorder.Root, id council.SessionID) error {
	return root.Archive.Restore(id, func(log []wire.Entry) error {
		return announceMove(world, root, "restored", id, log)
	})
}

// announceMove notes in the ledger that a session is moved.
func announceMove(world *site.World, r *recorder.Root, action string, id council.SessionID, log []wire.Entry) error {
	return world.Enter(r, audit.Entry{Type: audit.TypeGC, Action: action, Session: id, What: recorder.PackPath(id),
		Digest: log[len(log)-1].Sum, Events: len(log)})
}

// aged is the age of a session that is not archived as a whole.
type aged struct {
	events int
	ended  time.Time
	stays  string // why it is not archived; "" if it is to be
	young  bool   // it has not come to the end of the retention, or is archived
}

// archive archives the sessions that ended before a time, and names those that stay.
func (c *collector) archive() error {
	r := c.root
	ids, err := r.IDs()
	if err != nil {
		return err
	}
	unsettled, err := r.Unsettled.List()
	if err != nil {
		return err
	}
	for id, s := range prefetch.Each(ids, c.judgeAge) {
		if s.young {
			continue
		}
		if s.stays == "" && slices.Contains(unsettled, id) {
			s.stays = "what follows from its end is not done yet: the next command that writes does it"
		}
		if s.stays == "" && c.apply {
			err := r.Archive.Pack(id, func(log []wire.Entry) error {
				if len(log) != s.events {
					return fmt.Errorf("%w: something was added to it meanwhile", recorder.ErrNotArchivable)
				}
				return announceMove(c.world, r, "archived", id, log)
			})
			if errors.Is(err, recorder.ErrNotArchivable) || errors.Is(err, recorder.ErrLocked) {
				s.stays = err.Error()
			} else if err != nil {
				return fmt.Errorf("cannot archive session %s: %w", id, err)
			}
		}
		if s.stays != "" {
			c.say("%s stays: %s", id, s.stays)
			continue
		}
		c.say("%s  ended on %s", recorder.PackPath(id), s.ended.Format(time.DateOnly))
		c.done.Archived++
	}
	return nil
}

func (c *collector) judgeAge(id council.SessionID) aged {
	r := c.root
	pending := r.Archive.Interrupted(id)
	began, failed := time.Parse("20060102-150405", string(id)[:min(len(id), len("20060102-150405"))])
	if r.Archive.Holds(id) && !pending || failed == nil && began.After(c.before) {
		return aged{young: true}
	}
	entries, err := r.Read(id)
	if err != nil {
		return aged{stays: err.Error()}
	}
	s := aged{events: len(entries), ended: entries[len(entries)-1].Time}
	switch {
	case pending: // a move was cut off, and is finished
	case s.ended.After(c.before):
		s.young = true
	default:
		if s.stays = unended(entries); s.stays == "" {
			if holder, running := r.Holder(id); running {
				s.stays = "it is in use by " + holder.String()
			} else if err := site.CheckIntact(c.world, r, id); err != nil {
				s.stays = err.Error()
			}
		}
	}
	return s
}

// unended returns the reason why a session has not ended well; "" if it has.
func unended(entries []wire.Entry) string {
	m := render.MinutesOf(entries)
	switch {
	case m.Suspended != nil:
		return "it is suspended (" + m.Suspended.Error() + ")"
	case m.Outcome == nil:
		return "it was interrupted; council resume goes on with it"
	case m.Outcome.Documentation == council.DocumentationUnapproved:
		return "its document was not approved"
	case m.Outcome.Documentation == council.DocumentationMissing:
		return "it was to write a document, and there is none"
	}
	switch status := m.Handoff.Status; status {
	case council.ExecutionAwaitingApproval, council.ExecutionUnderWay, council.ExecutionFailed:
		return "its execution " + status.Words()
	}
	return ""
}

// pack packs the turns of the sessions of days before the time.
func (c *collector) pack() error {
	of := episodes.New(c.root.Files())
	all, err := of.Pack(c.before, false)
	for _, p := range all {
		if c.apply && err == nil && p.Files > 0 {
			err = c.world.Enter(c.root, audit.Entry{Type: audit.TypeGC, Action: "packed", What: p.Pack})
		}
	}
	if c.apply && err == nil {
		all, err = of.Pack(c.before, true)
	}
	for _, p := range all {
		c.done.Unread = append(c.done.Unread, p.Problems...)
		if err == nil && p.Files > 0 {
			c.say("%s  %s (%s bytes)", p.Pack, plural.Things(p.Files, "turn"), plural.Thousands(p.Bytes))
			c.done.Turns, c.done.Packs = c.done.Turns+p.Files, c.done.Packs+1
		}
	}
	return err
}

// LedgerReport is the result of a verification of the ledger.
type LedgerReport struct {
	ledger.Report
	Sessions int // of whose ends the ledger speaks
	Wrong    []WrongEnd
}

// WrongEnd is a session whose log disagrees with the ledger about its end.
type WrongEnd struct {
	Session council.SessionID
	Problem string
	Damaged bool
}

// VerifyLedger checks the chain of the ledger, and holds the log of every session against its entries. A broken chain
// is a [ledger.ErrDamaged], and no session is looked at.
func VerifyLedger(root *recorder.Root) (LedgerReport, error) {
	// The entries that say how far a session had come. One that a kill kept from being recorded is dropped as soon as
	// another takes its place.
	ends := map[council.SessionID][]audit.Entry{}
	report, err := ledger.Verify(root.Files(), func(e audit.Entry) {
		if e.Type == audit.TypeSession && e.Digest != "" {
			ends[e.Session] = append(slices.DeleteFunc(ends[e.Session], func(before audit.Entry) bool {
				return before.Events >= e.Events
			}), e)
		}
	})
	found := LedgerReport{Report: report, Sessions: len(ends)}
	if err != nil {
		return found, err
	}
	for _, id := range slices.Sorted(maps.Keys(ends)) {
		if problem, damaged := checkEnds(root, id, ends[id]); problem != "" {
			found.Wrong = append(found.Wrong, WrongEnd{id, problem, damaged})
		}
	}
	return found, nil
}

// checkEnds holds the log of a session against its entries. The problem is "" where they agree.
func checkEnds(root *recorder.Root, id council.SessionID, ends []audit.Entry) (problem string, damaged bool) {
	entries, err := root.Read(id)
	gone := errors.Is(err, recorder.ErrUnknownSession)
	if err != nil && !errors.Is(err, recorder.ErrNotBegun) && !gone {
		return fmt.Sprintf("its log cannot be read: %v.", err), true
	}
	for _, e := range ends {
		was := fmt.Sprintf("with its event e%d it was %s at %s (entry %d)", e.Events, e.Action,
			e.At.UTC().Format(time.DateTime), e.Seq)
		switch {
		case gone:
			return was + ", and it is not in the record any more.", false
		case e.Events == len(entries)+1:
			return was + ", which is not in its log: the process was killed, or the event was cut off. Go on with: " +
				"council resume " + string(id), false
		case e.Events > len(entries):
			return fmt.Sprintf("%s, and its log ends with e%d.", was, len(entries)), true
		case entries[e.Events-1].Sum != e.Digest:
			return was + ", and its log has another event there.", true
		}
	}
	return "", false
}
