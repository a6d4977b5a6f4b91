package terminal

import (
	"regexp"
	"strconv"
	"strings"
)

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
