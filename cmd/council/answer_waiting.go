package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// waiting is a session with the questions that it has put to people.
type waiting struct {
	root    *recorder.Root
	id      council.SessionID
	session *rules.Session
	open    []council.Ask // nobody has answered these
	replied []council.Ask // these are answered, and go on the log when the session goes on
}

// line is the command line of a verb on the session.
func (w waiting) line(verb string) string {
	return cli.CommandLine(w.root, "council "+verb+" "+string(w.id))
}

// waitingSession reads how a session waits.
func (a *app) waitingSession(root *recorder.Root, id council.SessionID) (waiting, error) {
	session, err := replay(root, id)
	if err != nil {
		return waiting{}, err
	}
	return waitingIn(root, session)
}

// findWaiting reads the session that was named, else the newest that waits for somebody.
func (a *app) findWaiting(root *recorder.Root, args []string) (waiting, error) {
	if len(args) == 1 {
		id, err := root.Find(args[0])
		if err != nil {
			return waiting{}, err
		}
		return a.waitingSession(root, id)
	}
	all, err := a.allWaiting(root)
	if err != nil {
		return waiting{}, err
	}
	for _, w := range all {
		if len(w.open) > 0 {
			return w, nil
		}
	}
	if len(all) > 0 {
		return all[0], nil // which says that it goes on
	}
	return waiting{}, fmt.Errorf("no session in %s waits for a person", root.Path())
}

// allWaiting reads the sessions that have put questions to people, newest first. One that cannot be read hides no other.
func (a *app) allWaiting(root *recorder.Root) ([]waiting, error) {
	sessions, err := root.List()
	if err != nil {
		return nil, err
	}
	var all []waiting
	for _, s := range sessions {
		if s.Status != recorder.StatusSuspended && s.Status != recorder.StatusInterrupted && s.Status != recorder.StatusRunning {
			continue
		}
		w, err := a.waitingSession(root, s.ID)
		if err != nil {
			a.Warn("Session %s was left out: %s", s.ID, terminal.Words(err.Error()))
			continue
		}
		if len(w.open)+len(w.replied) > 0 {
			all = append(all, w)
		}
	}
	return all, nil
}

// listWaiting prints who is waited for.
func (a *app) listWaiting(root *recorder.Root, args []string) error {
	var all []waiting
	var err error
	if len(args) == 1 {
		w, failed := a.findWaiting(root, args)
		all, err = []waiting{w}, failed
	} else {
		all, err = a.allWaiting(root)
	}
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	told := false
	line := func(w waiting, a council.Ask, state string) {
		if !told {
			fmt.Fprintln(out, "SESSION\tWHO\tQUESTION\tSTATE")
		}
		told = true
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", w.id, w.name(a), a.ID, state)
	}
	for _, w := range all {
		for _, a := range w.open {
			line(w, a, "waits for an answer")
		}
		for _, a := range w.replied {
			line(w, a, "answered; goes on with council resume")
		}
	}
	if !told {
		fmt.Fprintln(a.Out, "Nobody is waited for.")
	}
	return out.Flush()
}

// name is what the person is called to whom a question was put.
func (w waiting) name(a council.Ask) string {
	return terminal.Line(w.session.Charter().Member(a.Member).Name)
}

