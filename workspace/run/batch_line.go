package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace/site"
)

// BatchLine is a session to hold, as a line of a batch describes it. Flags give the missing fields.
type BatchLine struct {
	ID      string   `json:"id,omitempty"`
	Topic   string   `json:"topic"`
	Options []string `json:"options,omitempty"`
	Council string   `json:"council,omitempty"`
	Context []string `json:"context,omitempty"`
	Output  string   `json:"output,omitempty"`
	Pace    string   `json:"pace,omitempty"`

	Number int `json:"-"` // of the line, from 1

	// Given has the documents of the context, which were read elsewhere; nil: they are read here.
	Given *council.Topic `json:"-"`
}

// MaxBatch is the size in bytes of the largest batch.
const MaxBatch = 64 << 20

const (
	maxLineID = 100 // bytes
	batchHint = `Nothing was begun. A line is {"topic": "…"}, and if you like "id", "options", "council", "context", ` +
		`"output" and "pace".`
)

// ParseBatch reads one JSON object a line. Its errors are of usage.
func ParseBatch(doc []byte) (lines []BatchLine, err error) {
	if len(doc) > MaxBatch || len(bytes.TrimSpace(doc)) == 0 {
		return nil, site.Refuse(fmt.Sprintf("the batch is empty, or longer than %d MiB", MaxBatch>>20), batchHint)
	}
	known := map[string]int{}
	for i, text := range bytes.Split(doc, []byte("\n")) {
		l := BatchLine{Number: i + 1}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err = l.read(text); err == nil && known[l.Word()] > 0 {
			err = site.Refuse(fmt.Sprintf("its id or, without one, its content is that of line %d", known[l.Word()]),
				"To hold a session twice, give each line an id. "+batchHint)
		}
		if err != nil {
			return nil, l.wrong(err)
		}
		known[l.Word()] = l.Number
		lines = append(lines, l)
	}
	return lines, nil
}

func (l *BatchLine) wrong(err error) error {
	return fmt.Errorf("line %d of the batch: %w", l.Number, err)
}

func (l *BatchLine) read(text []byte) (err error) {
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	err = strict.Decode(l)
	wrong, isWrong := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case isWrong:
		return site.Refuse(fmt.Sprintf("its %s cannot be a %s", cmp.Or(wrong.Field, "content"), wrong.Value), batchHint)
	case err != nil:
		return site.Refuse("it is not a JSON object of a session: "+err.Error(), batchHint)
	case strict.More():
		return site.Refuse("something follows the JSON object", batchHint)
	case len(l.ID) > maxLineID || hostile.Line(l.ID) != l.ID:
		return site.Refuse(fmt.Sprintf("the id must be one line of at most %d bytes", maxLineID), batchHint)
	}
	l.Topic, err = site.CheckTopic(l.Topic)
	return err
}

// Word returns the last word of the id of the line's session: it follows from the line's id or, without one, from all
// that the line says. So a later run finds the session.
func (l *BatchLine) Word() string {
	what := "id " + l.ID
	if l.ID == "" {
		doc, _ := json.Marshal(l) // of texts alone
		what = "line " + string(doc)
	}
	return "b" + council.Digest(what)[:11]
}

// Name returns the line for people.
func (l *BatchLine) Name() string {
	if l.ID != "" {
		return l.ID
	}
	return fmt.Sprintf("line %d, %s", l.Number, hostile.Excerpt(l.Topic, 60))
}

// of returns the request for the line's session.
func (l *BatchLine) of(r Request) Request {
	if l.Council != "" {
		r.Council, r.Config = l.Council, ""
	}
	if l.Options != nil {
		r.Options = l.Options
	}
	if l.Context != nil {
		r.Context.Paths = l.Context
	}
	if r.Given = l.Given; r.Given != nil {
		r.Context = documents.Request{}
	}
	r.Pace, r.Output = cmp.Or(l.Pace, r.Pace), cmp.Or(l.Output, r.Output)
	r.Topic, r.Within, r.Caps = l.Topic, r.Caps.USDGiven || r.Caps.TokensGiven, site.Caps{}
	return r
}
