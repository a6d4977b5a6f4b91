package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
)

// The title follows from the name, whatever stands in the file that it was copied from.
func TestCouncilsFind_ACopyIsCalledByItsName(t *testing.T) {
	for _, test := range []struct{ doc, name, want string }{
		{`{"councilName": "A \"B\"", "purpose": "councilName"}`, "queue-review",
			`{"councilName": "Queue Review", "purpose": "councilName"}`},
		{"{ // why\n \"councilName\" :\n\"A\",}", "x_1", "{ // why\n \"councilName\" :\n\"X 1\",}"},
		{`{"purpose": "P"}`, "x", `{"purpose": "P"}`},
		{`{"councilName": "A"}`, "0-_", `{"councilName": "0"}`},
	} {
		check.Equal(t, "it", test.want, string(seat.Retitled([]byte(test.doc), test.name)))
	}
}

// The handbook's table is that of the councils, and it names every skeleton.
func TestCouncilsFind_TheHandbookKnowsEveryCouncil(t *testing.T) {
	text := check.Get(os.ReadFile("../../docs/councils.md"))(t)
	for _, name := range templates.Councils() {
		doc, _ := templates.Council(name)
		c := check.Get(config.Parse(doc))(t)
		var phases []string
		for _, p := range c.Phases {
			phases = append(phases, string(p.ID))
		}
		row := ""
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "| `"+name+"` |") {
				row = line
			}
		}
		last := c.Phases[len(c.Phases)-1].Governance
		needs := fmt.Sprintf("%s, %d of %d", last.MajorityThreshold.Words(), last.Rule(len(c.Members)).Needed(len(c.Members)),
			len(c.Members))
		for _, want := range []string{"| " + strings.Join(phases, ", ") + " |",
			"| `" + c.DocumentationReview.Skeleton + "` |", "| " + needs} {
			if !strings.Contains(row, want) {
				t.Errorf("the row of %s lacks %q: %s", name, want, row)
			}
		}
	}
	for _, name := range templates.Skeletons() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("the handbook does not name the skeleton %s", name)
		}
	}
}
