package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// batchLine is a session that is to be held, as a line of a batch says. What it leaves out is as the flags say.
type batchLine struct {
	ID      string   `json:"id,omitempty"`
	Topic   string   `json:"topic"`
	Options []string `json:"options,omitempty"`
	Council string   `json:"council,omitempty"`
	Context []string `json:"context,omitempty"`
	Output  string   `json:"output,omitempty"`
	Pace    string   `json:"pace,omitempty"`

	number int // of the line, from 1
}

const (
	maxBatch     = 64 << 20 // bytes
	maxLineID    = 100      // characters
	maxBadShown  = 10       // lines
	maxLineShown = 60       // characters of a topic
)

// readBatch reads a file of one JSON object a line. Its usage error tells of each line what is wrong with it.
func (a *app) readBatch(file string) ([]batchLine, error) {
	doc, err := a.readInput("the batch cannot be read", file, maxBatch+1)
	if err != nil {
		return nil, err
	}
	if len(doc) > maxBatch {
		return nil, cli.Refuse(fmt.Sprintf("the batch is longer than %d MiB", maxBatch>>20), "Split it into several.")
	}
	var lines []batchLine
	var wrong []string
	before := map[string]int{}
	for i, text := range bytes.Split(doc, []byte("\n")) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		l := batchLine{number: i + 1}
		err := l.read(text)
		if first, twice := before[l.word()]; err == nil && twice {
			err = fmt.Errorf("the same id, or without one the same content, stands in line %d; "+
				"to hold a session twice give each line an id", first)
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("line %d: %v", i+1, err))
			continue
		}
		before[l.word()] = i + 1
		lines = append(lines, l)
	}
	if len(wrong) == 0 && len(lines) == 0 {
		wrong = []string{"it is empty"}
	}
	return lines, refuseBatch(file, wrong)
}

// refuseBatch returns a usage error with what is wrong, nil if nothing is.
func refuseBatch(file string, wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	if more := len(wrong) - maxBadShown; more > 0 {
		wrong = append(wrong[:maxBadShown], "and "+plural.Things(more, "more line"))
	}
	return cli.Refuse("the batch "+cli.Quote(inputName(file))+" cannot be held: "+strings.Join(wrong, "\n"),
		`Nothing was begun. A line is {"topic": "…"}, and if you like "id", "options", "council", "context", "output" and "pace".`)
}

func (l *batchLine) read(text []byte) error {
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(l); err != nil {
		return fmt.Errorf("it is not a JSON object of a session: %w", err)
	}
	if strict.More() {
		return errors.New("something follows the JSON object")
	}
	topic, err := checkTopic(l.Topic)
	if err != nil {
		return err
	}
	l.Topic = topic
	if len([]rune(l.ID)) > maxLineID || hostile.Line(l.ID) != l.ID {
		return fmt.Errorf("the id must be one line of at most %d characters", maxLineID)
	}
	for _, path := range l.Context {
		if path == "-" {
			return errors.New("its context is standard input, which a line cannot be given")
		}
		if _, err := os.Lstat(path); err != nil && !strings.ContainsAny(path, "*?[{") {
			return fmt.Errorf("the context %s cannot be read: %w", cli.Quote(path), atomicfile.Explain(err))
		}
	}
	return nil
}

// word returns the last word of the id of the line's session: it follows from the line's id or, without one, from all
// that the line says. So a later run finds the session.
func (l *batchLine) word() string {
	what := "id " + l.ID
	if l.ID == "" {
		doc, _ := json.Marshal(l) // of texts alone
		what = "line " + string(doc)
	}
	return "b" + council.Digest(what)[:11]
}

// name returns the line for people.
func (l *batchLine) name() string {
	if l.ID != "" {
		return l.ID
	}
	return fmt.Sprintf("line %d, %s", l.number, terminal.Short(l.Topic, maxLineShown))
}

// of returns the options of the line's session.
func (l *batchLine) of(o conveneOptions) conveneOptions {
	if l.Council != "" {
		o.charter.council, o.charter.config = l.Council, ""
	}
	if l.Pace != "" {
		o.charter.pace = l.Pace
	}
	if l.Output != "" {
		o.output = l.Output
	}
	if l.Options != nil {
		o.options = l.Options
	}
	if l.Context != nil {
		o.context.contexts = l.Context
	}
	o.batch, o.caps = "", budgetFlags{}
	o.show = display{quiet: true, later: true}
	return o
}
