package terminal

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// inset is how far the further lines of what somebody says stand in: deeper than any line of ours.
const inset = "      "

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
		if !strings.Contains(further, ">") && len(further) < len(inset) {
			further = inset
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

// plainSpace makes spaces of all characters that look like one, for words are told apart by spaces.
func plainSpace(r rune) rune {
	if unicode.Is(unicode.Zs, r) {
		return ' '
	}
	return r
}

// Columns returns the width that width tells; 0 where it is nil.
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
