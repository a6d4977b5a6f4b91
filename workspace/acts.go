package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/attend"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
	"github.com/council-engine/council/workspace/upkeep"
)

// Plan returns the session that a request asks for, if nothing keeps it from beginning. It asks and writes nothing.
func (w *Workspace) Plan(ctx context.Context, r run.Request) (*run.Plan, error) {
	r.DryRun = true
	return w.plan(ctx, w.own(), &r)
}

func (w *Workspace) plan(ctx context.Context, world *site.World, r *run.Request) (p *run.Plan, err error) {
	r.Root, r.Trust = w.root.Path(), w.trust(world)
	r.Confirm = r.Trust.Confirm
	if r.Topic, err = site.CheckTopic(r.Topic); err == nil || r.Reopens != nil {
		p, err = run.NewPlan(ctx, world, r)
	}
	if err == nil {
		err = p.Admit(ctx, world, r)
	}
	return p, err
}

// trust returns the gate that asks the person about items of a charter.
func (w *Workspace) trust(world *site.World) seat.TrustGate {
	g := seat.TrustGate{World: world}
	if w.prompter != nil {
		g.Confirm = w.prompter.Confirm
	}
	return g
}

// Convene begins the session that a request asks for, and returns once its first event is on disk. Until it ends, no
// other operation needs to wait for it, and ctx ends it at once.
func (w *Workspace) Convene(ctx context.Context, r run.Request) (*Run, error) {
	world := w.own()
	p, err := w.plan(ctx, world, &r)
	if err != nil {
		return nil, err
	}
	return begin(world, p.ID, w.prompter, func(face run.Face) (engine.Result, error) {
		return run.Convene(ctx, world, &r, p, face)
	})
}

// Resume goes on with a session that is not closed, or closes it as it is.
func (w *Workspace) Resume(ctx context.Context, r run.Resumption) (*Run, error) {
	id, err := run.FindUnfinished(w.root, r.Session)
	if err != nil {
		return nil, err
	}
	world := w.own()
	r.Root, r.Session, r.Trust = w.root.Path(), string(id), w.trust(world)
	return begin(world, id, w.prompter, func(face run.Face) (engine.Result, error) {
		return run.Resume(ctx, world, &r, face)
	})
}

// Reopen returns the closed session that a request for a new one takes up again, see [run.Reopen].
func (w *Workspace) Reopen(id council.SessionID, because string, revise bool,
	record func(council.View, council.Seq) string) (*run.Reopening, error) {
	return run.Reopen(w.own(), w.root, id, because, revise, record)
}

// Review returns a closed session with what a person needs to rule on its execution brief. The error of a record that
// is not intact wraps [recorder.ErrDamaged].
func (w *Workspace) Review(name string) (*run.Review, error) {
	id, err := w.root.Find(name)
	if err != nil {
		return nil, err
	}
	return run.ReadReview(w.own(), w.root, id, "review")
}

// Rule records a person's verdict on the execution brief of a closed session, and returns the state of the execution.
// An approval names the SHA-256 of the brief that was read. One that the policy forbids is refused, and in the ledger.
func (w *Workspace) Rule(ctx context.Context, name string, v run.Verdict) (status council.ExecutionStatus, err error) {
	if v.Approves() && v.SHA256 == "" {
		return "", site.Refuse("an approval names the brief that was read", "Give its SHA-256.")
	}
	world := w.own()
	id, err := w.root.Find(name)
	if err != nil {
		return "", err
	}
	r, err := run.ReadBrief(world, w.root, id, v)
	if err == nil {
		err = r.Check(world, v)
	}
	if err != nil {
		return "", err
	}
	return r.Rule(ctx, world, v)
}

// Say gives all members of an open session a note.
func (w *Workspace) Say(name, text string) (run.Said, error) {
	id, err := w.root.Find(name)
	if err != nil {
		return run.Said{}, err
	}
	return run.Say(w.own(), w.root, id, text)
}

