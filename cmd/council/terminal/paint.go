package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Marks say how the text behind them looks, up to the next mark. They are control characters, which hostile takes out
// of all that others write, and take no room on a line.
const (
	markEnd    shown = "\x0f"
	markBold   shown = "\x01" // results
	markDim    shown = "\x02" // machinery
	markMember       = '\x10' // and the characters behind it: one for each colour
)

// colours are those of members, as numbers of the 256-colour palette. Each is readable on white and on black.
var colours = [8]int{30, 130, 98, 28, 162, 63, 131, 64}

// coloured returns a member's name in its colour, which is the same in all of a session.
func coloured(c *council.Charter, id council.MemberID) shown {
	for i := range c.Members {
		if c.Members[i].ID == id {
			return shown(string(rune(markMember+i%len(colours)))) + shown(hostile.Label(Name(c, id))) + markEnd
		}
	}
	return shown(hostile.Label(Name(c, id)))
}

// sequence returns the escape sequence of a mark. It is not ok of any other character.
func sequence(r rune) (look string, ok bool) {
	switch mark := shown(string(r)); {
	case mark == markEnd:
		return "\x1b[m", true
	case mark == markBold:
		return "\x1b[1m", true
	case mark == markDim:
		return "\x1b[2m", true
	case r >= markMember && int(r-markMember) < len(colours):
		return fmt.Sprintf("\x1b[38;5;%dm", colours[r-markMember]), true
	}
	return "", false
}

// Paint returns a text as it is written to a terminal: nothing in it steers the terminal but its marks, which become
// colours, or nothing where there is to be no colour.
func Paint(text string, colour bool) string {
	var b strings.Builder
	from, look := 0, rune(0)
	for i, r := range text + string(markEnd) {
		to, ok := sequence(r)
		if !ok {
			continue
		}
		b.WriteString(hostile.Terminal(text[from:i]))
		if from = min(i+1, len(text)); colour && (i < len(text) || look != 0 && shown(look) != markEnd) {
			b.WriteString(to)
		}
		look = r
	}
	return b.String()
}

// Bold returns a text that Paint shows as a result.
func Bold(text string) string { return string(markBold) + text + string(markEnd) }

// Rows folds a text into the rows that it takes on a screen, none wider than width. Each has the mark that is in force.
func Rows(text string, width int) (rows []string) {
	look := ""
	for line := range strings.SplitSeq(Fold(strings.ReplaceAll(text, "\t", "    "), width), "\n") {
		row, at := look, 0
		for _, r := range line {
			if wide := cells(r); wide > 0 && at+wide > width {
				rows, row, at = append(rows, row), look, 0
			}
			if _, ok := sequence(r); ok {
				look = string(r)
			}
			row += string(r)
			at += cells(r)
		}
		rows = append(rows, row)
	}
	return rows
}

// style is how words look: any of the following together.
type style uint8

const (
	bold style = 1 << iota
	dim
	italic
	underlined
	struck
	code
	red
	green
)

// codes are the parameters of the escape sequences of styles, in their order. Their few colours are the terminal's own,
// which are read on light and dark.
var codes = []int{1, 2, 3, 4, 9, 36, 31, 32}

// escapes matches the escape sequences that styles have.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// paint returns text in a style, or as it is without colour.
func paint(text string, s style, colour bool) string {
	if !colour || s == 0 || text == "" {
		return text
	}
	var on []string
	for i, parameter := range codes {
		if s&(1<<i) != 0 {
			on = append(on, strconv.Itoa(parameter))
		}
	}
	return "\x1b[" + strings.Join(on, ";") + "m" + text + "\x1b[0m"
}

// Gone returns words that went, in colours or between marks.
func Gone(words string, colour bool) string {
	if !colour {
		return "[-" + words + "-]"
	}
	return paint(words, red|struck, colour)
}

// Come marks added words as [Gone] marks removed ones.
func Come(words string, colour bool) string {
	if !colour {
		return "{+" + words + "+}"
	}
	return paint(words, green, colour)
}

// Dim returns a text in a faint style.
func Dim(words string, colour bool) string { return paint(words, dim, colour) }

// narrowest is the width below which lines are left to the terminal.
const narrowest = 30

// Fold breaks lines between words so that none is wider than the terminal. What is broken goes on set in, so that no
// width makes a line of ours of it; what is broken within a quotation of Markdown goes on as one. A word that is wider
// than a line stays whole, for it may be an address to copy. Width 0: it is not known, and nothing is broken.
func Fold(text string, width int) string {
	if width < narrowest {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(strings.Map(plainSpace, text)) {
		further := line[:len(line)-len(strings.TrimLeft(line, " >"))]
		if len(further) > width/2 {
			further = ""
		}
		if !strings.Contains(further, ">") && len(further) < len(hostile.Inset) {
			further = hostile.Inset
		}
		b.WriteString(strings.Join(wrap(line, further, width, false), "\n"))
	}
	return b.String()
}

// wrap breaks a line between words into rows of at most so many columns, of which all but the first begin with further.
// A word that is wider stays whole, for it may be an address to copy, unless it has to be cut.
func wrap(line, further string, columns int, cut bool) (rows []string) {
	row, at := "", 0
	for rest := line; rest != ""; {
		word := strings.TrimLeft(rest, " ")
		gap := rest[:len(rest)-len(word)]
		word, _, _ = strings.Cut(word, " ")
		rest = rest[len(gap)+len(word):]
		wide := Cells(word)
		if at > len(further) && wide > 0 && at+len(gap)+wide > columns {
			rows, row, at, gap = append(rows, row), further, len(further), ""
		}
		if cut && wide > columns {
			parts := pieces(escapes.ReplaceAllString(word, ""), columns)
			rows, word = append(rows, parts[:len(parts)-1]...), parts[len(parts)-1]
			wide = Cells(word)
		}
		row, at = row+gap+word, at+len(gap)+wide
	}
	return append(rows, row)
}

// wrapped is wrap for a text of several lines.
func wrapped(text string, columns int, cut bool) (rows []string) {
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, wrap(line, "", columns, cut)...)
	}
	return rows
}

// pieces cuts a text into pieces of at most so many columns; of nothing there is one.
func pieces(text string, columns int) []string {
	var all []string
	from, at := 0, 0
	for i, r := range text {
		if at+cells(r) > columns && i > from {
			all, from, at = append(all, text[from:i]), i, 0
		}
		at += cells(r)
	}
	return append(all, text[from:])
}

// plainSpace replaces all characters that look like a space by one.
func plainSpace(r rune) rune {
	if unicode.Is(unicode.Zs, r) {
		return ' '
	}
	return r
}

// Columns returns width(), or 0 where width is nil.
func Columns(width func() int) int {
	if width == nil {
		return 0
	}
	return width()
}

// Cells returns how many columns of a terminal a text takes, without the escape sequences of our styles.
func Cells(text string) int {
	n := 0
	if strings.Contains(text, "\x1b") {
		text = escapes.ReplaceAllString(text, "")
	}
	for _, r := range text {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	switch {
	case ' ' <= r && r < 0x7f: // most of what is read
		return 1
	case r < ' ' || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100: // the first that is wide
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fit returns the beginning of a line that fits into so many columns.
func fit(line string, columns int) string {
	if Cells(line) <= columns {
		return line
	}
	at := 0
	for i, r := range line {
		if at += cells(r); at > columns-1 {
			return line[:i] + "…"
		}
	}
	return line
}
