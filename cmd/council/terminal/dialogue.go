package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// Dialogue asks people at one terminal, one after the other however many are asked at once. It is the Asker of package
// human. Set its fields before it is first asked.
type Dialogue struct {
	Keys *Keyboard
	Out  io.Writer
	// Edit opens a text in the person's editor; nil when there is none.
	Edit func(ctx context.Context, text string) (string, error)
	// Hold keeps everybody else from writing to the terminal until it is released; nil when no view writes there.
	Hold func() (release func())
	// Stop is closed when the session is to stop: what is asked then is answered later.
	Stop <-chan struct{}
	// Width tells the columns of the terminal; 0, as well as nil, where they are not known.
	Width func() int
	// Live is the last event that was not shown as it happened; see [Question].
	Live council.Seq
	// Shared says that several people sit at the terminal, who must not see each other's secrets.
	Shared bool

	turn chan struct{}
}

var _ member.Asker = (*Dialogue)(nil)

// NewDialogue returns a dialogue at a terminal. Its fields may be set until it is first asked.
func NewDialogue(keys *Keyboard, out io.Writer) *Dialogue {
	return &Dialogue{Keys: keys, Out: out, turn: make(chan struct{}, 1)}
}

// Ask asks the person in the view's seat and waits for as long as it takes. [member.ErrLater]: the person said so, or
// the input has ended, or the session is to stop.
func (d *Dialogue) Ask(ctx context.Context, v council.View) (council.Body, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if d.Hold != nil {
		defer d.Hold()()
	}
	f := d.form(ctx)
	f.begin(v)
	body := f.answer(v)
	switch {
	case f.err == nil:
		f.end(v)
		return body, nil
	case ctx.Err() != nil:
		f.say("\n%s need not answer any more.", who(v))
		return nil, ctx.Err()
	case errors.Is(f.err, member.ErrLater):
		f.say("\n%s answers later.", who(v))
	}
	return nil, f.err
}

// begin hands the keyboard to the person and shows the question. A line that was begun for a question that is gone must
// not answer this one.
func (f *form) begin(v council.View) {
	if f.err = f.Keys.over; f.err != nil {
		return
	}
	if f.Shared || f.Keys.stale() {
		f.say("\nThe next question is for %s. Press Enter to see it; /later answers it later.", who(v))
		if f.read("> "); errors.Is(f.err, errAgain) {
			f.err = nil
		}
	}
	if f.err == nil {
		fmt.Fprintf(f.Out, "\n%s\n", Fold(Question(v, f.Live), Columns(f.Width)))
		f.say("(/later leaves the question open, /again begins the answer anew.)")
	}
}

// answer asks until there is an answer that can be used and that the person wants recorded.
func (f *form) answer(v council.View) council.Body {
	for f.err == nil {
		body := f.fill(v)
		if f.err == nil {
			if _, err := member.AnswerText(v, body); err != nil {
				f.say("That cannot be recorded. %s", Problem(err))
				continue
			}
			if f.recorded() {
				return body
			}
			f.hint("Then once more.")
		}
		if errors.Is(f.err, errAgain) {
			f.err = nil
			f.say("Once more.")
			continue
		}
	}
	return nil
}

func who(v council.View) string { return Line(v.Seat.Name) }

// Problem returns what is wrong with an answer, in words for the person who gave it.
func Problem(err error) string {
	return Line(strings.TrimPrefix(err.Error(), council.ErrBadReply.Error()+": "))
}

// end takes the keyboard back. Where the next person sits at the same terminal, what was secret leaves the screen.
func (f *form) end(v council.View) {
	f.say("Thank you.")
	if v.Blind() && f.Shared {
		fmt.Fprint(f.Out, Wipe)
	}
}
