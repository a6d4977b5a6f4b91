package run

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Afterwards puts questions to members of closed sessions.
type Afterwards struct {
	World *site.World
	Root  *recorder.Root
	Trust seat.TrustGate
	Cut   func(council.Topic)                 // prints the cuts of a question
	Waits func(*council.Charter, member.Wait) // prints a wait
}

// Dialogue is a conversation with a member of a closed session.
type Dialogue struct {
	Afterwards
	Name    string             // of the member
	About   conversation.After // the conversation
	charter *council.Charter
	view    council.View // of the close
	calls   *conversation.CallLog
	seat    *member.Seat
}

// Hold calls do with the conversation that about names. Without an id that is the last one with the member of the
// session if goOn is true, else a new one.
func (a Afterwards) Hold(ctx context.Context, about conversation.After, goOn bool,
	do func(context.Context, *Dialogue) error) error {
	session, err := site.Replay(a.Root, about.Session)
	if err != nil {
		return err
	}
	d := Dialogue{Afterwards: a, charter: session.Charter()}
	seats := d.charter.Seats()
	i := slices.IndexFunc(d.charter.Members, func(m council.Member) bool {
		return m.ID == about.Member || strings.EqualFold(m.Name, string(about.Member))
	})
	if i < 0 {
		return site.Refuse("the session has no member "+site.Quote(string(about.Member)),
			site.DidYouMean(string(about.Member), seats, "Its members are "+site.Join(seats))+".")
	}
	m, closed := d.charter.Members[i], false
	about.Member = m.ID
	d.Name = hostile.Label(m.Name)
	switch d.view, closed = session.After(m.ID); {
	case !closed:
		return fmt.Errorf("session %s is not closed: its members are asked in the session, and afterwards by council ask",
			about.Session)
	case m.Model.Kind().Person:
		return fmt.Errorf("%s is a person: ask them yourself", d.Name)
	case !slices.ContainsFunc(session.Events(), func(e council.Event) bool { return e.Actor == m.ID && e.Body() != nil }):
		return fmt.Errorf("%s never spoke in session %s, so there is no conversation to go on with", d.Name, about.Session)
	case m.Model.Kind().Rehearse:
		a.World.Warn("%s is a rehearsal: it quotes the documents, and judges nothing.", d.Name)
	}
	if err := site.CheckIntact(a.World, a.Root, about.Session); err != nil {
		return err
	}
	if _, err := a.World.AnnouncePolicy(a.Root); err != nil {
		return err
	}
	reached := *session.Reached()
	reached.Storage.RootDir = a.Root.Path()
	if err := a.Trust.Pass(ctx, seat.NamedIn(&reached), &reached); err != nil { // it is trusted as a whole
		return err
	}
	reached.Members = []council.Member{*reached.Member(m.ID)}
	if err := seat.CheckRoster(ctx, a.World, a.Trust, nil, &reached); err != nil {
		return err
	}
	if about.ID == "" {
		if about, err = a.last(about, goOn); err != nil {
			return err
		}
	}
	r := seat.RosterOf(a.World, a.Root.Path())
	defer r.Close()
	r.Remember(a.Root.Files())
	ctx, release := a.World.Stoppable(ctx)
	defer release()
	ctx = member.WithListener(ctx, member.Listener{Wait: func(w member.Wait) { a.Waits(d.charter, w) }})
	return a.Root.Conversations().With(about, a.World.Now, func(calls *conversation.CallLog) error {
		d.About, d.calls = about, calls
		if d.seat, err = r.After(session, m.ID, calls); err != nil {
			return err
		}
		return do(ctx, &d)
	})
}

// last returns the conversation about a session with a member that was used last if goOn is true, else a new one.
func (a Afterwards) last(about conversation.After, goOn bool) (conversation.After, error) {
	all, err := a.Root.Conversations().List()
	for _, one := range all {
		if goOn && one.Session == about.Session && one.Member == about.Member && !one.Archived {
			return one, errors.Join(err, one.Err)
		}
	}
	drawn := make([]byte, 4)
	_, failed := io.ReadFull(a.World.Random, drawn)
	// A record that is in no list of workspaces has no id.
	about.ID, about.Workspace = hex.EncodeToString(drawn), cmp.Or(registry.IDIn(a.Root.Path()), "here")
	return about, errors.Join(err, failed)
}

// Ask puts a question to the member, and returns the answer with its cost in words. The last question, put again, is
// the same one: an answer that is kept is not paid for again.
func (d *Dialogue) Ask(ctx context.Context, question string) (answer, cost string, err error) {
	question, cut, err := site.ComposeNote(d.World, d.Root, "question", question, council.MaxNote)
	if err != nil {
		return "", "", err
	}
	d.Cut(cut)
	v, events := d.view, d.calls.Events(d.view.Ask.AsOf)
	asked := func(back int) string { // the question of the last event or the one before; "" for none
		var p council.QuestionPut
		if n := len(events) - back; n >= 0 {
			p, _ = events[n].Payload.(council.QuestionPut)
		}
		return p.Question
	}
	switch {
	case asked(1) == "" && asked(2) == question:
		given := events[len(events)-1].Payload.(council.QuestionAnswered).Answer
		return given.Answer, "nothing: it was asked before", nil
	case asked(1) != question:
		id := fmt.Sprintf("after.%s.%d.%s.%s", d.About.ID, len(events)+1, v.Ask.Kind, v.Ask.Member)
		events = append(events, council.Event{Seq: v.Ask.AsOf + council.Seq(len(events)+1), Actor: council.Convener,
			Payload: council.QuestionPut{Answered: council.Answered{Ask: council.AskID(id)}, To: v.Ask.Member,
				Question: question}})
	}
	last := events[len(events)-1]
	v.Events = append(v.Events, events...)
	v.Ask.ID, v.Ask.AsOf = last.Payload.(council.QuestionPut).Ask, last.Seq
	v.Question = &council.Question{By: council.Convener, To: v.Ask.Member, Text: question, Seq: last.Seq}
	reply, err := d.seat.Answer(ctx, v)
	if err == nil && reply.Fault != nil {
		err = fmt.Errorf("%s gave no answer: %w\n%s", d.Name, reply.Fault, Remedy(reply.Fault.Kind))
	}
	if err != nil {
		return "", "", cmp.Or(context.Cause(ctx), err)
	}
	paid, known := d.charter.Cost(v.Ask.Member, reply.Usage, false)
	sum := site.PaidSum{Amount: council.Amount{Tokens: reply.Usage.Tokens(), Cost: paid, Unknown: !known}}
	return reply.Body.(council.Answer).Answer, sum.Words(), nil
}
