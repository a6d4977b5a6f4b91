package main

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/council-engine/council/internal/counciltest"
)

func TestMain(m *testing.M) {
	counciltest.Cheaply()
	testscript.Main(m, map[string]func(){"council": main, "tickets-mcp": ticketsProgram})
}

// TestScripts runs the real command in scripts: what a user types, what is printed, what stands on disk.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("USER", "tester")
			env.Setenv("GOGC", "off")                                         // a quarter of what short processes take
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state")) // else the anchors of the machine would grow
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")                          // nobody answers there
			env.Setenv("COUNCIL_KEYRING", "off")                              // the machine's own is none of ours
			return nil
		},
	})
}

// testOnlyApp is the command without a terminal, keys or signals.
func testOnlyApp(out, errs *bytes.Buffer) *app {
	return &app{
		stdin: &bytes.Buffer{}, stdout: out, stderr: errs,
		getenv: func(name string) string {
			return map[string]string{"USER": "tester", "OLLAMA_HOST": "127.0.0.1:1", "COUNCIL_KEYRING": "off"}[name]
		},
		now:     time.Now,
		random:  rand.Reader,
		signals: catching(nil),

		trusting: true,
	}
}

// catching are the signals of a channel.
func catching(signals <-chan os.Signal) func() (<-chan os.Signal, func()) {
	return func() (<-chan os.Signal, func()) { return signals, func() {} }
}
