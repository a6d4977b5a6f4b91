package templates_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
)

// tellers are those who tell the events of a session.
var tellers = []string{"prompt", "transcript", "terminal"}

// An event that a teller forgets is one that members, readers or watchers never hear of.
func TestEachTellerTellsEachEventOrIsSilent(t *testing.T) {
	for _, teller := range tellers {
		blocks := definitions(t, teller)
		if blocks["silent"] == nil {
			t.Fatalf("%s.tmpl does not define \"silent\"", teller)
		}
		silent := strings.FieldsFunc(blocks["silent"].Root.String(), func(r rune) bool {
			return (r < 'A' || r > 'Z') && r != '_'
		})
		for _, event := range council.EventTypes() {
			told, silenced := blocks[string(event)] != nil, slices.Contains(silent, string(event))
			if told == silenced {
				t.Errorf("%s.tmpl: %s has a definition: %t; is named as silent: %t; want one of the two",
					teller, event, told, silenced)
			}
		}
		for name := range blocks {
			if strings.ToUpper(name) == name && council.NewPayload(council.EventType(name)) == nil {
				t.Errorf("%s.tmpl defines %s, which is not a type of event", teller, name)
			}
		}
	}
}

// definitions returns the definitions of a teller's template by name.
func definitions(t *testing.T, teller string) map[string]*parse.Tree {
	t.Helper()
	text := check.Get(fs.ReadFile(templates.Tellings(), teller+".tmpl"))(t)
	blocks := map[string]*parse.Tree{}
	file := parse.New(teller)
	file.Mode = parse.SkipFuncCheck
	check.Get(file.Parse(string(text), "", "", blocks))(t)
	return blocks
}
