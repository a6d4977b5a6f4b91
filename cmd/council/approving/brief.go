package approving

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/cmd/council/withheld"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/fileerror"
)

// readBrief reads the brief that is to take the place of another.
func readBrief(path string) (council.Brief, error) {
	f, err := os.Open(path)
	if err != nil {
		return council.Brief{}, fmt.Errorf("the brief cannot be read from %s: %w", path, fileerror.Of(err))
	}
	defer f.Close()
	doc, err := io.ReadAll(f)
	if err != nil {
		return council.Brief{}, fmt.Errorf("the brief cannot be read from %s: %w", path, fileerror.Of(err))
	}
	d := json.NewDecoder(strings.NewReader(withheld.Said(string(doc))))
	d.DisallowUnknownFields()
	var b council.Brief
	if err := d.Decode(&b); err != nil {
		return b, fmt.Errorf("%s is not a brief: %w; the field brief of execution-handoff.json shows the form", path, fileerror.Of(err))
	}
	if strings.TrimSpace(b.Objective) == "" {
		return b, fmt.Errorf("%s is not a brief: it has no objective", path)
	}
	return b, nil
}

// standing says how an execution stands.
var standing = map[council.ExecutionStatus]string{
	council.ExecutionAwaitingApproval: "awaits approval",
	council.ExecutionCleared:          "is cleared",
	council.ExecutionPermitted:        "is approved",
	council.ExecutionRefused:          "is rejected",
	council.ExecutionUnderWay:         "has started",
	council.ExecutionSucceeded:        "succeeded",
	council.ExecutionFailed:           "failed",
}

// briefText is a brief for people.
func briefText(b council.Brief) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n(for: %s)\n", terminal.Words(b.Objective), terminal.Words(b.RecommendedExecutorProfile))
	for _, part := range []struct {
		title string
		lines []string
	}{{"Steps", b.Steps}, {"Risks", b.Risks}, {"Accepted when", b.AcceptanceCriteria}} {
		if len(part.lines) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n%s\n", part.title)
		for i, line := range part.lines {
			fmt.Fprintf(&text, "  %d. %s\n", i+1, terminal.Words(line))
		}
	}
	return text.String()
}
