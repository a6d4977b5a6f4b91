package answering

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/member/human"
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

// say prints a line.
func (f *form) say(format string, args ...any) {
	fmt.Fprintln(f.Out, terminal.Sprintf(format, args...))
}

// ask prints what is asked for, on one line whatever it holds: labels quote members, documents and memory.
func (f *form) ask(label, hint string) { f.say("%s%s", terminal.Line(label), hint) }

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
		f.err = human.ErrLater
	case word == "/again":
		f.err = errAgain
	default:
		return text
	}
	return ""
}

// line asks for one line. An empty one takes what was given before; where there was nothing, it is asked for again unless
// it may be empty.
func (f *form) line(label string, optional bool) string {
	hint, part := "", f.part(label)
	before := f.kept[part]
	switch {
	case before != "" && optional:
		hint = " [Enter: " + terminal.Line(before) + "; -: none]"
	case before != "":
		hint = " [Enter: " + terminal.Line(before) + "]"
	case optional:
		hint = " [Enter: none]"
	}
	f.ask(label, hint)
	for f.err == nil {
		text := strings.TrimSpace(f.read("> "))
		switch {
		case text == "":
			text = before
		case text == "-" && optional:
			text = ""
		}
		if text != "" || optional {
			f.kept[part] = text
			return text
		}
	}
	return ""
}

// brief asks for a line of at most so many characters, which may be left out. An empty one takes what was given before,
// else what usual says.
func (f *form) brief(label, usual string, most int) string {
	part := part{label, f.put[label]}
	if _, given := f.kept[part]; !given {
		f.kept[part] = usual
	}
	for {
		text := f.line(label, true)
		if len([]rune(text)) <= most {
			return text
		}
		f.kept[part] = usual
		f.put[label]--
		f.hint(fmt.Sprintf("At most %d characters, please.", most))
	}
}

// text asks for as many lines as the person likes.
func (f *form) text(label string) string {
	how := "end with a line that holds a dot alone"
	if f.Edit != nil {
		how += "; /edit opens your editor"
	}
	part := f.part(label)
	before := f.kept[part]
	if before != "" {
		how += "; a dot at once keeps what there is"
	}
	f.ask(label, " ("+how+")")
	var lines []string
	for f.err == nil {
		line := f.read("> ")
		switch word := strings.TrimSpace(line); {
		case f.err != nil:
		case word == "/edit" && f.Edit != nil:
			if given := strings.Join(lines, "\n"); given != "" {
				before = given
			}
			edited, err := f.Edit(f.ctx, before)
			if err != nil {
				f.say("%s.", err)
				continue
			}
			before, lines = strings.TrimSpace(edited), nil
			f.say("%s", before)
			f.say("(a dot takes it as it stands)")
		case word == ".":
			if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
				before = text
			}
			if before != "" {
				f.kept[part] = before
				return before
			}
			f.say("There is nothing yet.")
		default:
			lines = append(lines, line)
		}
	}
	return ""
}

// list asks for any number of lines.
func (f *form) list(label string) []string {
	f.ask(label, " (one a line; an empty line ends)")
	var lines []string
	for f.err == nil {
		line := strings.TrimSpace(f.read("> "))
		if line == "" {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// percent asks for a number between 0 and 100 and returns it between 0 and 1.
func (f *form) percent(label string) float64 {
	f.ask(label, "")
	for f.err == nil {
		if share, ok := percent(f.read("> ")); f.err == nil && ok {
			return share
		}
		f.hint("A number from 0 to 100, please.")
	}
	return 0
}

// percent reads a number between 0 and 100, with a sign or without, as one between 0 and 1.
func percent(text string) (share float64, ok bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")), 64)
	return n / 100, err == nil && n >= 0 && n <= 100
}

// choice is one of the answers that a question allows.
type choice struct {
	word  string // what is typed, or its beginning
	means string
}

// choose asks for one of several words. Nothing stands for an answer that was not typed: an empty line chooses nothing.
func (f *form) choose(label string, choices ...choice) string {
	f.ask(label, "")
	for _, c := range choices {
		f.say("  %-12s %s", c.word, terminal.Line(c.means))
	}
	return f.pick(choices)
}

// oneOf is choose for words that say themselves what they mean.
func (f *form) oneOf(label string, words ...string) string {
	f.ask(label, " ["+strings.Join(words, ", ")+"]")
	choices := make([]choice, len(words))
	for i, w := range words {
		choices[i] = choice{word: w}
	}
	return f.pick(choices)
}

// yes asks for yes or no.
func (f *form) yes(label string) bool { return f.oneOf(label, "yes", "no") == "yes" }

// pick waits until one of the choices is typed.
func (f *form) pick(choices []choice) string {
	for f.err == nil {
		word := strings.ToLower(strings.TrimSpace(f.read("> ")))
		if i := match(word, choices); f.err == nil && i >= 0 {
			return choices[i].word
		}
		f.hint("One of these words, please, or the beginning of one.")
	}
	return ""
}

// match finds the choice that is meant by a word or by a beginning that only it has; -1 for none.
func match(word string, choices []choice) int {
	var found []int
	for i, c := range choices {
		if strings.ToLower(c.word) == word {
			return i
		}
		if word != "" && strings.HasPrefix(strings.ToLower(c.word), word) {
			found = append(found, i)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return -1
}

// hint helps where an answer was not understood.
func (f *form) hint(words string) {
	if f.err == nil {
		f.say("%s", words)
	}
}
