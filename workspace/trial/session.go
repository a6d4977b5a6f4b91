package trial

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type trial struct {
	Request
	*site.World
	root      *recorder.Root
	roster    *seat.Roster // one for all questions: limits of calls a minute hold across them
	interrupt <-chan struct{}

	charter council.Charter
	spent   site.Spending
	results []evaluation.Result
	agreed  []evaluation.Agreed
	stopped string // why not all questions were asked
}

// all goes through the questions in their order until all are answered or something stops it.
func (r *trial) all(ctx context.Context, cases []question, files atomicfile.Files) (err error) {
	c := &r.charter
	if slices.ContainsFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Rehearse }) {
		r.Say("The rehearsal knows no answers: what it says will be unreadable and counts as wrong. Take this as a trial " +
			"of\nthe procedure, and name a model that can answer with --model.")
	}
	w := seat.Wallet(r.World, c.Storage.RootDir) // where the user's credentials are; the evaluation's own folder has none
	if err := r.InRecord(c.Storage.RootDir, func(*recorder.Root) error { return nil }); err != nil {
		w.Gate = r.GateOver(c.Storage.RootDir, r.root.Path()) // no ledger either: the calls go to that of the evaluation
	}
	r.roster = seat.RosterWith(r.World, w)
	defer r.roster.Close()
	r.roster.Remember(r.root.Files())
	ctx, interrupt, release := run.Interrupts(r.World, ctx, nil, r.Warn)
	defer release()
	r.interrupt = interrupt
	lines, err := atomicfile.CreateTail(files, "results.jsonl") // one for each closed session, in the data set's order
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	if err := lines.Cut(0); err != nil { // it is derived, and written again from the sessions
		return err
	}
	for i := range cases {
		s, err := r.one(ctx, &cases[i])
		if err != nil || s == nil {
			return err
		}
		result := evaluation.Judge(cases[i].Question, s)
		r.results = append(r.results, result)
		if a := evaluation.AgreedIn(minutes.Of(s.Events()), result); a != nil {
			r.agreed = append(r.agreed, *a)
		}
		line, err := json.Marshal(result)
		if err != nil {
			return err
		}
		if err := lines.Append(append(hostile.JSON(line), '\n'), 0); err != nil {
			return err
		}
	}
	return nil
}

// one returns the closed session of a question, or nothing when the evaluation stops before it is closed.
func (r *trial) one(ctx context.Context, q *question) (*rules.Session, error) {
	s, err := site.Replay(r.root, q.session)
	if err != nil && !unbegun(err) {
		return nil, err
	}
	if s != nil && s.Ready().Outcome != nil {
		return s, r.count(s)
	}
	select {
	case <-r.interrupt:
		r.stopped = "you stopped it"
		return nil, nil
	default:
	}
	c := r.charter
	if c.Budget, r.stopped = r.Caps.Rest(c.Budget, r.spent); r.stopped != "" {
		return nil, nil
	}
	s, fault, err := r.hold(ctx, q.session, c, q.topic)
	if errors.Is(err, context.Canceled) {
		r.stopped = "you stopped it at once"
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if fault != nil {
		r.stopped = "the session of " + site.Quote(q.ID) + " is suspended: " + fault.Error()
		return nil, nil
	}
	if err := r.count(s); err != nil {
		return nil, err
	}
	r.Say("%s: %s", q.ID, caseWords(evaluation.Judge(q.Question, s)))
	return s, nil
}

// unbegun reports whether an error means that the session does not exist or has not begun.
func unbegun(err error) bool {
	return errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun)
}

func (r *trial) count(s *rules.Session) error {
	beside, err := site.ReadBeside(r.root, s)
	r.spent.Add(s, beside)
	return err
}

// hold begins the session of a question or goes on with it, until it is closed or, for the fault returned, suspended.
func (r *trial) hold(ctx context.Context, id council.SessionID, c council.Charter, t council.Topic) (_ *rules.Session,
	stopped *council.Fault, err error) {
	folder, s, err := r.open(id, c, t)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if s.Ready().Outcome != nil { // it was cut off between its end and its files
		return s, nil, folder.Finalize()
	}
	if s.Budget() != c.Budget {
		if err := site.Rule(s, folder, council.BudgetAmended{By: r.User().Name(), Budget: c.Budget}); err != nil {
			return nil, nil, err
		}
	}
	doubtful, err := folder.Ambiguous()
	if err != nil {
		return nil, nil, err
	}
	for _, ask := range doubtful {
		r.Warn("Asked before session %s was cut off, and asked again; it is not known whether that was paid for: %s", id, ask)
	}
	members, budget, err := r.roster.Seat(folder, s, nil)
	if err != nil {
		return nil, nil, err
	}
	ctx = member.WithListener(ctx, member.Listener{Wait: func(w member.Wait) { r.Waits(s.Charter(), w) }})
	ended, err := site.BeginRun(r.World, r.root, id, "eval")
	if err != nil {
		return nil, nil, err
	}
	result, err := engine.Run(ctx, s, members, folder,
		engine.Options{By: r.User().Name(), Interrupt: r.interrupt, Admit: budget.Admit})
	ended(result.Suspended, err)
	if err != nil {
		return nil, nil, err
	}
	return s, result.Suspended, folder.Finalize()
}

// open takes the folder of a session for writing. A session that has not begun begins.
func (r *trial) open(id council.SessionID, c council.Charter, t council.Topic) (*recorder.Session, *rules.Session,
	error) {
	folder, session, err := site.OpenUnfinished(r.World, r.root, id)
	if !unbegun(err) {
		return folder, session, err
	}
	opening, err := rules.Open(id, t, c)
	if err != nil {
		return nil, nil, err
	}
	if folder, err = r.root.Create(id, r.Inputs(r.root)); err != nil {
		return nil, nil, err
	}
	if session, err = site.Begin(folder, opening); err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return folder, session, nil
}

// keepAgreed keeps the decisions of an evaluation in the workspace, if there is one. Another run of the same council on
// the same data set replaces them.
func (r *trial) keepAgreed(dataset string) error {
	if len(r.agreed) == 0 {
		return nil
	}
	of := sessionID(dataset, council.Topic{}, &r.charter)
	doc, err := json.MarshalIndent(evaluation.Agreements{Format: evaluation.Format, Decisions: r.agreed}, "", "  ")
	if err != nil {
		return err
	}
	err = r.InRecord(r.charter.Storage.RootDir, func(root *recorder.Root) error {
		return atomicfile.WithinMade(root.Files(), site.Evaluations, func(in atomicfile.Files) error {
			return atomicfile.Write(in, string(of)+".json", append(hostile.JSON(doc), '\n'))
		})
	})
	if errors.Is(err, recorder.ErrNoRoot) {
		return nil
	}
	return err
}
