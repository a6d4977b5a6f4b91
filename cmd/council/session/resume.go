package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// ResumeOptions are the flags of resume.
type ResumeOptions struct {
	Root      string
	adjourn   string
	Ambiguous string
	caps      cli.BudgetFlags
	moves     serverMoves
	approve   bool
	Show      Display
	batched   *Batched // the session of a batch that this one is; nil: none
}

// NewResume returns the command resume.
func NewResume(a *cli.Env) *cobra.Command {
	var o ResumeOptions
	cmd := &cobra.Command{Use: "resume [SESSION]", Short: "Go on with a session that was suspended or cut off",
		Long: `
resume goes on with a session where it stopped. What members answered before is not asked, and not paid, again.
Without SESSION it takes the latest session that is not closed.`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			return Resume(a, cmd.Context(), o, args)
		}}
	f := cmd.Flags()
	cli.RootFlag(f, &o.Root)
	f.StringVar(&o.adjourn, "adjourn", "", "do not go on: close the session as it stands, for this reason")
	f.StringVar(&o.Ambiguous, "ambiguous", AmbiguousAsk,
		"questions that were put before a crash and not answered: ask puts them again, absent goes on without")
	f.BoolVar(&o.approve, "approve-execution", false,
		"approve in advance an execution brief that members vote on with the document")
	f.StringArrayVar((*[]string)(&o.moves), "base-url", nil,
		"MEMBER=URL: the server of a member is at another address from now on; as often as needed")
	cli.TrustFlag(f, a)
	o.caps.AddFlags(f, "the whole session")
	cmd.MarkFlagsMutuallyExclusive("adjourn", "base-url")
	o.Show.Flags(f)
	return cmd
}

// Resume goes on with the session that is named, else with the latest that is not closed.
func Resume(a *cli.Env, ctx context.Context, o ResumeOptions, args []string) error {
	if err := o.Show.Check(a); err != nil {
		return err
	}
	if o.Ambiguous != AmbiguousAsk && o.Ambiguous != ambiguousAbsent {
		return site.Refuse("--ambiguous is ask or absent, not "+site.Quote(o.Ambiguous),
			"Leave it out to put the questions again.")
	}
	if _, err := o.caps.Over(council.Budget{}); err != nil {
		return err
	}
	if err := o.moves.check(); err != nil {
		return err
	}
	root, err := recorder.FindRoot(o.Root, a.Layer)
	if err != nil {
		return err
	}
	defer root.Close()
	id, err := unfinished(root, args)
	if err != nil {
		return err
	}
	var damaged error
	if o.adjourn != "" || o.caps.Given() || len(o.moves) > 0 { // before anything of the session is mended
		damaged = site.CheckIntact(a.World, root, id)
	}
	folder, session, err := site.OpenUnfinished(a.World, root, id)
	if err != nil {
		return err
	}
	defer folder.Close()
	reached, moves, err := o.moves.of(*session.Reached(), a.By())
	if err != nil {
		return err
	}
	s := sitting{root: root, folder: folder, session: session, show: o.Show, approve: o.approve,
		batched: o.batched}
	if err := root.MarkUnsettled(id); err != nil {
		return err
	}
	if outcome := session.Ready().Outcome; outcome != nil {
		fmt.Fprintf(a.Out, "Session %s is closed; there is nothing to go on with.\n", id)
		a.AnchorSession(folder) // a crash may have come between the end and its anchor
		if err := folder.Finalize(); err != nil {
			return err
		}
		if err := errors.Join(reportUnheard(a, s), rememberSession(a, ctx, s)); err != nil {
			return err
		}
		return cli.OutcomeCode(*outcome)
	}
	say := sayer(a, o.Show)
	var doubtful []council.Ask
	if o.adjourn == "" {
		reached.Storage.RootDir = root.Path() // the record may have been moved
		if err := cli.CheckRoster(a, ctx, seat.NamedIn(&reached), &reached, false); err != nil {
			return err
		}
		if err := s.undiverged(); err != nil {
			return err
		}
		if doubtful, err = s.doubtful(); err != nil {
			return err
		}
	}
	say("%s", terminal.Fold(terminal.Sprintf("Session %s: %s", id, hostile.Words(session.Topic().Text)),
		terminal.Columns(a.Width)))
	s.abandon = announceDoubtful(a, o, doubtful)
	if damaged != nil {
		a.Warn("Warning: %v. council verify says more.", damaged)
	}
	budget, err := allowance(a, o, root, session)
	if err != nil {
		return err
	}
	var rulings []council.Ruling
	if o.adjourn == "" && budget != session.Budget() || o.caps.Given() {
		if err := seat.Affordable(session.Charter(), budget); err != nil {
			return err
		}
		rulings = append(rulings, council.BudgetAmended{By: a.By(), Budget: budget})
	}
	for _, move := range moves {
		rulings = append(rulings, move)
	}
	if o.adjourn != "" {
		rulings = append(rulings, council.SessionAdjourned{By: a.By(), Reason: site.CutSecrets(o.adjourn)})
	}
	if err := site.Rule(session, folder, rulings...); err != nil {
		return err
	}
	for _, move := range moves {
		say("%s is asked at %s from now on.", terminal.Name(&reached, move.Member), move.BaseURL)
	}
	s.adjourned, s.command = o.adjourn != "", "resume"
	return drive(a, ctx, s)
}

