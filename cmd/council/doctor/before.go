package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
)

// UnfitError says what stops a council. Nothing was written, and no call was made.
type UnfitError struct{ Found []Finding }

func (e *UnfitError) Error() string {
	var lines []string
	for _, f := range e.Found {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// String is a finding on one line: whom it concerns, what is wrong and what to do.
func (f Finding) String() string {
	who := ""
	if len(f.Members) > 0 {
		who = names(f.Members) + ": "
	}
	return fmt.Sprintf("%s%s %s", who, f.Problem, f.Do)
}

// Before is what convene looks at before its first call: phases and votes, keys and addresses as they are configured, the
// budget against the first prompts, and the contexts of models against the prompts to come. Servers that can tell how large a
// context is are asked, and what they say is noted in the charter where its configuration leaves it out; no question is put
// and no disk touched. Its error is an [*UnfitError] that holds all that would stop the council; what would only cost is told on
// Errs, unless quietly.
func (d Desk) Before(ctx context.Context, c *council.Charter, topic council.Topic, quietly bool) error {
	var found findings
	size, _, err := d.look(c, topic, &found)
	if err == nil {
		err = unfit(found)
	}
	if err != nil {
		return err
	}
	checkContexts(c, size, d.learn(ctx, c, quietly), &found)
	return d.careful(found, quietly)
}

// AsWritten is Before without asking any server.
func (d Desk) AsWritten(c *council.Charter, topic council.Topic) error {
	var found findings
	size, _, err := d.look(c, topic, &found)
	if err != nil {
		return err
	}
	checkContexts(c, size, nil, &found)
	return d.careful(found, false)
}

// careful tells what would cost, unless something would stop the council.
func (d Desk) careful(found findings, quietly bool) error {
	if err := unfit(found); err != nil {
		return err
	}
	for _, f := range found.of(Costs) {
		if !quietly {
			fmt.Fprintln(d.Errs, terminal.Sprintf("Careful: %s", f))
		}
	}
	return nil
}

func unfit(found findings) error {
	if stops := found.of(Stops); len(stops) > 0 {
		return &UnfitError{Found: stops}
	}
	return nil
}
