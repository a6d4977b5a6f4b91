package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/wire"
)

func (a *app) newAudit() *cobra.Command {
	var last, kind, session string
	cmd := a.verb("audit", func(c *command) error { return c.audit(last, kind, session) })
	cmd.AddCommand(a.verb("audit verify", func(c *command) error { return c.verifyLedger(c.root) }))
	f := cmd.Flags()
	flags(f, vars{"last": &last})
	f.StringVar(&kind, "type", "", "only entries of this type: "+strings.Join(audit.Types(), ", "))
	flags(f, vars{"session": &session})
	return cmd
}

// audit lists the entries of the ledger within the last span, of a type, and of a session, as far as these are given.
func (c *command) audit(last, kind, session string) error {
	if kind != "" {
		if err := cli.KnownWord("type", kind, audit.Types()); err != nil {
			return err
		}
	}
	var id council.SessionID
	if session != "" {
		var err error
		if id, err = c.root.Find(session); errors.Is(err, recorder.ErrUnknownSession) {
			id = council.SessionID(session) // what is gone still has its entries
		} else if err != nil {
			return err
		}
	}
	from, err := sinceTime("last", last, c.Now())
	if err != nil {
		return err
	}
	l := c.list(c.json, "ENTRY", "TIME", "TYPE", "WHAT")
	var damaged error
	for e, err := range ledger.Since(c.root.Files(), from) {
		if err != nil {
			damaged = err
			break
		}
		if kind != "" && e.Type != audit.Type(kind) || id != "" && e.Session != id {
			continue
		}
		told := e
		if id != "" {
			told.Session = "" // that was asked for
		}
		l.add(e, e.Seq, e.At.UTC().Format(time.DateTime), e.Type, strings.TrimPrefix(terminal.Tell("entry", told), ", "))
	}
	if damaged != nil && len(l.rows) == 0 {
		return damaged
	}
	return cmp.Or(l.print("There is no such entry."), damaged)
}

