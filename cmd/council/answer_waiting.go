package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// waiting is a session with the questions that it has put to people.
type waiting struct {
	root    *recorder.Root
	id      council.SessionID
	session *rules.Session
	open    []council.Ask // without an answer
	replied []council.Ask // answered; the answers go on the log when the session goes on
}

func waitingIn(root *recorder.Root, s *rules.Session) (w waiting, err error) {
	w = waiting{root: root, id: s.ID(), session: s}
	asks := member.AskedOfPeople(s.Charter(), s.Ready().Asks)
	if w.replied, err = root.Replied(w.id, asks); err != nil {
		return waiting{}, err
	}
	w.open = slices.DeleteFunc(asks, func(q council.Ask) bool { return slices.Contains(w.replied, q) })
	return w, nil
}

// readWaiting is waitingIn for a session that has not been read yet.
func readWaiting(root *recorder.Root, id council.SessionID) (waiting, error) {
	session, err := site.Replay(root, id)
	if err != nil {
		return waiting{}, err
	}
	return waitingIn(root, session)
}

// findWaiting reads the session that was named, else the newest that waits for somebody.
func findWaiting(a *cli.Env, root *recorder.Root, args []string) (waiting, error) {
	if len(args) == 1 {
		id, err := root.Find(args[0])
		if err != nil {
			return waiting{}, err
		}
		return readWaiting(root, id)
	}
	all, err := allWaiting(a, root)
	if err != nil {
		return waiting{}, err
	}
	if len(all) == 0 {
		return waiting{}, fmt.Errorf("no session in %s waits for a person", root.Path())
	}
	if i := slices.IndexFunc(all, func(w waiting) bool { return len(w.open) > 0 }); i >= 0 {
		return all[i], nil
	}
	return all[0], nil // the message is that it goes on
}

// allWaiting reads the sessions that have put questions to people, newest first. One that cannot be read hides no
// other.
func allWaiting(a *cli.Env, root *recorder.Root) ([]waiting, error) {
	sessions, err := root.List()
	if err != nil {
		return nil, err
	}
	var all []waiting
	for _, s := range sessions {
		if s.State != minutes.StateSuspended && s.State != minutes.StateInterrupted &&
			s.State != minutes.StateRunning {
			continue
		}
		w, err := readWaiting(root, s.ID)
		if err != nil {
			a.Warn("Session %s was left out: %s", s.ID, hostile.Words(err.Error()))
		} else if len(w.open)+len(w.replied) > 0 {
			all = append(all, w)
		}
	}
	return all, nil
}

func listWaiting(a *cli.Env, root *recorder.Root, args []string) (err error) {
	all := make([]waiting, 1)
	if len(args) == 1 {
		all[0], err = findWaiting(a, root, args)
	} else {
		all, err = allWaiting(a, root)
	}
	if err != nil {
		return err
	}
	l := cli.NewList(a, false, "SESSION", "WHO", "QUESTION", "STATE")
	for _, w := range all {
		for _, q := range w.open {
			l.Add(nil, w.id, w.name(q), q.ID, "waits for an answer")
		}
		for _, q := range w.replied {
			l.Add(nil, w.id, w.name(q), q.ID,
				"answered; goes on with council resume, and --ask "+string(q.Member)+" changes it")
		}
	}
	return l.Print("Nobody is waited for.")
}

// line returns the command line of a verb on the session.
func (w waiting) line(verb string) string {
	return site.CommandLine(w.root, "council "+verb+" "+w.root.Short(w.id))
}

// name returns the name of the person to whom a question was put.
func (w waiting) name(q council.Ask) string {
	return terminal.Line(w.session.Charter().Asked(q.Member).Name)
}

// names lists the people to whom questions were put: "Kim", "Kim and Ann".
func (w waiting) names(asks []council.Ask) string {
	var names []string
	for _, q := range asks {
		names = append(names, w.name(q))
	}
	return site.And(names)
}