// memberNames says who is meant by questions: "Kim", "Kim and Ann".
func memberNames(c *council.Charter, asks []council.Ask) string {
	var names []string
	for _, a := range asks {
		names = append(names, terminal.Line(c.Member(a.Member).Name))
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// choose finds the open question that is meant, by its id or by its member. Without a name it is the only one there is.
func (w waiting) choose(name string) (council.Ask, error) {
	if name == "" {
		switch len(w.open) {
		case 0:
			return council.Ask{}, w.nobody()
		case 1:
			return w.open[0], nil
		}
		var ids []string
		for _, a := range w.open {
			ids = append(ids, string(a.Member))
		}
		return council.Ask{}, cli.Refuse(fmt.Sprintf("session %s waits for %s", w.id, memberNames(w.session.Charter(), w.open)),
			"Say who answers: --ask "+strings.Join(ids, " or --ask ")+".")
	}
	is := func(a council.Ask) bool { return string(a.ID) == name || string(a.Member) == name }
	if i := slices.IndexFunc(w.open, is); i >= 0 {
		return w.open[i], nil
	}
	return council.Ask{}, w.closed(name, is)
}

// nobody says why a session waits for no person.
func (w waiting) nobody() error {
	switch ready := w.session.Ready(); {
	case ready.Outcome != nil:
		return fmt.Errorf("session %s is closed: nobody is asked any more", w.id)
	case len(w.replied) > 0:
		return fmt.Errorf("session %s waits for nobody: %s answered already; it goes on with: %s", w.id,
			memberNames(w.session.Charter(), w.replied), w.line("resume"))
	}
	return fmt.Errorf("session %s waits for no person; it goes on with: %s", w.id, w.line("resume"))
}

// closed says why a question that was named is not open.
func (w waiting) closed(name string, is func(council.Ask) bool) error {
	if i := slices.IndexFunc(w.replied, is); i >= 0 {
		return fmt.Errorf("%s answered %s already; the session goes on with: %s", w.name(w.replied[i]), w.replied[i].ID, w.line("resume"))
	}
	if m := w.session.Charter().Member(council.MemberID(name)); m != nil && !m.Model.Kind().Person {
		return fmt.Errorf("%s is not a person: %s asks it", terminal.Line(m.Name), w.line("resume"))
	}
	for _, e := range w.session.Events() {
		if a, ok := e.Answered(); ok && string(a.Ask) == name {
			return fmt.Errorf("the question %s was settled by event e%d, and an answer changes nothing any more", cli.Quote(name), e.Seq)
		}
	}
	if len(w.open) == 0 {
		return w.nobody()
	}
	var ids []string
	for _, a := range w.open {
		ids = append(ids, string(a.ID))
	}
	return cli.Refuse(fmt.Sprintf("session %s waits for no answer to %s", w.id, cli.Quote(name)), "It waits for: "+strings.Join(ids, ", ")+".")
}

// people reaches those members of a session that is about to run who can be asked at this terminal. Nil: nobody can.
func (a *app) people(s *rules.Session) *terminal.Dialogue {
	seats := 0
	for _, m := range s.Charter().Members {
		if m.Model.Kind().Person {
			seats++
		}
	}
	if seats == 0 || !a.Asked() {
		return nil
	}
	talk := a.newDialogue()
	talk.Live, talk.Shared = council.Seq(len(s.Events())), seats > 1
	return talk
}

// newDialogue is one at the desk's terminal, with the editor of whoever sits there.
func (a *app) newDialogue() *terminal.Dialogue {
	talk := terminal.NewDialogue(a.keys(), a.Out)
	talk.Width = a.Width
	if e := terminal.EditorOf(a.Getenv, a.In, a.Out, a.Errs); e != nil {
		talk.Edit = e.Edit
	}
	return talk
}

// awaited says for whom a suspended session waits, and how they answer.
func (a *app) awaited(root *recorder.Root, s *rules.Session) (string, error) {
	w, err := waitingIn(root, s)
	if err != nil {
		return "", err
	}
	return terminal.Sprintf("The session waits for %s. Nothing is lost.\nAnswer with: %s\nand then go on with: %s",
		memberNames(s.Charter(), w.open), w.line("answer"), w.line("resume")), nil
}

// waitingIn reads how a session waits whose log is known.
func waitingIn(root *recorder.Root, s *rules.Session) (w waiting, err error) {
	w = waiting{root: root, id: s.ID(), session: s}
	asks := member.AskedOfPeople(s.Charter(), s.Ready().Asks)
	if w.replied, err = root.Replied(w.id, asks); err != nil {
		return waiting{}, err
	}
	w.open = slices.DeleteFunc(asks, func(a council.Ask) bool { return slices.Contains(w.replied, a) })
	return w, nil
}
