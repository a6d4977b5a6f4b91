package main

import (
	"context"

	"github.com/council-engine/council/cmd/council/answering"
	"github.com/council-engine/council/cmd/council/approving"
	"github.com/council-engine/council/council"
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

// approvals is where briefs are ruled on.
func (a *app) approvals() approving.Desk {
	return approving.Desk{
		Desk: a.desk(), Keyboard: a.keyboard && a.terminal, Look: look, Reopen: a.reopen,
		Remember: func(ctx context.Context, root *recorder.Root, folder *recorder.Session, s *rules.Session) error {
			return a.remember(ctx, sitting{root: root, folder: folder, session: s, show: display{quiet: true}})
		},
	}
}

// keys are those of the one keyboard there is.
func (a *app) keys() *answering.Keyboard {
	if a.typed == nil {
		a.typed = answering.NewKeyboard(a.stdin)
		a.typed.Pause = a.pause
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
