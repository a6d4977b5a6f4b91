package terminal

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/names"
)

var errAgain = errors.New("the answer is begun anew")

// form asks for the parts of one answer. After its first error all parts are empty, so callers check err once.
type form struct {
	*Dialogue
	ctx  context.Context
	kept map[string]string // earlier input for each part, offered again after /again
	put  map[string]int    // how often each label was asked in this run
	err  error

	other string // reply to a word that is no choice; "": the usual
}

func (d *Dialogue) form(ctx context.Context) *form {
	return &form{Dialogue: d, ctx: ctx, kept: map[string]string{}, put: map[string]int{}}
}

// part names the next question of a label: some labels are asked several times.
func (f *form) part(label string) string { return fmt.Sprint(label, " ", f.put[label]) }

// begun is part, and counts the label as asked.
func (f *form) begun(label string) string {
	defer func() { f.put[label]++ }()
	return f.part(label)
}

func (f *form) say(format string, args ...any) {
	fmt.Fprintln(f.Out, Fold(Sprintf(format, args...), Columns(f.Width)))
}

// ask prints a label on one line, because labels quote members, documents and memory.
func (f *form) ask(label, hint string) { f.hint("%s%s", hostile.Label(label), hint) }

// read waits for a line, and carries out the commands /help, /later and /again.
func (f *form) read(mark string) string {
	if f.err != nil {
		return ""
	}
	fmt.Fprint(f.Out, mark)
	text, err := f.Keys.line(f.ctx, f.Stop)
	switch word := strings.TrimSpace(text); {
	case err != nil:
		f.err = err
	case word == "/help":
		f.say("/later answers later, /again begins the answer anew and keeps what was given; a text of several lines ends " +
			"with a line that holds a dot alone, and /edit opens it in your editor. Nothing is recorded before you say yes. " +
			"What was asked is still open:")
		return f.read(mark)
	case word == "/later":
		f.err = member.ErrLater
	case word == "/again":
		f.err = errAgain
	default:
		return text
	}
	return ""
}

func (f *form) forget(label string) {
	f.put[label]--
	delete(f.kept, f.part(label))
}

func (f *form) hint(format string, args ...any) {
	if f.err == nil {
		f.say(format, args...)
	}
}

// Choice is one of the answers that a question allows.
type Choice struct {
	Word  string // may be typed in part
	Means string
}

// choose asks for one of several words. There is no default: an empty line chooses nothing.
func (f *form) choose(label string, choices ...Choice) string {
	f.ask(label, "")
	for _, c := range choices {
		f.hint("  %-12s %s", c.Word, hostile.Label(c.Means))
	}
	return f.pick(choices)
}

// Choose asks for one of several words and returns it.
func (d *Dialogue) Choose(ctx context.Context, label string, choices ...Choice) (string, error) {
	return d.once(ctx, func(f *form) string { return f.choose(label, choices...) })
}

// Line asks for a line and returns it, or [member.ErrLater].
func (d *Dialogue) Line(ctx context.Context, label string) (string, error) {
	return d.once(ctx, func(f *form) string { return f.line(label, false) })
}

// once asks for one thing, again after each /again.
func (d *Dialogue) once(ctx context.Context, ask func(*form) string) (string, error) {
	f := d.form(ctx)
	for {
		text := ask(f)
		if !errors.Is(f.err, errAgain) {
			return text, f.err
		}
		f.err = nil
	}
}

// oneOf is choose for words that need no explanation.
func (f *form) oneOf(label string, words ...string) string {
	f.ask(label, " ["+strings.Join(words, ", ")+"]")
	return f.pick(council.Map(words, func(word string) Choice { return Choice{Word: word} }))
}

func (f *form) yes(label string) bool { return f.oneOf(label, "yes", "no") == "yes" }

// look shows a whole answer before it is recorded, part by part.
func (f *form) look(answer string) {
	f.say("\nYour answer:")
	if !gjson.Valid(answer) { // a document, and the answers to blockers behind it
		document, answers := answer, ""
		if at := strings.LastIndex(answer, "\n{"); at >= 0 && gjson.Valid(answer[at:]) {
			document, answers = answer[:at], answer[at:]
		}
		f.say("%s", Set(document))
		answer = answers
	}
	var show func(at string, v gjson.Result)
	show = func(at string, v gjson.Result) {
		if v.IsObject() || v.IsArray() {
			n := 0
			v.ForEach(func(key, v gjson.Result) bool {
				n++
				if key.Type == gjson.Null {
					show(fmt.Sprintf("%s %d", at, n), v)
				} else {
					words := strings.ToLower(capital.ReplaceAllString(key.String(), " $0"))
					show(strings.TrimSpace(at+" "+words), v)
				}
				return true
			})
		} else if words := hostile.Words(v.String()); words != "" {
			f.say("  %s: %s", at, words)
		}
	}
	show("", gjson.Parse(answer))
}

