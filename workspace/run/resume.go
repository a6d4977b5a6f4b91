package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Unfinished names the latest session that is not closed.
const Unfinished = "unfinished"

// Resumption asks for a session to go on.
type Resumption struct {
	Root    string             // folder of the record
	Session string             // id, its beginning, "latest" or [Unfinished]
	Adjourn string             // why it is closed as it is, without a further question; "": it goes on
	Absent  bool               // questions in doubt are not put again
	Without []council.MemberID // are excluded
	Caps    site.Caps
	Moves   []string // at which addresses members are asked from now on, each MEMBER=URL
	Hold
}

// Resume goes on with a session until it is closed or suspended.
func Resume(ctx context.Context, w *site.World, r *Resumption, face Face) (engine.Result, error) {
	var none engine.Result
	moves, err := readMoves(r.Moves, w.User().Name())
	if err != nil {
		return none, err
	}
	root, err := recorder.FindRoot(r.Root, w.Layer)
	if err != nil {
		return none, err
	}
	defer root.Close()
	id, err := FindUnfinished(root, r.Session)
	if err != nil {
		return none, err
	}
	var damaged error
	if r.Adjourn != "" || r.Caps.Given() || len(r.Moves)+len(r.Without) > 0 { // before anything of the session is mended
		damaged = site.CheckIntact(w, root, id)
	}
	folder, session, err := site.OpenUnfinished(w, root, id)
	if err != nil {
		return none, err
	}
	defer folder.Close()
	reached, moves, err := moveServers(*session.Reached(), moves)
	if err != nil {
		return none, err
	}
	s := &Session{Root: root, Folder: folder, Session: session, hold: r.Hold}
	if err := root.Unsettled.Mark(id); err != nil {
		return none, err
	}
	if outcome := session.Ready().Outcome; outcome != nil {
		face.Closed(s)
		w.AnchorSession(folder) // a crash may have come between the end and its anchor
		if err := folder.Finalize(); err != nil {
			return none, err
		}
		return engine.Result{Outcome: outcome}, s.finish(ctx, w, face)
	}
	excluded := func(m council.MemberID) bool { return session.Excluded(m) || slices.Contains(r.Without, m) }
	var doubtful []council.Ask
	if r.Adjourn == "" {
		reached.Storage.RootDir = root.Path() // the record may have been moved
		reached.Members = slices.DeleteFunc(slices.Clone(reached.Members),
			func(m council.Member) bool { return excluded(m.ID) })
		if err := seat.CheckRoster(ctx, w, r.Trust, seat.NamedIn(&reached), &reached); err != nil {
			return none, err
		}
		if err := s.checkPromptsUnchanged(); err != nil {
			return none, err
		}
		if doubtful, err = s.ambiguousAsks(excluded); err != nil {
			return none, err
		}
	}
	if r.Absent {
		s.abandon = map[council.AskID]bool{}
		for _, q := range doubtful {
			s.abandon[q.ID] = true
		}
	}
	face.GoesOn(s)
	s.warnDoubtful(w, doubtful)
	if damaged != nil {
		w.Warn("Warning: %v. council verify says more.", damaged)
	}
	rulings, err := r.rulings(w, s, moves)
	if err == nil {
		err = site.Rule(session, folder, rulings...)
	}
	if err != nil {
		return none, err
	}
	for _, move := range moves {
		face.Moved(&reached, move)
	}
	s.adjourned, s.command = r.Adjourn != "", "resume"
	return s.drive(ctx, w, face)
}

// rulings returns the rulings before the session goes on, among them that on the budget from now on: the caps that were
// given, within what the policy allows. The error is a [*policy.RefusedError] where more was given.
func (r *Resumption) rulings(w *site.World, s *Session, moves []council.ServerMoved) (all []council.Ruling, err error) {
	lawful, err := w.Policy(s.Root.Path())
	if err != nil {
		return nil, err
	}
	by := w.User().Name()
	if len(r.Without) > 0 { // first: it may be refused
		all = append(all, council.MembersExcluded{By: by, Members: r.Without})
	}
	budget, rule := lawful.Narrow(r.Caps.Over(s.Budget()))
	if rule != "" && r.Caps.Given() {
		return nil, &policy.RefusedError{What: "so large a budget", Rule: rule}
	}
	if r.Adjourn == "" && budget != s.Budget() || r.Caps.Given() {
		if err := seat.Affordable(s.Charter(), budget); err != nil {
			return nil, err
		}
		all = append(all, council.BudgetAmended{By: by, Budget: budget})
	}
	all = append(all, council.Map(moves, func(m council.ServerMoved) council.Ruling { return m })...)
	if r.Adjourn != "" {
		all = append(all, council.SessionAdjourned{By: by, Reason: site.CutSecrets(r.Adjourn)})
	}
	return all, nil
}