// meant returns the index of the question that is meant by its id, by the id or the name of its member, or by a
// beginning that only one of them has; in any case. -1: there is none, or several.
func (w waiting) meant(asks []council.Ask, name string) int {
	if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
		return -1
	}
	names := func(q council.Ask) []string {
		return []string{string(q.ID), string(q.Member), strings.ToLower(w.name(q))}
	}
	if i := slices.IndexFunc(asks, func(q council.Ask) bool { return slices.Contains(names(q), name) }); i >= 0 {
		return i
	}
	found := -1
	for i, q := range asks {
		if slices.ContainsFunc(names(q), func(one string) bool { return strings.HasPrefix(one, name) }) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// choose finds the question that is meant, see meant: an open one, or one whose answer nobody has used yet. Without a
// name it is the only open one there is.
func (w waiting) choose(name string) (council.Ask, error) {
	if name == "" && len(w.open) == 1 {
		return w.open[0], nil
	}
	var ids, members []string
	for _, q := range w.open {
		ids, members = append(ids, string(q.ID)), append(members, string(q.Member))
	}
	if i := w.meant(w.open, name); i >= 0 {
		return w.open[i], nil
	}
	none := council.Ask{}
	if name == "" && len(w.open) > 0 {
		return none, site.Refuse(fmt.Sprintf("session %s waits for %s", w.id, w.names(w.open)),
			"Say who answers: --ask "+strings.Join(members, " or --ask ")+".")
	}
	if name == "" {
		return none, w.noQuestion()
	}
	if i := w.meant(w.replied, name); i >= 0 {
		return w.replied[i], nil // whose answer can be changed until the session goes on
	}
	if m := w.session.Charter().Asked(council.MemberID(name)); m != nil && !m.Model.Kind().Person {
		return none, fmt.Errorf("%s is not a person: %s asks it", terminal.Line(m.Name), w.line("resume"))
	}
	for _, e := range w.session.Events() {
		if r, ok := e.Answered(); ok && string(r.Ask) == name {
			return none, fmt.Errorf("the question %s was settled by event e%d, and an answer changes nothing any more",
				site.Quote(name), e.Seq)
		}
	}
	if len(w.open) == 0 {
		return none, w.noQuestion()
	}
	return none, site.Refuse(fmt.Sprintf("session %s waits for no answer to %s", w.id, site.Quote(name)),
		"It waits for: "+strings.Join(ids, ", ")+".")
}

func (w waiting) noQuestion() error {
	switch {
	case w.session.Ready().Outcome != nil:
		return fmt.Errorf("session %s is closed: nobody is asked any more", w.id)
	case len(w.replied) > 0:
		return fmt.Errorf("session %s waits for nobody: %s answered already; it goes on with: %s", w.id, w.names(w.replied),
			w.line("resume"))
	}
	return fmt.Errorf("session %s waits for no person; it goes on with: %s", w.id, w.line("resume"))
}

// people returns a dialogue with those members of a session who can be asked at this terminal, or nil when there are
// none.
func dialogueFor(a *cli.Env, s *rules.Session) *terminal.Dialogue {
	seats := 0
	for _, m := range s.Charter().Answering() {
		if m.Model.Kind().Person {
			seats++
		}
	}
	if seats == 0 || !a.Asked() {
		return nil
	}
	talk := newDialogue(a)
	talk.Live, talk.Shared = council.Seq(len(s.Events())), seats > 1
	return talk
}

// newDialogue returns a dialogue at this terminal, with the editor of the person who sits there.
func newDialogue(a *cli.Env) *terminal.Dialogue {
	talk := terminal.NewDialogue(a.Keys(), a.Out)
	talk.Width = a.Width
	getenv := func(name string) string {
		if name == "EDITOR" {
			return cmp.Or(a.Getenv(name), cli.EditorCommand(a))
		}
		return a.Getenv(name)
	}
	talk.Edit = terminal.Editor(getenv, a.In, cli.Stream(a.Out), cli.Stream(a.Errs))
	return talk
}