// verifyLedger prints what a verification of the ledger found.
func (a *app) verifyLedger(root *recorder.Root) error {
	ends := sessionEnds{}
	report, err := ledger.Verify(root.Files(), ends.take)
	if errors.Is(err, ledger.ErrDamaged) {
		fmt.Fprintf(a.Out, "Ledger:   damaged behind %s.\n", plural.Things(int(report.Entries), "entry", "entries"))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Ledger:   one chain of %s.\n", plural.Things(int(report.Entries), "entry", "entries"))
	if report.Torn {
		fmt.Fprintln(a.Out, "          Its last line was cut off while it was written; the next entry mends that.")
	}
	agreed := 0
	for _, id := range slices.Sorted(maps.Keys(ends)) {
		words, wrong := endAgrees(root, id, ends[id])
		if wrong == nil {
			agreed++
			continue
		}
		a.Say("Session %s: %s", id, words)
		if err == nil || errors.Is(wrong, recorder.ErrDamaged) {
			err = &cli.Told{Err: wrong}
		}
	}
	fmt.Fprintf(a.Out, "Sessions: %d of %d agree with what the ledger says of their ends.\n", agreed, len(ends))
	return err
}

// sessionEnds are the entries that hold how far a session had come, by session. Those that were announced and never
// recorded, because the process was killed between, are left out as soon as another takes their place.
type sessionEnds map[council.SessionID][]audit.Entry

func (s sessionEnds) take(e audit.Entry) {
	if e.Type != audit.TypeSession || e.Digest == "" {
		return
	}
	s[e.Session] = append(slices.DeleteFunc(s[e.Session], func(before audit.Entry) bool {
		return before.Events >= e.Events
	}), e)
}

// endAgrees holds the log of a session against its entries. The error is an [recorder.ErrDamaged] or a
// [cli.ErrFindings], and comes with its words.
func endAgrees(root *recorder.Root, id council.SessionID, ends []audit.Entry) (words string, err error) {
	entries, err := root.Read(id)
	if err != nil && !errors.Is(err, recorder.ErrNotBegun) && !errors.Is(err, recorder.ErrUnknownSession) {
		return fmt.Sprintf("its log cannot be read: %v.", err), recorder.ErrDamaged
	}
	for _, e := range ends {
		was := fmt.Sprintf("with its event e%d it was %s at %s (entry %d)", e.Events, e.Action,
			e.At.UTC().Format(time.DateTime), e.Seq)
		switch {
		case errors.Is(err, recorder.ErrUnknownSession):
			return was + ", and it is not in the record any more.", cli.ErrFindings
		case e.Events == len(entries)+1:
			return was + ", which is not in its log: the process was killed, or the event was cut off. Go on with: " +
				"council resume " + string(id), cli.ErrFindings
		case e.Events > len(entries):
			return fmt.Sprintf("%s, and its log ends with e%d.", was, len(entries)), recorder.ErrDamaged
		case entries[e.Events-1].Sum != e.Digest:
			return was + ", and its log has another event there.", recorder.ErrDamaged
		}
	}
	return "", nil
}

// ledgers are those that a command has opened, by the path of their workspace.
type ledgers struct {
	mu sync.Mutex
	of map[string]*ledger.Ledger

	planning sync.Mutex // guards what follows
	plans    map[string]*plans
}

// ledger returns the ledger of a workspace. It is the same one until the command ends, also for another root of the
// same path, so that the entries of all who wait are written together.
func (a *app) ledger(root *recorder.Root) (*ledger.Ledger, error) {
	a.ledgers.mu.Lock()
	defer a.ledgers.mu.Unlock()
	if kept, ok := a.ledgers.of[root.Path()]; ok {
		return kept, nil
	}
	files, err := atomicfile.OpenDir(root.Path())
	if err != nil {
		return nil, err
	}
	if a.ledgers.of == nil {
		a.ledgers.of = map[string]*ledger.Ledger{}
	}
	opened := ledger.Open(a.Through(files), a.Now)
	a.ledgers.of[root.Path()] = opened
	return opened, nil
}

// close closes them. What it fails to sync are no more than the last lines of what calls took.
func (l *ledgers) close() {
	for _, one := range l.of {
		_ = one.Close()
	}
}

// enter records entries in the ledger of a workspace, before what they announce is done.
func (a *app) enter(root *recorder.Root, entries ...audit.Entry) error {
	l, err := a.ledger(root)
	for _, e := range entries {
		if err == nil {
			_, err = l.Append(e)
		}
	}
	return err
}

// inputs returns the clock and the salts of the records in a workspace, and enters in its ledger what is about to be
// recorded: ends of sessions, and rulings of people.
func (a *app) inputs(root *recorder.Root) recorder.Inputs {
	in := a.Inputs()
	in.Announce = func(w wire.Entry) error {
		e, ok := announcement(w)
		if !ok {
			return nil
		}
		return a.enter(root, e)
	}
	return in
}

// announcement returns what the ledger has of an event; ok is false for most events.
func announcement(w wire.Entry) (e audit.Entry, ok bool) {
	e = audit.Entry{Type: audit.TypeApproval, Session: w.Session, Events: int(w.Seq)}
	switch p := w.Payload.(type) {
	case council.SessionClosed:
		e.Type, e.Action, e.Digest = audit.TypeSession, audit.ActionClosed, w.Sum
	case council.SessionSuspended:
		e.Type, e.Action, e.Digest, e.Why = audit.TypeSession, audit.ActionSuspended, w.Sum, string(p.Fault.Kind)
	case council.DraftDecided:
		e.Action, e.Digest = "document not approved", p.SHA256
		if p.Result == quorum.Carried {
			e.Action = "document approved"
		}
	case council.BriefAmended:
		e.By, e.Action, e.Digest = p.By, "brief amended", p.BriefSHA256
	case council.ExecutionApproved:
		e.By, e.Action, e.Digest = p.By, "execution approved", p.BriefSHA256
		if p.InAdvance {
			e.Action += " in advance"
		}
	case council.ExecutionRejected:
		e.By, e.Action, e.Digest = p.By, "execution rejected", p.BriefSHA256
	case council.ExecutionStarted:
		e.By, e.Action, e.Digest = p.By, "execution started", p.BriefSHA256
	case council.ExecutionFinished:
		e.By, e.Action = p.By, fmt.Sprintf("execution finished, succeeded: %t", p.Succeeded)
	default:
		return e, false
	}
	return e, true
}

// enterForgetting records which sessions and records are about to lose words.
func (a *app) enterForgetting(root *recorder.Root, o curator.ForgetPlan) error {
	var entries []audit.Entry
	for _, r := range o.Records {
		entries = append(entries, audit.Entry{Type: audit.TypeMemory, By: a.By(), What: r.ID, Action: "forget"})
	}
	for _, id := range o.Sessions() {
		log, err := root.Read(id)
		if err != nil {
			return err
		}
		entries = append(entries, audit.Entry{Type: audit.TypeSession, Session: id, By: a.By(),
			Action: audit.ActionForgotten, Digest: log[len(log)-1].Sum, Events: len(log)})
	}
	return a.enter(root, entries...)
}