// FindUnfinished returns the session of a name; of [Unfinished] the latest that is not closed.
func FindUnfinished(root *recorder.Root, name string) (council.SessionID, error) {
	if name != Unfinished {
		return root.Find(name)
	}
	sessions, err := root.List()
	goesOn := slices.IndexFunc(sessions, func(s recorder.Summary) bool {
		return s.State == minutes.StateSuspended || s.State == minutes.StateInterrupted
	})
	switch {
	case err != nil:
		return "", err
	case goesOn >= 0:
		return sessions[goesOn].ID, nil
	case len(sessions) > 0 && sessions[0].Outcome != nil:
		return sessions[0].ID, nil // it may have been cut off between its end and its files, which are then written
	}
	return "", errors.New("there is no suspended or interrupted session to go on with")
}

const moveForm = "Give it as MEMBER=URL, such as bob=http://127.0.0.1:11434/v1. Nothing was done."

// readMoves reads moves of servers. One that no session could take is a usage error.
func readMoves(given []string, by string) (all []council.ServerMoved, err error) {
	for _, one := range given {
		id, address, ok := strings.Cut(one, "=")
		if !ok || strings.Contains(id, "/") {
			return nil, site.Refuse("--base-url names no member before the address", moveForm)
		}
		all = append(all, council.ServerMoved{By: by, Member: council.MemberID(id), BaseURL: address})
	}
	return all, nil
}

// moveServers returns the charter with other addresses, and the moves to those that are not in force already. An
// address that the member cannot have is a usage error.
func moveServers(c council.Charter, moves []council.ServerMoved) (_ council.Charter, anew []council.ServerMoved,
	err error) {
	for _, m := range moves {
		was := c.Member(m.Member)
		if c, err = charter.MoveServer(c, m.Member, m.BaseURL); err == nil {
			err = site.RefuseSecrets(c)
		}
		if err != nil {
			return c, nil, site.Refuse(fmt.Sprintf("--base-url cannot move the server of %s: %v",
				site.Quote(string(m.Member)), err), moveForm)
		}
		if was.Model.BaseURL != m.BaseURL {
			anew = append(anew, m)
		}
	}
	return c, anew, nil
}

// ambiguousAsks lists the open asks that were put before the session was cut off, in the order in which they are asked.
// Members that are excluded are left out, and so are people: they cost nothing, so asking again does no harm.
func (s *Session) ambiguousAsks(excluded func(council.MemberID) bool) ([]council.Ask, error) {
	put, err := s.Folder.Ambiguous()
	if err != nil {
		return nil, err
	}
	open := s.Ready().Asks
	people := member.AskedOfPeople(s.Charter(), open)
	return slices.DeleteFunc(open, func(a council.Ask) bool {
		return !slices.Contains(put, a.ID) || slices.Contains(people, a) || excluded(a.Member)
	}), nil
}

// warnDoubtful warns of questions that may have been paid for without an answer, and says whether they are put again:
// also where nothing else is shown people have to learn that something may be paid for twice.
func (s *Session) warnDoubtful(w *site.World, asks []council.Ask) {
	if len(asks) == 0 {
		return
	}
	w.Warn("Asked before the session was cut off; it is not known whether that was paid for:")
	for _, q := range asks {
		w.Warn("  %s of %s (%s)", q.Kind, q.Member, q.ID)
	}
	if s.abandon == nil {
		w.Warn("They are asked again. To go on without these answers: --ambiguous=absent")
	} else {
		w.Warn("They are not asked again (--ambiguous=absent), and the record notes it.")
	}
}

// checkPromptsUnchanged checks, before anything is written or asked, that the questions that were put before the
// session was cut off are the ones that would be put now.
func (s *Session) checkPromptsUnchanged() error {
	for _, q := range s.Ready().Asks {
		tape, err := s.Folder.Conversation(q.Member)
		if err != nil {
			return err
		}
		if _, _, err := tape.Recall(prompt.NewConversation(prompt.Limits{}).Next(s.View(q))); err != nil {
			return err
		}
	}
	return nil
}