// allowance returns the budget of a session from now on: with the caps that were given, within what the policy allows.
// The error is a [*policy.RefusedError] where more was given.
func allowance(a *cli.Env, o ResumeOptions, root *recorder.Root, session *rules.Session) (council.Budget, error) {
	lawful, err := a.Policy(root.Path())
	if err != nil {
		return council.Budget{}, err
	}
	budget, err := o.caps.Over(session.Budget())
	if err != nil {
		return budget, err
	}
	narrowed, rule := lawful.Narrow(budget)
	if rule != "" && o.caps.Given() {
		return budget, &policy.RefusedError{What: "so large a budget", Rule: rule}
	}
	return narrowed, nil
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
		if s.State == minutes.StateSuspended || s.State == minutes.StateInterrupted {
			return s.ID, nil
		}
	}
	if len(sessions) > 0 && sessions[0].Outcome != nil {
		return sessions[0].ID, nil // it may have been cut off between its end and its files, which are then written
	}
	return "", errors.New("there is no suspended or interrupted session to go on with")
}

// serverMoves are the values of --base-url, each MEMBER=URL.
type serverMoves []string

const moveForm = "Give it as MEMBER=URL, such as bob=http://127.0.0.1:11434/v1. Nothing was done."

// check refuses what no session could take: the error is one of usage.
func (m serverMoves) check() error {
	for _, given := range m {
		if id, _, ok := strings.Cut(given, "="); !ok || strings.Contains(id, "/") {
			return site.Refuse("--base-url names no member before the address", moveForm)
		}
	}
	return nil
}

// of returns the charter with the addresses that were given, and the rulings that are to be recorded: none for an
// address that is in force already. The moves were checked. An address that the member cannot have is a usage error.
func (m serverMoves) of(c council.Charter, by string) (council.Charter, []council.ServerMoved, error) {
	var rulings []council.ServerMoved
	for _, given := range m {
		id, address, _ := strings.Cut(given, "=")
		ruling := council.ServerMoved{By: by, Member: council.MemberID(id), BaseURL: address}
		was := c.Member(ruling.Member)
		moved, err := charter.Move(c, ruling.Member, ruling.BaseURL)
		if err == nil {
			err = site.RefuseSecrets(moved)
		}
		if err != nil {
			return c, nil, site.Refuse(fmt.Sprintf("--base-url cannot move the server of %s: %v", site.Quote(id), err), moveForm)
		}
		if was.Model.BaseURL != address {
			rulings = append(rulings, ruling)
		}
		c = moved
	}
	return c, rulings, nil
}

// What resume does with a question that was put before a crash and has no answer on record.
const (
	AmbiguousAsk    = "ask"
	ambiguousAbsent = "absent"
)

// doubtful lists the open asks that were put before the session was cut off, in the order in which they are asked.
// People are left out: they cost nothing, so asking again does no harm.
func (s sitting) doubtful() ([]council.Ask, error) {
	put, err := s.folder.Ambiguous()
	if err != nil {
		return nil, err
	}
	open := s.session.Ready().Asks
	people := member.AskedOfPeople(s.session.Charter(), open)
	return slices.DeleteFunc(open, func(a council.Ask) bool {
		return !slices.Contains(put, a.ID) || slices.Contains(people, a)
	}), nil
}

// announceDoubtful prints which questions may have been paid for without an answer, and what becomes of them. It
// returns those that are given up.
func announceDoubtful(a *cli.Env, o ResumeOptions, asks []council.Ask) map[council.AskID]bool {
	if len(asks) == 0 {
		return nil
	}
	// Also with --quiet people have to learn that something may be paid for twice.
	fmt.Fprintln(a.Errs, "Asked before the session was cut off; it is not known whether that was paid for:")
	for _, q := range asks {
		a.Warn("  %s of %s (%s)", q.Kind, q.Member, q.ID)
	}
	if o.Ambiguous == AmbiguousAsk {
		fmt.Fprintln(a.Errs, "They are asked again. To go on without these answers: --ambiguous=absent")
		return nil
	}
	fmt.Fprintln(a.Errs, "They are not asked again (--ambiguous=absent), and the record notes it.")
	abandon := map[council.AskID]bool{}
	for _, q := range asks {
		abandon[q.ID] = true
	}
	return abandon
}

// undiverged checks, before anything is written or asked, that the questions that were put before the session was cut
// off are the ones that would be put now.
func (s sitting) undiverged() error {
	for _, q := range s.session.Ready().Asks {
		tape, err := s.folder.Conversation(q.Member)
		if err != nil {
			return err
		}
		if _, _, err := tape.Recall(prompt.NewConversation(prompt.Limits{}).Next(s.session.View(q))); err != nil {
			return err
		}
	}
	return nil
}
