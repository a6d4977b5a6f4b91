package answering

import (
	"context"
	"errors"
	"fmt"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

// answer carries out one command line. The session is held only while the answer is written, so that several people may
// think about theirs at once; whether it is still waited for is looked at again then.
func (d Desk) answer(ctx context.Context, o options, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	root, err := recorder.FindRoot(o.root, d.Record...)
	if err != nil {
		return err
	}
	defer root.Close()
	if o.list {
		return d.list(root, args)
	}
	w, err := d.find(root, args)
	if err != nil {
		return err
	}
	if !o.given() && !o.show && !d.Keyboard {
		return desk.Refuse("there is no terminal to ask you at",
			"Give the answer with --json, --text or --ballot. council answer --show prints the question, council answer --list who is waited for.")
	}
	ask, err := d.which(ctx, w, o)
	if errors.Is(err, member.ErrLater) {
		return nil
	}
	if err != nil {
		return err
	}
	view := w.session.View(ask)
	if o.show {
		d.show(w, view)
		return nil
	}
	body, err := d.body(ctx, root, w, view, o)
	if errors.Is(err, member.ErrLater) {
		return nil // and the dialogue has said so
	}
	if err != nil {
		return err
	}
	if err := d.record(ctx, root, w.id, ask, body); err != nil {
		if !o.given() {
			d.giveBack(view, body)
		}
		return err
	}
	return d.next(ctx, root, w.id, o)
}

// which is the question that is answered. At a terminal whoever sits there says who they are.
func (d Desk) which(ctx context.Context, w waiting, o options) (council.Ask, error) {
	if o.ask == "" && len(w.open) > 1 && d.Keyboard && !o.given() {
		talk, leave := d.dialogue()
		defer leave()
		f := talk.form(ctx)
		var people []choice
		for _, a := range w.open {
			people = append(people, choice{string(a.Member), w.name(a)})
		}
		for again := true; again; again = errors.Is(f.err, errAgain) {
			f.err = nil
			o.ask = f.choose("Who are you?", people...)
		}
		if f.err != nil {
			return council.Ask{}, f.err
		}
	}
	return w.choose(o.ask)
}

// show prints a question, and how to answer it without a terminal.
func (d Desk) show(w waiting, v council.View) {
	text := Question(v, 0)
	if d.Terminal {
		text = terminal.Fold(text, terminal.Columns(d.Width))
	}
	fmt.Fprintln(d.Out, text)
	how := byFlags(v)
	form := "in the form of: council schema reply." + string(v.Ask.Kind)
	if v.Ask.Kind == council.AskDraft {
		form = "with the Markdown of the document"
		if len(v.Blockers) > 0 {
			form += `, and after it a section "## Responses to blockers" with lines such as "- ` + v.Blockers[0].ID + `: accepted - why"`
		}
	}
	fmt.Fprintf(d.Out, "Answer with: %s --ask %s\nor with %s--json FILE, %s\n", w.line("answer"), v.Ask.ID, how, form)
}

// body is the answer: that of the flags, or what somebody says at the terminal.
func (d Desk) body(ctx context.Context, root *recorder.Root, w waiting, v council.View, o options) (council.Body, error) {
	if o.given() {
		return d.read(v, o)
	}
	// Nobody should write for an hour and then learn that another process has the session.
	folder, _, err := d.Reopen(root, w.id)
	if err != nil {
		return nil, err
	}
	if err := folder.Close(); err != nil {
		return nil, err
	}
	talk, leave := d.dialogue()
	defer leave()
	return talk.Ask(ctx, v)
}

// dialogue is one with whoever sits at the terminal, until they leave.
func (d Desk) dialogue() (talk *Dialogue, leave func()) {
	talk = d.newDialogue()
	stop, done := make(chan struct{}), make(chan struct{})
	signals, let := d.Signals()
	go func() {
		select {
		case <-signals:
			close(stop)
		case <-done:
		}
	}()
	talk.Stop = stop
	return talk, func() { let(); close(done) }
}

// record puts an answer on the tape of its member, as a model's reply would be, if the question is still open.
func (d Desk) record(ctx context.Context, root *recorder.Root, id council.SessionID, ask council.Ask, body council.Body) (err error) {
	folder, session, err := d.Reopen(root, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	w, err := d.look(root, id)
	if err != nil {
		return err
	}
	if now, err := w.choose(string(ask.ID)); err != nil {
		return err
	} else if now != ask {
		return fmt.Errorf("the question %s was put anew meanwhile: read it again", ask.ID)
	}
	view := session.View(ask)
	if _, err := session.Answer(council.Reply{Ask: ask.ID, Body: body}); err != nil {
		return fmt.Errorf("the answer cannot be used: %s", problem(err))
	}
	tape, err := folder.Conversation(ask.Member)
	if err != nil {
		return err
	}
	seat := member.NewSeat(member.Taped(member.People(given{body}), tape), prompt.NewConversation(prompt.Limits{}))
	reply, err := seat.Answer(ctx, view)
	if err == nil && reply.Fault != nil {
		err = reply.Fault
	}
	return err
}

// given is an asker whose people have answered already.
type given struct{ body council.Body }

func (g given) Ask(context.Context, council.View) (council.Body, error) { return g.body, nil }

// giveBack prints an answer that could not be recorded, so that it need not be thought of again.
func (d Desk) giveBack(v council.View, b council.Body) {
	fmt.Fprintln(d.Errs, "Your answer was not recorded. This is what to give to --json later:")
	fmt.Fprintln(d.Out, hostile.Terminal(prompt.Text(b)))
}

// next says what comes after an answer, or goes on with the session.
func (d Desk) next(ctx context.Context, root *recorder.Root, id council.SessionID, o options) error {
	fmt.Fprintf(d.Out, "The answer is kept with session %s.\n", id)
	if o.resume {
		return d.Resume(ctx, root.Path(), id)
	}
	w, err := d.look(root, id)
	if err != nil {
		return err
	}
	if len(w.open) > 0 {
		fmt.Fprintf(d.Out, "It still waits for %s: %s\n", Names(w.session.Charter(), w.open), w.line("answer"))
		return nil
	}
	fmt.Fprintf(d.Out, "Go on with: %s\n", w.line("resume"))
	return nil
}
