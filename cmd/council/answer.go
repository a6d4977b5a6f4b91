package main

import (
	"context"
	"slices"

	"github.com/council-engine/council/cmd/council/answering"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/human"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// answers is where people answer.
func (a *app) answers() answering.Desk {
	return answering.Desk{
		Desk: a.desk(), Keyboard: a.keyboard && a.terminal, Keys: a.keys(), Signals: a.signals, Look: look, Reopen: a.reopen,
		Resume: func(ctx context.Context, root string, id council.SessionID) error {
			return a.resume(ctx, resumeOptions{root: root, ambiguous: ambiguousAsk}, []string{string(id)})
		},
	}
}

// keys are those of the one keyboard there is.
func (a *app) keys() *answering.Keyboard {
	if a.typed == nil {
		a.typed = answering.NewKeyboard(a.stdin)
	}
	return a.typed
}

// look rebuilds a session from its log and changes nothing.
func look(root *recorder.Root, id council.SessionID) (*rules.Session, error) {
	entries, err := root.Read(id)
	if err != nil {
		return nil, err
	}
	return rules.Replay(events(entries))
}

// people reaches those who sit at this terminal while a session runs; nil when nobody can be asked there.
func (a *app) people(s sitting) *answering.Dialogue {
	seats := 0
	for _, m := range s.session.Charter().Members {
		if m.Model.Provider == human.Provider {
			seats++
		}
	}
	if seats == 0 || !a.keyboard || !a.terminal || s.show.later || s.show.json || s.show.quiet {
		return nil
	}
	talk := answering.NewDialogue(a.keys(), a.stdout)
	if e := answering.EditorOf(a.getenv, a.stdin, a.stdout, a.stderr); e != nil {
		talk.Edit = e.Edit
	}
	talk.Live, talk.Shared = council.Seq(len(s.session.Events())), seats > 1
	return talk
}

// awaited says for whom a suspended session waits, and how they answer.
func awaited(s sitting) (string, error) {
	c, id := s.session.Charter(), s.session.ID()
	asks := human.Waiting(c, s.session.Ready().Asks)
	replied, err := s.root.Replied(id, asks)
	if err != nil {
		return "", err
	}
	return terminal.Sprintf("The session waits for %s. Nothing is lost.\nAnswer with: council answer %s\nand then go on with: council resume %s",
		answering.Names(c, without(asks, replied)), id, id), nil
}

// without are the asks that are not among others.
func without(asks, others []council.Ask) []council.Ask {
	return slices.DeleteFunc(asks, func(a council.Ask) bool { return slices.Contains(others, a) })
}
