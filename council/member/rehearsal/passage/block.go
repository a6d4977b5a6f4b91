package passage

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/internal/hostile"
)

// block is a run of text that remembers on which line each part of it stood.
type block struct {
	text  strings.Builder
	marks []mark
}

type mark struct{ offset, line int }

// add appends text as it is, from the given line of the document.
func (b *block) add(text string, line int) {
	b.marks = append(b.marks, mark{b.text.Len(), line})
	b.text.WriteString(hostile.Clean(text))
}

func (b *block) space() { b.text.WriteByte(' ') }

// lineAt is the line of the document on which the byte at offset stood.
func (b *block) lineAt(offset int) int {
	i := sort.Search(len(b.marks), func(i int) bool { return b.marks[i].offset > offset })
	if i == 0 {
		return 1
	}
	return b.marks[i-1].line
}

// passages splits the block into its sentences.
func (b *block) passages(heading string, form Form) []Passage {
	text := b.text.String()
	var out []Passage
	for start := 0; start < len(text); {
		end := start + sentenceEnd(text[start:])
		from := start + len(text[start:end]) - len(strings.TrimLeftFunc(text[start:end], unicode.IsSpace))
		said := strings.TrimRight(strings.Join(strings.Fields(text[start:end]), " "), ";,")
		start = end
		if !wordy(said) || secretive(said) {
			continue
		}
		p := Passage{Line: b.lineAt(from), Text: shorten(said), Heading: heading, Form: form}
		if !stated(said) {
			p.Form = Fragment
		}
		out = append(out, p)
	}
	return out
}

// sentenceEnd is the offset just after the first sentence of text.
func sentenceEnd(text string) int {
	for i, r := range text {
		after := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			continue
		}
		switch r {
		case '。', '！', '？':
			return after
		case '.', '!', '?':
			rest := strings.TrimLeft(text[after:], `"'”’)]`)
			if rest == "" {
				return len(text)
			}
			if next, _ := utf8.DecodeRuneInString(rest); !unicode.IsSpace(next) {
				continue
			}
			if next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(rest, unicode.IsSpace)); r == '.' && (unicode.IsLower(next) || shortened(text[:i])) {
				continue
			}
			return len(text) - len(rest)
		}
	}
	return len(text)
}

// shortened reports whether the full stop after text belongs to an abbreviation or a number of a list.
func shortened(text string) bool {
	word := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	switch strings.ToLower(strings.TrimLeft(word, "([")) {
	case "e.g", "i.e", "cf", "etc", "vs", "approx", "no", "fig", "mr", "mrs", "ms", "dr", "st", "z.b", "bzw", "vgl":
		return true
	}
	return utf8.RuneCountInString(word) == 1
}

// wordy reports whether there is anything in text to read.
func wordy(text string) bool {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 4
}

// stated reports whether text reads like a statement: some words, and mostly letters.
func stated(text string) bool {
	letters, all, wide := 0, 0, 0
	for _, r := range text {
		all++
		switch {
		case Wide(r):
			wide++
			letters++
		case unicode.IsLetter(r) || unicode.IsSpace(r) || unicode.IsMark(r):
			letters++
		}
	}
	if letters*100 < all*80 {
		return false
	}
	return wide >= 8 || len(strings.Fields(text)) >= 4
}

// Wide reports whether r belongs to a script that is written without spaces between words.
func Wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// secretive reports whether text holds what looks like a key or a digest: nothing that one would quote.
func secretive(text string) bool {
	for word := range strings.FieldsSeq(text) {
		letters, digits := 0, 0
		for _, r := range word {
			switch {
			case unicode.IsDigit(r):
				digits++
			case r < utf8.RuneSelf && unicode.IsLetter(r):
				letters++
			}
		}
		if len(word) >= 20 && letters+digits >= len(word)*4/5 && digits >= 4 && letters >= 4 {
			return true
		}
	}
	lower := strings.ToLower(text)
	for _, name := range []string{"password", "passwd", "secret", "api_key", "apikey", "token"} {
		if i := strings.Index(lower, name); i >= 0 {
			rest := strings.TrimLeft(lower[i+len(name):], "\"' ")
			if value := strings.TrimLeft(rest, ":= \"'"); strings.HasPrefix(rest, "=") && value != "" {
				return true
			}
		}
	}
	return false
}
