package terminal

import (
	"strconv"
	"strings"
)

// line asks for one line. An empty one takes what was given before; where there was nothing, it is asked for again unless
// it may be empty.
func (f *form) line(label string, optional bool) string {
	hint, part := "", f.part(label)
	before := f.kept[part]
	switch {
	case before != "" && optional:
		hint = " [Enter: " + Line(before) + "; -: none]"
	case before != "":
		hint = " [Enter: " + Line(before) + "]"
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

// rest adds to a line what was pasted with it: the further lines of a text must not answer what is asked next.
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

// brief asks for a line of at most so many characters, which may be left out. An empty one takes what was given before,
// else what usual says.
func (f *form) brief(label, usual string, most int) string {
	part := part{label, f.put[label]}
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

func (f *form) list(label string) []string {
	how, part := "one a line; an empty line ends", f.part(label)
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

// percent asks for a number between 0 and 100 and returns it between 0 and 1.
func (f *form) percent(label string) float64 {
	for {
		text := f.line(label, false)
		if share, ok := Percent(text); f.err != nil || ok {
			return share
		}
		f.forget(label)
		f.hint("A number from 0 to 100, please.")
	}
}

// Percent reads a number between 0 and 100, with a sign or without, as one between 0 and 1.
func Percent(text string) (share float64, ok bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")), 64)
	return n / 100, err == nil && n >= 0 && n <= 100
}
