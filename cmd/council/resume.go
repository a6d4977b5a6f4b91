package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/proof"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/cmd/council/trust"
	"github.com/council-engine/council/cmd/council/withheld"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

// resumeOptions are the flags of resume.
type resumeOptions struct {
	root      string
	adjourn   string
	ambiguous string
	caps      spending.Caps
	moves     seating.Moves
	approve   bool
	show      display
}

func (a *app) newResume() *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "resume [SESSION]",
		Short: "Go on with a session that was suspended or cut off",
		Long: `resume goes on with a session where it stopped. What members answered before is not asked, and not paid, again.
Without SESSION it takes the latest session that is not closed.`,
		Args: desk.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := desk.NotBlank(cmd, "adjourn"); err != nil {
				return err
			}
			return a.resume(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	desk.RootFlag(f, &o.root)
	f.StringVar(&o.adjourn, "adjourn", "", "do not go on: close the session as it stands, for this reason")
	o.caps.Flags(f)
	o.moves.Flag(f)
	cmd.MarkFlagsMutuallyExclusive("adjourn", "base-url")
	f.StringVar(&o.ambiguous, "ambiguous", ambiguousAsk, "questions that were put before a crash and not answered: ask puts them again, absent goes on without")
	f.BoolVar(&o.approve, "approve-execution", false, "approve the execution brief, whatever it will be")
	o.show.flags(f)
	return cmd
}

func (a *app) resume(ctx context.Context, o resumeOptions, args []string) error {
	if err := o.show.check(); err != nil {
		return err
	}
	if o.ambiguous != ambiguousAsk && o.ambiguous != ambiguousAbsent {
		return desk.Refuse("--ambiguous is ask or absent, not "+desk.Quote(o.ambiguous), "Leave it out to put the questions again.")
	}
	root, err := recorder.FindRoot(o.root, a.record()...)
	if err != nil {
		return err
	}
	defer root.Close()
	id, err := unfinished(root, args)
	if err != nil {
		return err
	}
	prove := proof.Desk{Desk: a.desk()}
	var damaged error
	if o.adjourn != "" || o.caps.Given() || len(o.moves) > 0 { // before anything of the session is mended
		damaged = prove.Intact(root, id)
	}
	folder, session, err := a.reopen(root, id)
	if err != nil {
		return err
	}
	defer folder.Close()
	s := sitting{root: root, folder: folder, session: session, show: o.show, approve: o.approve}
	if err := root.MarkUnsettled(id); err != nil {
		return err
	}
	if outcome := session.Ready().Outcome; outcome != nil {
		fmt.Fprintf(a.stdout, "Session %s is closed; there is nothing to go on with.\n", id)
		prove.Vouch(folder) // a crash may have come between the end and its anchor
		if err := folder.Finalize(); err != nil {
			return err
		}
		if err := a.remember(ctx, s); err != nil {
			return err
		}
		return outcomeCode(*outcome)
	}
	reached, moves, err := o.moves.Of(*session.Reached(), a.by())
	if err != nil {
		return err
	}
	if o.adjourn == "" {
		if err := a.checkRoster(ctx, trust.Of(&reached), &reached, root.Path()); err != nil {
			return err
		}
	}
	say := a.sayer(o.show)
	var doubtful []council.Ask
	if o.adjourn == "" {
		if err := s.undiverged(); err != nil {
			return err
		}
		if doubtful, err = s.doubtful(); err != nil {
			return err
		}
	}
	say("%s", terminal.Fold(terminal.Sprintf("Session %s: %s", id, terminal.Words(session.Topic().Text)), terminal.Columns(a.width)))
	s.abandon = a.announceDoubtful(o, doubtful)
	if damaged != nil {
		fmt.Fprintln(a.stderr, terminal.Sprintf("Warning: %v. council verify says more.", damaged))
	}
	if o.caps.Given() {
		budget, err := o.caps.Over(session.Budget())
		if err != nil {
			return err
		}
		if err := spending.Affordable(session.Charter(), budget); err != nil {
			return err
		}
		if err := settle(session, folder, council.BudgetAmended{By: a.by(), Budget: budget}); err != nil {
			return err
		}
	}
	for _, move := range moves {
		if err := settle(session, folder, move); err != nil {
			return err
		}
		say("%s", terminal.Sprintf("%s is asked at %s from now on.", terminal.Name(&reached, move.Member), move.BaseURL))
	}
	if o.adjourn != "" {
		if err := settle(session, folder, council.SessionAdjourned{By: a.by(), Reason: withheld.Said(o.adjourn)}); err != nil {
			return err
		}
		s.adjourned = true
	}
	return a.sit(ctx, s)
}

// unfinished finds the session that was named, else the latest that is not closed.
func unfinished(root *recorder.Root, args []string) (council.SessionID, error) {
	if len(args) == 1 {
		return root.Find(args[0])
	}
	sessions, err := root.List()
	if err != nil {
		return "", err
	}
	for _, s := range sessions {
		if s.Status == recorder.StatusSuspended || s.Status == recorder.StatusInterrupted {
			return s.ID, nil
		}
	}
	if len(sessions) > 0 && sessions[0].Status == recorder.StatusClosed {
		return sessions[0].ID, nil // it may have been cut off between its end and its files, which are then written
	}
	return "", errors.New("there is no suspended or interrupted session to go on with")
}

// reopen takes a session's folder for writing and rebuilds the session from its log.
func (a *app) reopen(root *recorder.Root, id council.SessionID) (*recorder.Session, *rules.Session, error) {
	folder, err := root.Resume(id, a.inputs())
	if err != nil {
		return nil, nil, err
	}
	if p, ok := folder.Entries()[0].Payload.(council.SessionStarted); ok && p.Rules != rules.Version {
		err := fmt.Errorf("%w: session %s follows version %d, and this version of council follows %d", errOtherRules, id, p.Rules, rules.Version)
		return nil, nil, errors.Join(err, folder.Close())
	}
	session, err := rules.Replay(events(folder.Entries()))
	if err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return folder, session, nil
}

// errOtherRules: the rules have changed since the session began.
var errOtherRules = errors.New("the rules are not the ones under which the session began")

// settle records what is due, then a ruling.
func settle(s *rules.Session, log engine.Log, r council.Ruling) error {
	if err := recordDue(s, log); err != nil {
		return err
	}
	return engine.Rule(s, log, r)
}

// recordDue records the consequences that are due.
func recordDue(s *rules.Session, log engine.Log) error {
	for due := s.Ready().Event; due != nil; due = s.Ready().Event {
		if err := log.Append(*due); err != nil {
			return err
		}
		if err := s.Apply(*due); err != nil {
			return err
		}
	}
	return nil
}

// events are those of a log, for a replay, of which words may have been forgotten.
func events(entries []wire.Entry) iter.Seq2[council.Event, error] {
	return rules.Log(expunge.Restated(entries)...)
}
