package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/council-engine/council/council/member"
)

// errAgain: the person wants to begin the answer anew.
var errAgain = errors.New("the answer is begun anew")

// form asks for the parts of one answer. The first error ends it: what is asked for after that is empty, so that only the
// whole has to be looked at.
type form struct {
	*Dialogue
	ctx  context.Context
	kept map[part]string // what was given before, when an answer is begun anew
	put  map[string]int  // how often each label was asked in this run through the parts
	err  error

	other string // what to say of a word that is none of the choices; "": the usual
}

// part is one part of an answer: what is asked, and how often it was asked before.
type part struct {
	label string
	nth   int
}

func (d *Dialogue) form(ctx context.Context) *form {
	return &form{Dialogue: d, ctx: ctx, kept: map[part]string{}, put: map[string]int{}}
}

// part is the part that a label now stands for.
func (f *form) part(label string) part {
	f.put[label]++
	return part{label, f.put[label] - 1}
}

func (f *form) say(format string, args ...any) {
	fmt.Fprintln(f.Out, Fold(Sprintf(format, args...), Columns(f.Width)))
}

// ask prints what is asked for, on one line whatever it holds: labels quote members, documents and memory.
func (f *form) ask(label, hint string) { f.hint("%s%s", Line(label), hint) }

// read waits for a line and carries out what is typed instead of an answer.
func (f *form) read(mark string) string {
	if f.err != nil {
		return ""
	}
	fmt.Fprint(f.Out, mark)
	text, err := f.Keys.line(f.ctx, f.Stop)
	switch word := strings.TrimSpace(text); {
	case err != nil:
		f.err = err
	case word == "/later":
		f.err = member.ErrLater
	case word == "/again":
		f.err = errAgain
	default:
		return text
	}
	return ""
}

// forget takes back the part that a label last stood for: what was given for it is of no use.
func (f *form) forget(label string) {
	f.put[label]--
	delete(f.kept, part{label, f.put[label]})
}

func (f *form) hint(format string, args ...any) {
	if f.err == nil {
		f.say(format, args...)
	}
}
