package evaluation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// Question is one line of a data set.
type Question struct {
	ID        string   `json:"id"`
	Question  string   `json:"question"`
	Choices   []string `json:"choices,omitempty"`   // the answers to choose from; none: the answer is free
	Answer    string   `json:"answer"`              // the right one: a choice's letter or its text, or the free answer
	Documents []string `json:"documents,omitempty"` // files that members are given, beside the data set
}

// The bounds of a data set.
const (
	MaxDataset   = 64 << 20 // bytes
	maxLine      = 1 << 20  // bytes
	maxQuestions = 100_000
	maxChoices   = 26 // letters
	maxTold      = 10 // lines of which it is said what is wrong with them
)

// Parse reads a data set: one JSON object a line, blank lines aside. Errors are for people and name the line; of lines
// that are no questions the first ten are told at once, joined.
func Parse(r io.Reader) ([]Question, error) {
	var all []Question
	var wrong []error
	ids := map[string]int{}
	lines := bufio.NewScanner(io.LimitReader(r, MaxDataset+1))
	lines.Buffer(nil, maxLine)
	size, number := 0, 0
	for lines.Scan() {
		line := lines.Bytes()
		number++
		if size += len(line) + 1; size > MaxDataset {
			return nil, fmt.Errorf("it is longer than %d MiB", MaxDataset>>20)
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		q, err := parse(line)
		if first := ids[q.ID]; err == nil && first > 0 {
			err = fmt.Errorf("the id %q is that of line %d already", q.ID, first)
		}
		if err != nil {
			if wrong = append(wrong, fmt.Errorf("line %d: %w", number, err)); len(wrong) == maxTold {
				break
			}
			continue
		}
		if ids[q.ID] = number; len(ids) > maxQuestions {
			return nil, fmt.Errorf("it has more than %d questions", maxQuestions)
		}
		all = append(all, q)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than %d MiB", number+1, maxLine>>20)
	}
	if lines.Err() != nil {
		return nil, lines.Err()
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
		return q, noQuestion(err)
	}
	if d.More() {
		return q, errors.New("there is more on it than one JSON object")
	}
	return q, q.check()
}

// noQuestion says in plain words what the decoder says of a line.
func noQuestion(err error) error {
	if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) && kind.Field != "" {
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
		n := normal(c)
		if n == "" {
			return fmt.Errorf("choice %s is empty", letter(i))
		}
		if at := letterOf(n); at >= 0 && at < len(q.Choices) && at != i {
			return fmt.Errorf("choice %s reads %q, which is the letter of another", letter(i), c)
		}
		for j := range i {
			if normal(q.Choices[j]) == n {
				return fmt.Errorf("choices %s and %s are the same", letter(j), letter(i))
			}
		}
	}
	if normal(q.Answer) == "" {
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
