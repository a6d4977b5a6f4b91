package answering

import (
	"slices"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// People reaches those members of a session that is about to run who can be asked at this terminal. Nil: nobody can.
func (d Desk) People(s *rules.Session) *Dialogue {
	seats := 0
	for _, m := range s.Charter().Members {
		if m.Model.Kind().Person {
			seats++
		}
	}
	if seats == 0 || !d.Keyboard {
		return nil
	}
	talk := d.newDialogue()
	talk.Live, talk.Shared = council.Seq(len(s.Events())), seats > 1
	return talk
}

// newDialogue is one at the desk's terminal, with the editor of whoever sits there.
func (d Desk) newDialogue() *Dialogue {
	talk := NewDialogue(d.Keys, d.Out)
	talk.Width = d.Width
	if e := EditorOf(d.Getenv, d.In, d.Out, d.Errs); e != nil {
		talk.Edit = e.Edit
	}
	return talk
}

// Awaited says for whom a suspended session waits, and how they answer.
func (d Desk) Awaited(root *recorder.Root, s *rules.Session) (string, error) {
	w, err := waitingIn(root, s)
	if err != nil {
		return "", err
	}
	return terminal.Sprintf("The session waits for %s. Nothing is lost.\nAnswer with: %s\nand then go on with: %s",
		Names(s.Charter(), w.open), w.line("answer"), w.line("resume")), nil
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
