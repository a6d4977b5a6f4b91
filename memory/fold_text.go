package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/internal/hostile"
)

// Bounds of what stands within other texts, in characters.
const (
	maxTopic = 140
	maxQuote = 90
	maxName  = 60
)

// forgotten stands in a payload where a person had text erased. Nothing is remembered of it.
const forgotten = "[forgotten]"

// plainText returns a text on one line without anything that cannot be seen and without the marks that begin a line of
// Markdown. It is empty when the text was erased.
func plainText(s string) string {
	if strings.TrimSpace(s) == forgotten {
		return ""
	}
	var words []string
	heading := false
	for line := range strings.Lines(hostile.Clean(s)) {
		fields := strings.Fields(unmarked(line))
		if heading && len(fields) > 0 {
			words[len(words)-1] = ended(words[len(words)-1])
			heading = false
		}
		words = append(words, fields...)
		heading = heading || len(fields) > 0 && strings.HasPrefix(strings.TrimSpace(line), "#")
	}
	return strings.Join(words, " ")
}

// unmarked returns a line without the marks of a heading, a quote or an item of a list.
func unmarked(line string) string {
	for {
		line = strings.TrimSpace(line)
		rest := strings.TrimLeft(line, "#>")
		if rest == line {
			mark, after, _ := strings.Cut(line, " ")
			if mark != "-" && mark != "*" && mark != "+" {
				return line
			}
			rest = after
		}
		line = rest
	}
}

// cut shortens a text to at most n characters with an ellipsis, between words where there are any near the end.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	kept := []rune(s)[:n] // one more than fits before the ellipsis, to see whether a word ends there
	end := n - 1
	for i := n - 1; i > n-1-min(n/2, 40); i-- {
		if unicode.IsSpace(kept[i]) {
			end = i
			break
		}
	}
	for end > 0 && unicode.Is(unicode.M, kept[end]) { // a mark belongs to the letter before it
		end--
	}
	return hostile.Line(strings.TrimRightFunc(string(kept[:end]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:—–-", r)
	})) + "…"
}

// clip returns a text as it stands in a record: plain, and of at most n characters.
func clip(s string, n int) string { return cut(plainText(s), n) }

// quote returns a text as it stands within another, in quotation marks.
func quote(s string) string { return "“" + clip(s, maxQuote) + "”" }

// title returns the first line of a topic that is not empty.
func title(s string) string {
	for line := range strings.Lines(hostile.Clean(s)) {
		if line = clip(line, maxTopic); line != "" {
			return line
		}
	}
	return ""
}

// sentences joins what there is of some sentences.
func sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

// labelled is "label: text", or nothing without a text.
func labelled(label, text string) string {
	if text = plainText(text); text == "" {
		return ""
	}
	return ended(label + ": " + text)
}

// ended returns a text with a full stop, unless it ends otherwise.
func ended(s string) string {
	if last, _ := utf8.DecodeLastRuneInString(s); s == "" || strings.ContainsRune(".!?…。！？”", last) {
		return s
	}
	return s + "."
}
