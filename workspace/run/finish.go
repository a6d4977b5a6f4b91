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
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Remembered is the result of remembering a closed session.
type Remembered struct {
	Kept      []string            // how many records of each kind, in words
	Rehearsed bool                // only rehearsals are told them
	Conflicts [][2]*memory.Record // each a decision of the session, and one that it may conflict with
}

// finish does what follows from the end of a session. It forgets the files of its run, notes that came too late among
// them.
func (s *Session) finish(ctx context.Context, w *site.World, face Face) error {
	notes, err := live.Spooled(s.Root, s.ID(), s.Events())
	for _, n := range notes {
		w.Warn("The session closed before a question told this note of %s: %s", hostile.Label(n.By), hostile.Words(n.Text))
	}
	forgot := live.Forget(s.Root, s.ID())
	m, failed := s.Remember(ctx, w)
	if err = errors.Join(err, forgot, failed); err == nil || len(m.Kept) > 0 {
		face.Remembered(s, m)
	}
	return err
}

// Remember finishes the close of a session that has come to its end. With an error the session is kept all the same;
// what is missing is made good by the next command that can.
func (s *Session) Remember(ctx context.Context, w *site.World) (m Remembered, err error) {
	of, err := w.OpenMemory(s.Root, s.Charter())
	if err != nil {
		return m, err
	}
	if w.Memory != nil {
		w.Memory.Finishing.RLock()
		defer w.Memory.Finishing.RUnlock()
	}
	done, err := of.Finish(context.WithoutCancel(ctx), s.ID(), s.Folder.Entries())
	w.NoticeReport(done.Memory)
	if err != nil {
		return m, fmt.Errorf("the session is closed and kept, but not remembered yet: %w", err)
	}
	m.Rehearsed = s.Charter().Rehearsing() > 0
	for _, k := range memory.Kinds() {
		if n := done.Kept[k]; n > 0 {
			m.Kept = append(m.Kept, plural.Things(n, k.Words()))
		}
	}
	b, err := of.Store.Book("")
	if err != nil && store.IsUnreadable(err) {
		return m, nil // it was reported when it could not be written
	}
	m.Conflicts = b.MayConflict(s.ID())
	return m, err
}

// Lines describes the changes of memory, with the commands that show and replace them.
func (m Remembered) Lines(root *recorder.Root) (lines []string) {
	if len(m.Kept) > 0 {
		words := strings.Join(m.Kept, ", ") + "; " + site.CommandLine(root, "council memory list") + " shows them"
		if m.Rehearsed {
			words += "; only rehearsals are told them"
		}
		lines = append(lines, "Memory: "+words)
	}
	for _, pair := range m.Conflicts {
		lines = append(lines, fmt.Sprintf("May conflict with %s (%s). To replace that decision: %s", pair[1].ID,
			hostile.Excerpt(pair[1].Summary, 60), site.CommandLine(root,
				fmt.Sprintf("council memory edit %s --by %s", pair[1].ID, pair[0].ID))))
	}
	return lines
}

// WarnSuspended warns that a session is suspended, if it is, with the commands that go on with it: also where nothing
// else is shown people have to learn that it did not end.
func (s *Session) WarnSuspended(w *site.World, f *council.Fault) error {
	switch {
	case f == nil:
		return nil
	case f.Kind == council.FaultAwaiting:
		waiting, err := listing.In(s.Root, s.Session)
		if err != nil {
			return err
		}
		w.Warn("The session waits for %s. Nothing is lost.\nAnswer with: %s\nand then go on with: %s",
			waiting.Names(waiting.Open), waiting.Line("answer"), waiting.Line("resume"))
		return nil
	}
	resume := "council resume " + s.Root.Short(s.ID())
	w.Warn("The session is suspended: %s Nothing is lost.\nGo on with: %s%s", EndSentence(f.Error()),
		site.CommandLine(s.Root, resume), ResumeHint(f.Kind))
	if failed := s.failed(f); len(failed) > 0 {
		for _, m := range failed {
			resume += " --without " + string(m)
		}
		w.Warn("To go on without %s: %s", site.And(failed), site.CommandLine(s.Root, resume))
	}
	if words := s.outage.Words(); words != "" {
		w.Warn("%s", words)
	}
	return nil
}

// failed returns the members whose faults suspended the session, or none where others could not go on without them.
func (s *Session) failed(f *council.Fault) (members []council.MemberID) {
	events := s.Events()
	stop, _ := events[len(events)-1].Payload.(council.SessionSuspended)
	for _, a := range s.Ready().Asks { // a suspension for open ballots names no ask
		if stop.Ask == "" || stop.Ask == a.ID {
			members = append(members, a.Member)
		}
	}
	if _, err := s.Rule(council.MembersExcluded{Members: members}); err != nil || !f.Kind.Spends() {
		return nil
	}
	return members
}

// EndSentence returns words as a sentence with a full stop.
func EndSentence(words string) string {
	if strings.HasSuffix(words, "?") || strings.HasSuffix(words, "!") {
		return words
	}
	return strings.TrimRight(words, ". ") + "."
}

// ResumeHint returns advice for a suspended session, such as the flags that raise a budget.
func ResumeHint(kind council.FaultKind) string {
	switch kind {
	case council.FaultBudget:
		return " with a larger budget: --budget-tokens N, --budget-usd N or --budget-time 30m"
	case council.FaultCancelled:
		return ""
	}
	return "\n" + Remedy(kind)
}

// Remedy returns the advice for a fault, with the command that helps.
func Remedy(kind council.FaultKind) string {
	return render.Remedy(kind) + map[council.FaultKind]string{
		council.FaultAuth: " council doctor says which is refused; council login stores keys and logs in.",
		council.FaultTransport: " council doctor says how far one gets; if a server has moved, council resume " +
			"--base-url MEMBER=URL says where.",
		council.FaultUnusable: " council show tells why each answer was refused, and council doctor tries each model.",
	}[kind]
}

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
	m := council.Find(d.charter.Members, func(m council.Member) bool {
		return m.ID == about.Member || strings.EqualFold(m.Name, string(about.Member))
	})
	if m == nil {
		return site.Refuse("the session has no member "+site.Quote(string(about.Member)),
			site.DidYouMean(string(about.Member), seats, "Its members are "+site.Join(seats))+".")
	}
	closed := false
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
	return a.Root.Conversations.With(about, a.World.Now, func(calls *conversation.CallLog) error {
		d.About, d.calls = about, calls
		if d.seat, err = r.After(session, m.ID, calls); err != nil {
			return err
		}
		return do(ctx, &d)
	})
}

// last returns the conversation about a session with a member that was used last if goOn is true, else a new one.
func (a Afterwards) last(about conversation.After, goOn bool) (conversation.After, error) {
	all, err := a.Root.Conversations.List()
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
