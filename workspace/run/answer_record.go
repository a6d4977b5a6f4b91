package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/site"
)

// AnswerAsk keeps a person's answer to a question that is named as in [listing.Waiting.Choose].
func AnswerAsk(ctx context.Context, w *site.World, root *recorder.Root, id council.SessionID, ask string,
	a Answer) error {
	if err := a.Check(); err != nil {
		return err
	}
	waiting, err := listing.ReadWaiting(root, id)
	if err != nil {
		return err
	}
	q, err := waiting.Choose(ask)
	if err != nil {
		return err
	}
	body, err := a.Body(waiting.Session.View(q))
	if err != nil {
		return err
	}
	return RecordAnswer(ctx, w, root, id, q, body, slices.Contains(waiting.Replied, q))
}

// RecordAnswer puts an answer on the tape of its member, like a model's reply, if the question is still open; a
// changed answer, if the first is still unused.
func RecordAnswer(ctx context.Context, w *site.World, root *recorder.Root, id council.SessionID, ask council.Ask,
	body council.Body, changes bool) (err error) {
	folder, session, err := site.OpenUnfinished(w, root, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	waiting, err := listing.In(root, session)
	if err != nil {
		return err
	}
	if now, err := waiting.Choose(string(ask.ID)); err != nil {
		return err
	} else if now != ask {
		return fmt.Errorf("the question %s was put anew meanwhile: read it again", ask.ID)
	} else if !changes && slices.Contains(waiting.Replied, ask) {
		return fmt.Errorf("%s answered %s meanwhile; --ask %s changes that answer", waiting.Name(ask), ask.ID, ask.Member)
	}
	view := session.View(ask)
	if _, err := session.Answer(council.Reply{Ask: ask.ID, Body: body}); err != nil {
		return fmt.Errorf("the answer cannot be used: %s", problem(err))
	}
	tape, err := folder.Conversation(ask.Member)
	if err != nil {
		return err
	}
	var keeps member.CallLog = tape
	if changes {
		keeps = changing{tape}
	}
	seat := member.NewSeat(member.WithCallLog(member.People(answered{body}), keeps),
		prompt.NewConversation(prompt.Limits{}))
	reply, err := seat.Answer(ctx, view)
	if err == nil && reply.Fault != nil {
		err = reply.Fault
	}
	return err
}

type answered struct{ body council.Body }

func (g answered) Ask(context.Context, council.View) (council.Body, error) { return g.body, nil }

// changing is a tape on which the reply that is there gives way to another.
type changing struct{ *conversation.CallLog }

func (changing) Recall(*prompt.Prompt) (c prompt.Completion, known bool, err error) {
	return c, false, nil
}

func (changing) Asked(*prompt.Prompt) error { return nil }

func (t changing) Answered(p *prompt.Prompt, c prompt.Completion) error { return t.Replace(p, c) }
