package listing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/names"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// Waiting is a session with the questions that it has put to people.
type Waiting struct {
	root    *recorder.Root
	ID      council.SessionID
	Session *rules.Session
	Open    []council.Ask // without an answer
	Replied []council.Ask // answered; the answers go on the log when the session goes on
}

// In returns the questions of a session that wait for people.
func In(root *recorder.Root, s *rules.Session) (w Waiting, err error) {
	w = Waiting{root: root, ID: s.ID(), Session: s}
	asks := member.AskedOfPeople(s.Charter(), s.Ready().Asks)
	kept, err := root.Unrecorded(w.ID, nil)
	if err != nil {
		return Waiting{}, err
	}
	w.Replied = kept.Replied(asks)
	w.Open = slices.DeleteFunc(asks, func(q council.Ask) bool { return slices.Contains(w.Replied, q) })
	return w, nil
}

// ReadWaiting is waitingIn for a session that has not been read yet.
func ReadWaiting(root *recorder.Root, id council.SessionID) (Waiting, error) {
	session, err := site.Replay(root, id)
	if err != nil {
		return Waiting{}, err
	}
	return In(root, session)
}

// Line returns the command line of a verb on the session.
func (w Waiting) Line(verb string) string {
	return site.CommandLine(w.root, "council "+verb+" "+w.root.Short(w.ID))
}

// Name returns the name of the person to whom a question was put.
func (w Waiting) Name(q council.Ask) string {
	return hostile.Label(w.Session.Charter().Asked(q.Member).Name)
}

// Names lists the people to whom questions were put: "Kim", "Kim and Ann".
func (w Waiting) Names(asks []council.Ask) string {
	var names []string
	for _, q := range asks {
		names = append(names, w.Name(q))
	}
	return site.And(names)
}

// meant returns the index of the question with an id, or with a member of this id or name, see [names.Meant].
func (w Waiting) meant(asks []council.Ask, name string) int {
	return names.Meant(name, asks, func(q council.Ask) []string {
		return []string{string(q.ID), string(q.Member), w.Name(q)}
	})
}

// Choose finds the question that is meant, see meant: an open one, or one whose answer nobody has used yet. Without a
// name it is the only open one there is.
func (w Waiting) Choose(name string) (council.Ask, error) {
	if name == "" && len(w.Open) == 1 {
		return w.Open[0], nil
	}
	var ids, members []string
	for _, q := range w.Open {
		ids, members = append(ids, string(q.ID)), append(members, string(q.Member))
	}
	if i := w.meant(w.Open, name); i >= 0 {
		return w.Open[i], nil
	}
	none := council.Ask{}
	if name == "" && len(w.Open) > 0 {
		return none, site.Refuse(fmt.Sprintf("session %s waits for %s", w.ID, w.Names(w.Open)),
			"Say who answers: --ask "+strings.Join(members, " or --ask ")+".")
	}
	if name == "" {
		return none, w.noQuestion()
	}
	if i := w.meant(w.Replied, name); i >= 0 {
		return w.Replied[i], nil // whose answer can be changed until the session goes on
	}
	if m := w.Session.Charter().Asked(council.MemberID(name)); m != nil && !m.Model.Kind().Person {
		return none, fmt.Errorf("%s is not a person: %s asks it", hostile.Label(m.Name), w.Line("resume"))
	}
	for _, e := range w.Session.Events() {
		if r, ok := e.Answered(); ok && string(r.Ask) == name {
			return none, fmt.Errorf("the question %s was settled by event e%d, and an answer changes nothing any more",
				site.Quote(name), e.Seq)
		}
	}
	if len(w.Open) == 0 {
		return none, w.noQuestion()
	}
	return none, site.Refuse(fmt.Sprintf("session %s waits for no answer to %s", w.ID, site.Quote(name)),
		"It waits for: "+strings.Join(ids, ", ")+".")
}

func (w Waiting) noQuestion() error {
	switch {
	case w.Session.Ready().Outcome != nil:
		return fmt.Errorf("session %s is closed: nobody is asked any more", w.ID)
	case len(w.Replied) > 0:
		return fmt.Errorf("session %s waits for nobody: %s answered already; it goes on with: %s", w.ID, w.Names(w.Replied),
			w.Line("resume"))
	}
	return fmt.Errorf("session %s waits for no person; it goes on with: %s", w.ID, w.Line("resume"))
}
