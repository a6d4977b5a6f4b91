package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// kept makes places of two folders that hold the given files.
func kept(t *testing.T, workspace, own map[string]string) seat.Places {
	t.Helper()
	dir := t.TempDir()
	p := seat.Places{filepath.Join(dir, "root", seat.CouncilsFolder), filepath.Join(dir, "config", "council",
		seat.CouncilsFolder)}
	for i, files := range []map[string]string{workspace, own} {
		for name, text := range files {
			path := filepath.Join(p[i], name)
			check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
			check.OK(t, os.WriteFile(path, []byte(text), 0o600))
		}
	}
	return p
}

// A name is not a path: nothing outside of the folders is read by one.
func TestANameIsNoPath(t *testing.T) {
	p := kept(t, map[string]string{"../secret.json": "{}", "sub/x.json": "{}", "A.json": "{}", ".json": "{}",
		"é.json": "{}", "x.jsonc": "{}"}, nil)
	for _, name := range []string{"../secret", "sub/x", "x", "A", "", ".", "..", "é", "x.jsonc", p[0] + "/../secret",
		"a\x00b", strings.Repeat("a", 65)} {
		_, err := p.Find(name)
		var use *site.Error
		if !errors.As(err, &use) || !strings.Contains(use.Hint, "There are: general") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if names, err := p.Names(); err != nil || len(names) != len(templates.Councils()) {
		t.Errorf("%v, %v", names, err)
	}
}

func TestCouncils_OneThatCannotBeReadIsNotPassedOver(t *testing.T) {
	p := kept(t, map[string]string{"general.json/x": "", "empty.json": ""}, nil)
	check.Fails(t, "it", check.Err(p.Find("general")), "general.json cannot be read: it is not an ordinary file")
	if l := p.Line("general"); !strings.Contains(l.Problem, "cannot be read") {
		t.Errorf("%+v", l)
	}
	if c, err := p.Find("empty"); err != nil || c.Doc == nil {
		t.Errorf("%+v, %v", c, err)
	}
	if l := p.Line("empty"); !strings.Contains(l.Problem, "the file is empty") {
		t.Errorf("%+v", l)
	}
}

// The title follows from the name, whatever stands in the file that it was copied from.
func TestACopyIsCalledByItsName(t *testing.T) {
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
func TestTheHandbookKnowsEveryCouncil(t *testing.T) {
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
