package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/setup"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
)

// A council may come from anywhere: what its file says reaches a terminal as words and nothing else.
func TestAFileSaysNothingToTheTerminal(t *testing.T) {
	ready, _ := templates.Council("naming")
	doc := strings.NewReplacer(
		"Find a name that", `\u001b[2JFind a name\nhostile (ready-made)\u202e that`, "The Checker", `\u001b]0;x\u0007`,
		`"choose"`, `"choose\nhostile (ready-made)"`, "What was not", `What\nhostile (ready-made)`,
	).Replace(string(ready))
	p := kept(t, map[string]string{"hostile.json": doc, "broken.json": "{\"\x1b[2J\": 1}"}, nil)
	var out bytes.Buffer
	a := cli.Env{Out: &out}
	for _, name := range []string{"hostile", "broken"} {
		cli.SayPage(&a, "council of a list", p.Line(name))
	}
	found, err := p.Find("hostile")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(found.Doc)
	if err != nil {
		t.Fatal(err)
	}
	cli.SayPage(&a, "council", setup.CouncilPage{Charter: &c, Name: found.Name, From: found.From(),
		Document: seat.DocumentWords(&c)})
	all, err := p.Own()
	if err != nil {
		t.Fatal(err)
	}
	if err := setup.CheckCouncils(&a, all, false); err == nil {
		t.Error("nothing was wrong")
	}
	if strings.ContainsAny(out.String(), "\x1b\x07\u202e") {
		t.Errorf("%q", out.String())
	}
	if strings.Contains(out.String(), "\nhostile (ready-made)") {
		t.Errorf("a file made a line of its own:\n%s", &out)
	}
}