// capital begins a word in the name of a field: "motion title" is "motionTitle".
var capital = regexp.MustCompile(`\p{Lu}`)

// recorded asks whether to record the answer. A last pasted line without a line end arrives at this question.
func (f *form) recorded() bool {
	f.other = "That is not in the answer: yes records the answer without it, no begins it anew and keeps what was given."
	defer func() { f.other = "" }()
	return f.yes("Record this answer?")
}

func (f *form) pick(choices []Choice) string {
	for f.err == nil {
		word := strings.ToLower(strings.TrimSpace(f.read("> ")))
		i := names.Meant(word, choices, func(c Choice) []string { return []string{c.Word} })
		if f.err == nil && i >= 0 {
			return choices[i].Word
		}
		if word == "" || f.other == "" {
			f.hint("One of these words, please, or the beginning of one.")
		} else {
			f.hint("%s", f.other)
		}
	}
	return ""
}

// line asks for one line. An empty one means the earlier input; without any it is asked again unless optional.
func (f *form) line(label string, optional bool) string {
	hint, part := "", f.begun(label)
	before := f.kept[part]
	switch {
	case before != "" && optional:
		hint = " [Enter: " + hostile.Label(before) + "; -: none]"
	case before != "":
		hint = " [Enter: " + hostile.Label(before) + "]"
	case optional:
		hint = " [Enter: none]"
	}
	f.ask(label, hint)
	for f.err == nil {
		text := f.rest(strings.TrimSpace(f.read("> ")))
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

// rest adds the lines that were pasted with a line: they must not answer the next question.
func (f *form) rest(text string) string {
	lines := 1
	for text != "" && f.Keys.pasted() {
		text = strings.TrimSpace(text + "\n" + f.read(""))
		lines++
	}
	if lines > 1 {
		f.hint("%d lines came at once and are taken together.", lines)
	}
	return text
}

// brief asks for an optional line of at most so many characters. An empty one means the earlier input, else usual.
func (f *form) brief(label, usual string, most int) string {
	part := f.part(label)
	if _, given := f.kept[part]; !given {
		f.kept[part] = usual
	}
	for {
		text := strings.Join(strings.Fields(f.line(label, true)), " ")
		if len([]rune(text)) <= most {
			return text
		}
		f.forget(label)
		f.kept[part] = usual
		f.hint("At most %d characters, please.", most)
	}
}

// parsed asks for a line until read takes it. read returns its problem with the others, in words.
func parsed[T any](f *form, label string, optional bool, read func(string) (T, string)) T {
	for {
		value, problem := read(f.line(label, optional))
		if f.err != nil || problem == "" {
			return value
		}
		f.forget(label)
		f.hint("%s", problem)
	}
}

// text asks for any number of lines, up to a dot.
func (f *form) text(label string) string {
	how := "end with a line that holds a dot alone"
	if f.Edit != nil {
		how += "; /edit opens your editor"
	}
	part := f.begun(label)
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
	if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" { // typed before /later or /again
		f.kept[part] = text
	}
	return ""
}

func (f *form) list(label string) []string {
	how, part := "one a line; an empty line ends", f.begun(label)
	before := f.kept[part]
	if before != "" {
		how += "; an empty line at once keeps what there is, a - at once takes none"
	}
	f.ask(label, " ("+how+")")
	var lines []string
	for f.err == nil {
		line := strings.TrimSpace(f.read("> "))
		if line == "" && len(lines) > 0 && f.Keys.pasted() { // a gap in a text
			continue
		}
		if line == "" && len(lines) == 0 && before != "" {
			lines = strings.Split(before, "\n")
		}
		if line == "" || line == "-" && len(lines) == 0 {
			break
		}
		lines = append(lines, line)
	}
	f.kept[part] = strings.Join(lines, "\n")
	return lines
}
