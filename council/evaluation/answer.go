package evaluation

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Topic returns the question as it is put to a council: with its choices by letter, and the line that the answer is
// read from.
func (q *Question) Topic() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(q.Question) + "\n\n")
	form := "<the answer alone, as short as it can be>"
	for i, c := range q.Choices {
		fmt.Fprintf(&b, "%s) %s\n", letter(i), strings.TrimSpace(c))
	}
	if len(q.Choices) > 0 {
		b.WriteString("\n")
		form = "<the letter of one choice>"
	}
	b.WriteString(
		"The question has one right answer. End your position, and what is decided by the motion that answers the " +
			"question, with a line of its own:\nANSWER: " + form)
	return b.String()
}

// said finds lines that give an answer, whatever Markdown is around the word.
var said = regexp.MustCompile(`(?im)^[\s>*_#\x60-]*answer[\s*_\x60]*[:：](.*)$`)

// Read finds the answer in a reply: what the last line that begins with "ANSWER:" says. It is the text of a choice, or
// the free answer in normal form, such that equal answers are equal strings. It is not readable without such a line,
// and when what stands there is no choice.
func (q *Question) Read(reply string) (answer string, readable bool) {
	lines := said.FindAllStringSubmatch(reply, -1)
	if len(lines) == 0 {
		return "", false
	}
	return q.match(lines[len(lines)-1][1])
}

// Right returns the right answer in the form in which Read gives it.
func (q *Question) Right() string {
	right, _ := q.match(q.Answer) // checked when it was parsed
	return right
}

// match brings an answer into the one form of it.
func (q *Question) match(words string) (string, bool) {
	n := normal(words)
	if n == "" {
		return "", false
	}
	if len(q.Choices) == 0 {
		if f, err := strconv.ParseFloat(strings.ReplaceAll(n, ",", ""), 64); err == nil {
			return strconv.FormatFloat(f, 'g', -1, 64), true
		}
		return n, true
	}
	for _, c := range q.Choices {
		if normal(c) == n {
			return c, true
		}
	}
	if at := letterOf(n); at >= 0 && at < len(q.Choices) {
		return q.Choices[at], true
	}
	// "B) the second": the letter with the text of the same choice, or with nothing that could be meant otherwise.
	for i, c := range q.Choices {
		if rest, ok := strings.CutPrefix(n, strings.ToLower(letter(i))); ok && rest != "" && !wordy(rune(rest[0])) &&
			normal(rest) == normal(c) {
			return c, true
		}
	}
	return "", false
}

// letterOf returns the place of a choice that is named by its letter alone, or -1.
func letterOf(n string) int {
	n = strings.TrimPrefix(n, "choice ")
	n = strings.TrimPrefix(n, "option ")
	if len(n) == 1 && n[0] >= 'a' && n[0] <= 'z' {
		return int(n[0] - 'a')
	}
	return -1
}

// normal is text without case, Markdown, quotes, brackets and stops around it, and with single spaces. A sign before a
// number stays.
func normal(s string) string {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	s = strings.TrimRightFunc(s, func(r rune) bool { return !wordy(r) && r != '%' })
	return strings.TrimLeftFunc(s, func(r rune) bool {
		return !wordy(r) && !strings.ContainsRune("-+$€£", r)
	})
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
