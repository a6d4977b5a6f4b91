package evaluation

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Recording holds answers that models gave to questions with known answers, or forecasts on questions that are
// resolved.
type Recording struct {
	models    []string   // in the order of the file
	answers   [][]answer // by question, then by model
	forecasts []forecast
}

// answer numbers the different answers to a question in the order of its line; 0 is the right one.
type answer int

const (
	unreadable answer = -1 // it counts as wrong, and casts no ballot
	unasked    answer = -2
)

// ParseRecording reads a CSV file. Its first column names the question. With columns before and after it holds
// forecasts; else the column answer has the right answer, and each column after it the answers of a model: empty where
// none was readable, unless the right answer is empty too, and "?" where the model was not asked. Errors are for
// people and name the line.
func ParseRecording(doc []byte) (*Recording, error) {
	if len(doc) > MaxDataset {
		return nil, fmt.Errorf("it is longer than %d MiB", MaxDataset>>20)
	}
	lines := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))))
	head, err := lines.Read()
	if err != nil {
		return nil, lineOf(err, head)
	}
	r := &Recording{}
	add, err := r.reader(head)
	if err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	for {
		cells, err := lines.Read()
		switch {
		case errors.Is(err, io.EOF) && len(r.answers)+len(r.forecasts) == 0:
			return nil, errors.New("it has no question")
		case errors.Is(err, io.EOF):
			return r, nil
		case err != nil:
			return nil, lineOf(err, cells)
		}
		if err := add(cells); err != nil {
			number, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// lineOf puts an error of the CSV decoder into plain words.
func lineOf(err error, cells []string) error {
	wrong, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case !ok:
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return fmt.Errorf("line %d: it has %d cells, other than the first line", wrong.Line, len(cells))
	}
	return fmt.Errorf("line %d: %w", wrong.Line, wrong.Err)
}

// reader returns the function that adds a line of a file with such a first line.
func (r *Recording) reader(head []string) (func(cells []string) error, error) {
	if slices.Contains(head, "before") && slices.Contains(head, "after") {
		return r.forecastReader(head)
	}
	right := slices.Index(head, "answer")
	if right < 1 || right == len(head)-1 {
		return nil, errors.New(`its columns are the question, "answer" and a column for each model`)
	}
	r.models = head[right+1:]
	for i, name := range r.models {
		if strings.TrimSpace(name) == "" || slices.Contains(r.models[:i], name) {
			return nil, fmt.Errorf("the model %q has no name or two columns", name)
		}
	}
	known := map[string]bool{}
	return func(cells []string) error {
		if known[cells[0]] {
			return fmt.Errorf("the question %q has a line already", cells[0])
		}
		known[cells[0]] = true
		r.answers = append(r.answers, number(cells[right:]))
		return nil
	}, nil
}

// number numbers the answers after the first text, which is the right one.
func number(texts []string) []answer {
	var all []answer
	var different []string
	for i, text := range texts {
		known := slices.Index(different, text)
		switch {
		case i > 0 && text == "?":
			all = append(all, unasked)
		case known >= 0:
			all = append(all, answer(known))
		case i > 0 && text == "":
			all = append(all, unreadable)
		default:
			all, different = append(all, answer(len(different))), append(different, text)
		}
	}
	return all[1:]
}

// panel returns the columns of models, each given by its name or a beginning that no other has.
func (r *Recording) panel(names []string) (seats []int, err error) {
	for _, name := range names {
		var found []int
		for i, model := range r.models {
			if model == name {
				found = []int{i}
				break
			}
			if strings.HasPrefix(model, name) {
				found = append(found, i)
			}
		}
		switch {
		case len(found) == 0 || name == "":
			return nil, fmt.Errorf("it has no model %q, but %s", name, strings.Join(r.models, ", "))
		case len(found) > 1:
			return nil, fmt.Errorf("several of its models begin with %q: %s", name, strings.Join(r.models, ", "))
		case slices.Contains(seats, found[0]):
			return nil, fmt.Errorf("the model %q has two seats", r.models[found[0]])
		}
		seats = append(seats, found[0])
	}
	return seats, nil
}