// Answer keeps a person's answer with a session, which uses it when it goes on. ask names the question by its id or by
// the person; "" is the only open one. It returns the questions that wait for people now.
func (w *Workspace) Answer(ctx context.Context, name, ask string, a run.Answer) (listing.Waiting, error) {
	id, err := w.root.Find(name)
	if err == nil {
		err = run.AnswerAsk(ctx, w.own(), w.root, id, ask, a)
	}
	if err != nil {
		return listing.Waiting{}, err
	}
	return listing.ReadWaiting(w.root, id)
}

// Ask puts a question to a member of a closed session, and returns the answer with its cost in words. The last
// question, put again, is not paid for again. Secrets are cut out of the question, which is warned of.
func (w *Workspace) Ask(ctx context.Context, name, who, question string) (answer, cost string, err error) {
	id, err := w.root.Find(name)
	if err != nil {
		return "", "", err
	}
	world := w.own()
	after := run.Afterwards{World: world, Root: w.root, Trust: w.trust(world),
		Waits: func(*council.Charter, member.Wait) {},
		Cut: func(t council.Topic) {
			for _, c := range append(t.Cut, t.Hidden...) {
				world.Warn("%d of %s was cut out of %s.", c.Count, c.Kind, c.In)
			}
		}}
	err = after.Hold(ctx, conversation.After{Session: id, Member: council.MemberID(who)}, true,
		func(ctx context.Context, d *run.Dialogue) error {
			answer, cost, err = d.Ask(ctx, question)
			return err
		})
	return answer, cost, err
}

// EditRecord changes a record of memory, named by its id or the beginning of it, and gives it a status unless that is
// "". The person's word is evidence of today.
func (w *Workspace) EditRecord(ctx context.Context, id, status string,
	change func(*memory.Record) error) (memory.Record, error) {
	world, of, held, err := w.record(ctx, id)
	if err != nil {
		return memory.Record{}, err
	}
	return memories.Edit(world, ctx, of, held, status, "", change)
}

// ResolveRecord says of a record of memory that it needs no more attention, and why.
func (w *Workspace) ResolveRecord(ctx context.Context, id, because string) (memory.Record, error) {
	world, of, held, err := w.record(ctx, id)
	if err != nil {
		return memory.Record{}, err
	}
	return memories.Resolve(world, ctx, of, held, because)
}

// PlanForgetting finds what holds the words of records, turns and sessions, by ids, and phrases. It changes nothing.
func (w *Workspace) PlanForgetting(ctx context.Context, ids, phrases []string) (curator.ForgetPlan, error) {
	of, err := seat.RecoverMemory(w.own(), ctx, w.root, "")
	if err != nil {
		return curator.ForgetPlan{}, err
	}
	return of.PlanForgetting(ids, phrases)
}

// Forget erases what a plan found, for good. A part that fails is finished by the next operation that writes.
func (w *Workspace) Forget(ctx context.Context, plan curator.ForgetPlan) (curator.ForgetResult, error) {
	world := w.own()
	of, err := seat.RecoverMemory(world, ctx, w.root, "")
	if err != nil {
		return curator.ForgetResult{}, err
	}
	return memories.Forget(world, ctx, of, plan)
}

// ImportMemory takes the records of books that are new or newer than here into the memory in dir, or only counts them
// if dry, see [memories.Import].
func (w *Workspace) ImportMemory(ctx context.Context, dir string, books []memories.ExportedBook, dry bool,
	tell func(memories.ExportedBook, int)) error {
	world := w.own()
	of, err := seat.RecoverMemory(world, ctx, w.root, dir)
	if err != nil {
		return err
	}
	return memories.Import(world, ctx, of, books, dry, "", tell)
}

func (w *Workspace) record(ctx context.Context, id string) (world *site.World, of *curator.Curator,
	held store.StoredRecord, err error) {
	world = w.own()
	if of, err = seat.RecoverMemory(world, ctx, w.root, ""); err == nil {
		held, err = memories.Held(of, id)
	}
	return world, of, held, err
}

