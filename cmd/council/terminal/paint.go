package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

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

// colours are those of members, as numbers of the palette that terminals with 256 colours have. Each can be read on
// white and on black, so that nobody has to tell what the terminal's background is.
var colours = [8]int{30, 130, 98, 28, 162, 63, 131, 64}

// coloured returns a member's name in its colour, which is the same in all of a session.
func coloured(c *council.Charter, id council.MemberID) shown {
	for i := range c.Members {
		if c.Members[i].ID == id {
			return shown(string(rune(markMember+i%len(colours)))) + shown(Line(Name(c, id))) + markEnd
		}
	}
	return shown(Line(Name(c, id)))
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

// Come is to words that came what [Gone] is to others.
func Come(words string, colour bool) string {
	if !colour {
		return "{+" + words + "+}"
	}
	return paint(words, green, colour)
}

// Dim returns what is said about words.
func Dim(words string, colour bool) string { return paint(words, dim, colour) }
