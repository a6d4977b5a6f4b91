package evaluation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Question is one line of a data set.
type Question struct {
	ID        string   `json:"id"`
	Question  string   `json:"question"`
	Choices   []string `json:"choices,omitempty"`   // the answers to choose from; none: the answer is free
	Answer    string   `json:"answer"`              // the right one: a choice's letter or its text, or the free answer
	Documents []string `json:"documents,omitempty"` // files that members are given, beside the data set
}

const (
	MaxDataset   = 64 << 20 // bytes that callers read of a file
	maxLine      = 1 << 20  // bytes
	maxQuestions = 100_000
	maxChoices   = 26 // letters
	maxReported  = 10 // bad lines that are reported
)

// Parse reads a data set: one JSON object a line, blank lines aside. Errors are for people and name the line; those of
// the first ten invalid lines are joined.
func Parse(doc []byte) ([]Question, error) {
	var all []Question
	var wrong []error
	ids, number := map[string]int{}, 0
	for line := range bytes.Lines(bytes.TrimPrefix(doc, []byte("\ufeff"))) {
		if number++; len(line) > maxLine {
			return nil, fmt.Errorf("line %d is longer than %d MiB", number, maxLine>>20)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		q, err := parse(line)
		if first := ids[q.ID]; err == nil && first > 0 {
			err = fmt.Errorf("the id %q is that of line %d already", q.ID, first)
		}
		if err != nil {
			if wrong = append(wrong, fmt.Errorf("line %d: %w", number, err)); len(wrong) == maxReported {
				break
			}
			continue
		}
		if ids[q.ID] = number; len(ids) > maxQuestions {
			return nil, fmt.Errorf("it has more than %d questions", maxQuestions)
		}
		all = append(all, q)
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	if len(all) == 0 {
		return nil, errors.New("it has no question")
	}
	return all, nil
}

func parse(line []byte) (Question, error) {
	var q Question
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, lineError(err)
	}
	if d.More() {
		return q, errors.New("there is more on it than one JSON object")
	}
	return q, q.check()
}

// lineError puts the decoder's error about a line into plain words.
func lineError(err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && kind.Field != "" {
		return fmt.Errorf("the field %q has a %s, which is another kind of value than it takes", kind.Field, kind.Value)
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("there is no field %s; known are id, question, choices, answer and documents", field)
	}
	return errors.New("it is not a question: it takes a whole JSON object on one line")
}

func (q *Question) check() error {
	for _, field := range []struct{ name, value string }{{"id", q.ID}, {"question", q.Question}, {"answer", q.Answer}} {
		if strings.TrimSpace(field.value) == "" {
			return fmt.Errorf("%s is missing", field.name)
		}
	}
	if len(q.Choices) == 1 || len(q.Choices) > maxChoices {
		return fmt.Errorf("there are 2 to %d choices, not %d", maxChoices, len(q.Choices))
	}
	for i, c := range q.Choices {
		n := normalize(c)
		if n == "" {
			return fmt.Errorf("choice %s is empty", letter(i))
		}
		if at := letterOf(n); at >= 0 && at < len(q.Choices) && at != i {
			return fmt.Errorf("choice %s reads %q, which is the letter of another", letter(i), c)
		}
		for j := range i {
			if normalize(q.Choices[j]) == n {
				return fmt.Errorf("choices %s and %s are the same", letter(j), letter(i))
			}
		}
	}
	if normalize(q.Answer) == "" {
		return errors.New("answer has neither a letter nor a digit")
	}
	if _, ok := q.match(q.Answer); !ok {
		return fmt.Errorf("the answer %q is none of the choices", q.Answer)
	}
	for _, name := range q.Documents {
		if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) == "." {
			return fmt.Errorf("the document %q does not lie beside the data set", name)
		}
	}
	return nil
}

func letter(i int) string { return string(rune('A' + i)) }

// Topic returns the question as it is put: with its choices by letter, and the line that the answer is read from.
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

// answerLine finds lines that give an answer, with any Markdown around the word.
var answerLine = regexp.MustCompile(`(?im)^[\s>*_#\x60-]*answer[\s*_\x60]*[:：](.*)$`)

// Read finds the answer in a reply: the rest of the last line that begins with "ANSWER:". It is the text of a choice,
// or the free answer in normal form, such that equal answers are equal strings. Without either it is not readable.
func (q *Question) Read(reply string) (answer string, readable bool) {
	lines := answerLine.FindAllStringSubmatch(reply, -1)
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

// match brings an answer into its one form.
func (q *Question) match(words string) (string, bool) {
	n := normalize(words)
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
		if normalize(c) == n {
			return c, true
		}
	}
	if at := letterOf(n); at >= 0 && at < len(q.Choices) {
		return q.Choices[at], true
	}
	// "B) the second": the letter with the text of the same choice, or with nothing that could be meant otherwise.
	for i, c := range q.Choices {
		if rest, ok := strings.CutPrefix(n, strings.ToLower(letter(i))); ok && rest != "" && !isWordRune(rune(rest[0])) &&
			normalize(rest) == normalize(c) {
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

// normalize returns text without case, or anything but a word, sign or % at its ends, and with single spaces.
func normalize(s string) string {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	s = strings.TrimRightFunc(s, func(r rune) bool { return !isWordRune(r) && r != '%' })
	return strings.TrimLeftFunc(s, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune("-+$€£", r) })
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
