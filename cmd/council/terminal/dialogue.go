package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace/live"
)

// Dialogue asks people at one terminal, one after the other. Set its fields before it is first asked.
type Dialogue struct {
	Keys   *Keyboard
	Out    io.Writer
	Edit   func(ctx context.Context, text string) (string, error) // opens a text in the person's editor; nil: none
	Hold   func() (release func())                                // keeps a view from writing meanwhile; nil: no view
	Stop   <-chan struct{}                                        // closed when the session is to stop
	Width  func() int                                             // columns of the terminal; nil or 0: unknown
	Live   council.Seq                                            // see [Question]
	Drafts *live.Drafts                                           // keeps unfinished answers; nil: they are lost
	Shared bool                                                   // several people use the terminal, with secrets

	turn chan struct{}
}

var _ member.Asker = (*Dialogue)(nil)

// NewDialogue returns a dialogue at a terminal. Its fields may be set until it is first asked.
func NewDialogue(keys *Keyboard, out io.Writer) *Dialogue {
	return &Dialogue{Keys: keys, Out: out, turn: make(chan struct{}, 1)}
}

// Ask asks the person in the view's seat and waits for as long as it takes. It returns [member.ErrLater] if the person
// typed /later, the input has ended, or the session is to stop.
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
	f := answerForm{d.form(ctx), v}
	f.begin()
	body := f.answer()
	switch {
	case f.err == nil:
		f.say("Thank you.")
		if v.Blind() && f.Shared {
			fmt.Fprint(f.Out, Wipe)
		}
		f.keep(false)
		return body, nil
	case ctx.Err() != nil:
		f.say("\n%s need not answer any more.", who(v))
		return nil, ctx.Err()
	case errors.Is(f.err, member.ErrLater):
		f.say("\n%s answers later.", who(v))
		f.keep(true)
	}
	return nil, f.err
}

// keep stores the answer so far as a draft if it is for later, else removes the draft.
func (f *answerForm) keep(later bool) {
	if f.Drafts == nil {
		return
	}
	var text []byte
	if later && len(f.kept) > 0 {
		text, _ = json.Marshal(f.kept) // texts can always be written
	}
	if err := f.Drafts.Keep(f.view.Ask.ID, text); err != nil {
		f.say("What was typed could not be kept: %v", err)
	} else if text != nil {
		f.say("What you typed is kept, where only you can read it: the next answer to this question begins with it.")
	}
}

// begin shows the question and loads its draft. A line that was begun for an earlier question must not answer this one.
func (f *answerForm) begin() {
	if f.err = f.Keys.over; f.err != nil {
		return
	}
	if f.Shared || f.Keys.waiting {
		f.say("\nThe next question is for %s. Press Enter to see it; /later answers it later.", who(f.view))
		if f.read("> "); errors.Is(f.err, errAgain) {
			f.err = nil
		}
	}
	if f.err == nil {
		fmt.Fprintf(f.Out, "\n%s\n", Fold(Question(f.view, f.Live), Columns(f.Width)))
		f.say("(/later leaves the question open, /again begins the answer anew, /help says more.)")
		if f.Drafts != nil && json.Unmarshal(f.Drafts.Load(f.view.Ask.ID), &f.kept) == nil {
			f.say("(What you typed before is there again.)")
		}
	}
}

// answer asks until an answer is valid and the person wants it recorded.
func (f *answerForm) answer() council.Body {
	for f.err == nil {
		body := f.fill()
		if f.err == nil {
			text, err := member.AnswerText(f.view, body)
			if err != nil {
				f.say("That cannot be recorded. %s", problemWords(err))
				continue
			}
			f.look(text)
			if f.recorded() {
				return body
			}
			f.hint("Then once more.")
		}
		if errors.Is(f.err, errAgain) {
			f.err = nil
			f.say("Once more.")
		}
	}
	return nil
}

func who(v council.View) string { return hostile.Label(v.Seat.Name) }

func problemWords(err error) string { return hostile.Label(council.ReplyProblem(err)) }

// Editor returns a function that opens a text in a program and returns the edited text; nil without a program. The
// file is in a folder that only the person can read, and is removed afterwards.
func Editor(command string, in io.Reader, out, errs io.Writer) func(context.Context, string) (string, error) {
	argv := strings.Fields(command)
	if len(argv) == 0 {
		return nil
	}
	return func(ctx context.Context, text string) (_ string, err error) {
		folder, err := os.MkdirTemp("", "council-answer-")
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		path := filepath.Join(folder, "answer.md")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
		run := exec.CommandContext(ctx, argv[0], append(argv[1:len(argv):len(argv)], path)...)
		run.Stdin, run.Stdout, run.Stderr = in, out, errs
		// It has to restore the terminal, so it gets a signal before it is killed.
		run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
		run.WaitDelay = 5 * time.Second
		if err := run.Run(); err != nil {
			return "", fmt.Errorf("the editor %s failed: %w", argv[0], err)
		}
		edited, err := os.ReadFile(path)
		if len(edited) > prompt.MaxReply {
			return "", fmt.Errorf("the text is longer than %d bytes", prompt.MaxReply)
		}
		return string(edited), err
	}
}

// Pager shows the output of write in the program named by PAGER, else in less. It reports false, without calling write,
// if the program cannot be started. Errors of write and of the program are ignored: people leave it at any time.
func Pager(ctx context.Context, getenv func(string) string, write func(io.Writer) error, out, errs io.Writer) bool {
	argv := strings.Fields(getenv("PAGER"))
	if len(argv) == 0 {
		argv = []string{"less"}
	}
	run := exec.CommandContext(ctx, argv[0], argv[1:]...)
	run.Stdout, run.Stderr = out, errs
	if getenv("LESS") == "" { // as git does: quit on one screen, show colours, keep the screen
		run.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := run.StdinPipe()
	if err != nil || run.Start() != nil {
		return false
	}
	interrupts := make(chan os.Signal, 1) // Ctrl-C is for the pager, which has the terminal
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	_ = write(in)
	_ = in.Close()
	_ = run.Wait()
	return true
}
