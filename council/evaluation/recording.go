package evaluation

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/names"
)

// Recording holds answers that models gave to questions with known answers, or forecasts on resolved questions.
type Recording struct {
	head       []string // the names of the columns
	models     []string
	answers    [][]answer // by question, then by model
	forecasts  []forecast
	forecastOf map[[2]string]int // by question and condition
}

// answer numbers the different answers to a question in the order of its line; 0 is the right one.
type answer int

const (
	unreadable answer = -1 // it counts as wrong, and casts no ballot
	unasked    answer = -2
)

// ParseRecording reads a CSV file. Its first column names the question. With columns before and after it holds
// forecasts; else the column answer has the right answer, and each column after it the answers of a model: empty where
// none was readable, unless the right answer is empty too, and "?" where the model was not asked. Errors name the line.
func ParseRecording(doc []byte) (*Recording, error) {
	lines := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(doc, []byte("\ufeff"))))
	r, known := &Recording{forecastOf: map[[2]string]int{}}, map[string]bool{}
	for {
		cells, err := lines.Read()
		switch right := slices.Index(r.head, "answer"); {
		case errors.Is(err, io.EOF) && len(r.answers)+len(r.forecasts) == 0:
			return nil, errors.New("it has no question")
		case errors.Is(err, io.EOF):
			return r, nil
		case err != nil: // it names the line
			return nil, err
		case r.head == nil:
			err = r.readHead(cells)
		case r.models == nil:
			err = r.addForecast(cells)
		case known[cells[0]]:
			err = fmt.Errorf("the question %q has a line already", cells[0])
		default:
			r.answers, known[cells[0]] = append(r.answers, number(cells[right:])), true
		}
		if err != nil {
			line, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// readHead reads the first line.
func (r *Recording) readHead(head []string) error {
	r.head = head
	if slices.Contains(head, "before") && slices.Contains(head, "after") {
		for _, name := range []string{"resolution", "condition"} {
			if !slices.Contains(head, name) {
				return fmt.Errorf("forecasts need the column %q", name)
			}
		}
		return nil
	}
	right := slices.Index(head, "answer")
	if right < 1 || right == len(head)-1 {
		return errors.New(`its columns are the question, "answer" and a column for each model`)
	}
	r.models = head[right+1:]
	return nil
}

// number numbers the answers after the first text, which is the right one.
func number(texts []string) (all []answer) {
	different := texts[:1:1]
	for _, text := range texts[1:] {
		a := answer(slices.Index(different, text))
		switch {
		case text == "?":
			a = unasked
		case a < 0 && text == "":
			a = unreadable
		case a < 0:
			a, different = answer(len(different)), append(different, text)
		}
		all = append(all, a)
	}
	return all
}

// panel returns the columns of models, each given by its name or a beginning that no other has.
func (r *Recording) panel(models []string) (seats []int, err error) {
	for _, name := range models {
		seat := names.Meant(name, r.models, func(model string) []string { return []string{model} })
		if seat < 0 {
			return nil, fmt.Errorf("%q is none of its models, or several: %s", name, strings.Join(r.models, ", "))
		}
		seats = append(seats, seat)
	}
	return seats, nil
}
