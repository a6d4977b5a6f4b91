package credential

import (
	"errors"
	"strings"
)

// Words splits a command into the program and its arguments. Spaces part them; what stands in single or double quotes
// stays together. Nothing else has a meaning: there is no shell, so a variable, a pipe or a star is only what it looks
// like, and a backslash is a backslash.
func Words(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, begun := rune(0), false
	for _, r := range command {
		switch {
		case r == 0:
			return nil, errors.New("it holds a NUL character")
		case open != 0 && r == open:
			open = 0
		case open == 0 && (r == '"' || r == '\''):
			open, begun = r, true
		case open == 0 && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if open != 0 {
		return nil, errors.New("a quotation mark is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no program")
	}
	return words, nil
}
