package doctor

import (
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

// Before is what convene looks at before its first call: phases and votes, keys and addresses as they are configured, and
// the budget against the first prompts. It makes no call and touches no disk. Its error is an [*UnfitError] that holds
// all that would stop the council; what would only cost is told on Errs, unless quietly.
func (d Desk) Before(c *council.Charter, topic council.Topic, quietly bool) error {
	var found findings
	if _, _, err := d.look(c, topic, &found); err != nil {
		return err
	}
	if stops := found.of(Stops); len(stops) > 0 {
		return &UnfitError{Found: stops}
	}
	for _, f := range found.of(Costs) {
		if !quietly {
			fmt.Fprintln(d.Errs, terminal.Sprintf("Careful: %s", f))
		}
	}
	return nil
}
