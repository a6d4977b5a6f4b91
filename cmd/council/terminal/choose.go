package terminal

import (
	"context"
	"errors"
	"strings"
)

// Choice is one of the answers that a question allows.
type Choice struct {
	Word  string // what is typed, or its beginning
	Means string
}

// choose asks for one of several words. Nothing stands for an answer that was not typed: an empty line chooses nothing.
func (f *form) choose(label string, choices ...Choice) string {
	f.ask(label, "")
	for _, c := range choices {
		f.hint("  %-12s %s", c.Word, Line(c.Means))
	}
	return f.pick(choices)
}

// Choose asks for one of several words and returns it.
func (d *Dialogue) Choose(ctx context.Context, label string, choices ...Choice) (string, error) {
	f := d.form(ctx)
	for {
		word := f.choose(label, choices...)
		if !errors.Is(f.err, errAgain) {
			return word, f.err
		}
		f.err = nil
	}
}

// oneOf is choose for words that say themselves what they mean.
func (f *form) oneOf(label string, words ...string) string {
	f.ask(label, " ["+strings.Join(words, ", ")+"]")
	choices := make([]Choice, len(words))
	for i, w := range words {
		choices[i] = Choice{Word: w}
	}
	return f.pick(choices)
}

func (f *form) yes(label string) bool { return f.oneOf(label, "yes", "no") == "yes" }

// recorded asks whether an answer is to be recorded as it is. The last line of what was pasted comes to this question when
// no line end came with it.
func (f *form) recorded() bool {
	f.other = "That is not in the answer: yes records the answer without it, no begins it anew and keeps what was given."
	defer func() { f.other = "" }()
	return f.yes("Record this answer?")
}

func (f *form) pick(choices []Choice) string {
	for f.err == nil {
		word := strings.ToLower(strings.TrimSpace(f.read("> ")))
		if i := match(word, choices); f.err == nil && i >= 0 {
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

// match finds the choice that is meant by a word or by a beginning that only it has; -1 for none.
func match(word string, choices []Choice) int {
	var found []int
	for i, c := range choices {
		if strings.ToLower(c.Word) == word {
			return i
		}
		if word != "" && strings.HasPrefix(strings.ToLower(c.Word), word) {
			found = append(found, i)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return -1
}
