package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Marks set the style of the text behind them, up to the next mark. They are control characters, which package hostile
// removes from foreign text, and have no width.
const (
	markEnd    shown = "\x0f"
	markBold   shown = "\x01" // results
	markDim    shown = "\x02" // machinery
	markMember       = '\x10' // the first of one for each colour
)

// colours are those of members, in the 256-colour palette. Each is readable on white and on black.
var colours = [8]int{30, 130, 98, 28, 162, 63, 131, 64}

// coloured returns a member's name in its colour, which stays the same through a session.
func coloured(c *council.Charter, id council.MemberID) shown {
	name := shown(hostile.Label(Name(c, id)))
	if i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.ID == id }); i >= 0 {
		return shown(string(rune(markMember+i%len(colours)))) + name + markEnd
	}
	return name
}

// sequence returns the escape sequence of a mark; ok is false for other characters.
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

// Paint turns the marks of a text into colours, or removes them, and makes the rest harmless to the terminal.
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

// Rows folds a text into rows of at most width columns. Each begins with the mark in force.
func Rows(text string, width int) (rows []string) {
	look := ""
	for line := range strings.SplitSeq(Fold(strings.ReplaceAll(text, "\t", "    "), width), "\n") {
		row, at := look, 0
		for _, r := range line {
			wide := Cells(string(r))
			if wide > 0 && at+wide > width {
				rows, row, at = append(rows, row), look, 0
			}
			if _, ok := sequence(r); ok {
				look = string(r)
			}
			row, at = row+string(r), at+wide
		}
		rows = append(rows, row)
	}
	return rows
}

// style is a set of the following.
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

// codes are the parameters of the escape sequences of styles, in their order. The colours are the terminal's own.
var codes = []int{1, 2, 3, 4, 9, 36, 31, 32}

// paint returns a text in a style, or unchanged without colour.
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

// Gone marks removed words by colour, or by brackets.
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

// narrowest is the width below which the terminal breaks lines.
const narrowest = 30

// Fold breaks lines between words to at most width columns. The further rows are indented, or quoted as the first is,
// so that foreign text never begins a row. A longer word stays whole: it may be an address to copy. Below 30 columns,
// and for an unknown width of 0, it changes nothing.
func Fold(text string, width int) string {
	if width < narrowest {
		return text
	}
	var b strings.Builder
	plain := func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}
	for line := range strings.Lines(strings.Map(plain, text)) {
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

// wrap breaks a line between words into rows, all but the first with further before them. Long words stay, unless cut.
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
			parts := pieces(ansi.Strip(word), columns)
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

// pieces cuts a text into pieces of at most so many columns; an empty text is one piece.
func pieces(text string, columns int) []string {
	var all []string
	from, at := 0, 0
	for i, r := range text {
		wide := Cells(string(r))
		if at+wide > columns && i > from {
			all, from, at = append(all, text[from:i]), i, 0
		}
		at += wide
	}
	return append(all, text[from:])
}

// Columns returns width(), or 0 if width is nil.
func Columns(width func() int) int {
	if width == nil {
		return 0
	}
	return width()
}

// Cells returns the columns of a text on a terminal, without the escape sequences of styles.
func Cells(text string) int { return ansi.StringWidth(text) }