// RuleRetry has a suspended session tried again at once, for [audit.RetryReleased], or never, for [audit.RetryDropped].
// The id may be its beginning.
func (w *Workspace) RuleRetry(id, action string) (council.SessionID, error) {
	world, p, err := w.plans()
	if err != nil {
		return "", err
	}
	return p.RuleRetry(world, id, action)
}

// RuleRoutine pauses, resumes or removes a routine, by [audit.RoutinePaused], RoutineResumed or RoutineRemoved.
func (w *Workspace) RuleRoutine(name, action string) error {
	world, p, err := w.plans()
	if err != nil {
		return err
	}
	return p.RuleRoutine(world, name, action)
}

// Attend convenes routines and tries suspended sessions again when they are due, until a stop is asked for. The keeper
// needs neither plans nor a world. [schedule.ErrKept]: another process does.
func (w *Workspace) Attend(ctx context.Context, k attend.Keeper) (err error) {
	if k.World, k.Plans, err = w.plans(); err != nil {
		return err
	}
	return k.Attend(ctx)
}

// RetryDue tries the suspended sessions that are due, one after the other, and returns how many.
func (w *Workspace) RetryDue(ctx context.Context, k attend.Keeper) (tried int, err error) {
	if k.World, k.Plans, err = w.plans(); err != nil {
		return 0, err
	}
	return k.RetryDue(ctx)
}

// Repair does the repairs of findings that lose nothing of the record.
func (w *Workspace) Repair(found recorder.Findings) []recorder.Repaired {
	return w.root.Repair(found, w.world.Clock())
}

// Archive moves the sessions and turns that ended before a time into the archive if apply is set, and calls say with a
// line for each that it moves, or would move, or leaves, see [upkeep.Collect].
func (w *Workspace) Archive(before time.Time, apply bool, say func(string, ...any)) (upkeep.Collected, error) {
	return upkeep.Collect(w.own(), w.root, before, apply, say)
}

// Restore takes a session out of the archive, so that it can be changed.
func (w *Workspace) Restore(id council.SessionID) error { return upkeep.Restore(w.own(), w.root, id) }

func (w *Workspace) plans() (*site.World, *schedule.Plans, error) {
	world := w.own()
	p, err := schedule.Open(world, w.root, time.Time{})
	return world, p, err
}

// coded are the errors of the packages below, by code. The first code that has an error counts.
var coded = []struct {
	code   Code
	errors []error
}{
	{Damaged, []error{recorder.ErrNotLatest, recorder.ErrDamaged, rules.ErrBadEvent, store.ErrFile}},
	{Busy, []error{recorder.ErrLocked, atomicfile.ErrLocked, schedule.ErrKept, evaluation.ErrStopped,
		run.ErrBatchStopped}},
	{Newer, []error{recorder.ErrNewer, index.ErrNewer, site.ErrOtherRules}},
	{Denied, []error{policy.ErrRefused, policy.ErrBad, seat.ErrNotTrusted}},
	{Unwritable, []error{gate.ErrLedger, recorder.ErrReadOnly, fs.ErrPermission, syscall.EROFS, syscall.ENOSPC,
		syscall.EIO}},
	{NotFound, []error{recorder.ErrNoRoot, recorder.ErrUnknownSession, recorder.ErrNotBegun, recorder.ErrNoConversation,
		episodes.ErrUnknown, store.ErrNoRecord, curator.ErrNoEvent}},
	{Ambiguous, []error{recorder.ErrAmbiguous}},
	{Conflict, []error{rules.ErrBadRuling, recorder.ErrForeign, recorder.ErrArchived, store.ErrRebuilding}},
	{Invalid, []error{council.ErrBadCharter, memory.ErrBadRecord, routine.ErrBad, store.ErrNoMember, store.ErrEdit,
		recorder.ErrBadForgetPlan}},
}

// CodeOf returns the code of an error of any operation: that of the [Error] in it, or of what a package below found.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if _, ok := errors.AsType[*store.AmbiguousError](err); ok {
		return Ambiguous
	}
	for _, c := range coded {
		if slices.ContainsFunc(c.errors, func(target error) bool { return errors.Is(err, target) }) {
			return c.code
		}
	}
	return Internal
}
