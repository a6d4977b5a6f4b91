package main

import (
	"path/filepath"
	"testing"

	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

// Colours and a status are for terminals that can show them, and for people who want them.
func TestWatch_ColoursGoAway(t *testing.T) {
	root := check.Get(recorder.OpenRoot(filepath.Join(t.TempDir(), ".council")))(t)
	defer root.Close()
	for name, test := range map[string]struct {
		terminal bool
		env      map[string]string
		plain    bool
		colour   bool
		live     bool
	}{
		"a terminal":      {terminal: true, colour: true, live: true},
		"a pipe":          {},
		"NO_COLOR":        {terminal: true, env: map[string]string{"NO_COLOR": "1"}, live: true},
		"an empty one":    {terminal: true, env: map[string]string{"NO_COLOR": ""}, colour: true, live: true},
		"--no-color":      {terminal: true, plain: true, live: true},
		"a dumb terminal": {terminal: true, env: map[string]string{"TERM": "dumb"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := testOnlyApp(nil, nil)
			a.Terminal, a.Getenv = test.terminal, func(n string) string { return test.env[n] }
			v := session.NewView(a, session.Display{Plain: test.plain}, root, crashSession, nil)
			if v.Colour != test.colour || v.Live != test.live {
				t.Errorf("colour %v, live %v", v.Colour, v.Live)
			}
		})
	}
}
