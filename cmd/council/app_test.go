package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// deciding is the value of --model for members of a script that bring any council to a decision: the second to speak
// moves, and all but the steward vote YES. The rehearsal decides nothing: it is for tests that need only a session.
var deciding = func() string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return "script/" + filepath.ToSlash(filepath.Join(folder, "testdata", "decides.jsonl"))
}()

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "council" { // started by a script, see commandOnPath
		main()
	}
	counciltest.Cheaply()
	testscript.Main(m, map[string]func(){"tickets-mcp": ticketsProgram})
}

// TestScripts runs the command in scripts: what a user types, what is printed, what stands on disk. "council" runs
// within this process, which takes a quarter of the CPU; "exec council", and what a shell starts, is a process of its
// own, with the environment of the script. "exits N council" demands that exit code, "times N council" runs it so
// often, "given FILE council" with a file as standard input, "read NAME" puts what stands in the file NAME into $NAME,
// and "find NAME REGEXP" what the group of the expression matched in the last output. "seats FILE JSON [REPLIES]"
// writes the configuration of Ada, Bob and Cyn, who speak by the script replies.json, with the JSON laid over it.
// "--model $DECIDES" seats members that decide, see [deciding].
func TestScripts(t *testing.T) {
	counciltest.NotUnderRace(t)
	bin := commandOnPath(t)
	scripts := check.Get(filepath.Abs("testdata/script"))(t)
	var running sync.Mutex // there is only one working folder
	here := func(ts *testscript.TestScript, in string, args []string) int {
		running.Lock()
		defer running.Unlock()
		return runHere(ts, in, args)
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts,
		Setup: func(env *testscript.Env) error {
			env.Setenv("USER", "tester")
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("GOGC", "off")                                         // a quarter of what short processes take
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state")) // else the anchors of the machine would grow
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")                          // nobody answers there
			env.Setenv("COUNCIL_KEYRING", "off")                              // the machine's own is none of ours
			env.Setenv("DECIDES", deciding)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"council": func(ts *testscript.TestScript, neg bool, args []string) {
				if code := here(ts, "", args); (code != cli.ExitOK) != neg {
					ts.Fatalf("council ended with exit code %d", code)
				}
			},
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				if code := here(ts, "", args[2:]); strconv.Itoa(code) != args[0] {
					ts.Fatalf("council ended with exit code %d instead of %s", code, args[0])
				}
			},
			"times": func(ts *testscript.TestScript, _ bool, args []string) {
				n, err := strconv.Atoi(args[0])
				ts.Check(err)
				for range n {
					if code := here(ts, "", args[2:]); code != cli.ExitOK {
						ts.Fatalf("council ended with exit code %d", code)
					}
				}
			},
			"given": func(ts *testscript.TestScript, neg bool, args []string) {
				if code := here(ts, ts.ReadFile(args[0]), args[2:]); (code != cli.ExitOK) != neg {
					ts.Fatalf("council ended with exit code %d", code)
				}
			},
			"read": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[0])))
			},
			"find": func(ts *testscript.TestScript, _ bool, args []string) {
				found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
				if found == nil {
					ts.Fatalf("%s is not in the output", args[1])
				}
				ts.Setenv(args[0], found[1])
			},
			"seats": func(ts *testscript.TestScript, _ bool, args []string) {
				var council, change any
				replies := append(args, "replies.json")[2]
				ts.Check(json.Unmarshal([]byte(strings.ReplaceAll(scripted, "REPLIES", replies)), &council))
				ts.Check(json.Unmarshal([]byte(args[1]), &change))
				doc, err := json.Marshal(overlaid(council, change))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), doc, 0o600))
			},
		},
	})
}

// scripted is the configuration that the scripts' "seats" begins with.
const scripted = `{"councilName": "Scripted", "purpose": "To show.", "sessionPolicy": {"entryPhaseId": "decide"},
 "phases": [{"id": "decide", "goal": "Decide.", "stopConditions": {"maxRounds": 1}}],
 "members": [
  {"id": "ada", "name": "Ada", "role": "architect", "systemPrompt": "Build.", "model": {"provider": "script", "model": "REPLIES"}},
  {"id": "bob", "name": "Bob", "role": "operator", "systemPrompt": "Run.", "model": {"provider": "script", "model": "REPLIES"}},
  {"id": "cyn", "name": "Cyn", "role": "critic", "systemPrompt": "Doubt.", "model": {"provider": "script", "model": "REPLIES"}}]}`

// overlaid returns a value of JSON with another laid over it: objects by their fields, but for models, lists by their
// elements.
func overlaid(below, above any) any {
	switch above := above.(type) {
	case map[string]any:
		all := map[string]any{}
		if _, model := above["provider"]; !model {
			below, _ := below.(map[string]any)
			maps.Copy(all, below)
		}
		for name, v := range above {
			all[name] = overlaid(all[name], v)
		}
		return all
	case []any:
		below, _ := below.([]any)
		all := slices.Clone(below)
		for i, v := range above {
			if i == len(all) {
				all = append(all, nil)
			}
			all[i] = overlaid(all[i], v)
		}
		return all
	}
	return above
}

func isSet(name string) bool {
	_, set := os.LookupEnv(name)
	return set
}

// runHere runs the command in this process, in the folder and the environment of a script, and returns its exit code.
func runHere(ts *testscript.TestScript, in string, args []string) int {
	ts.Check(os.Chdir(ts.MkAbs(".")))
	a := cli.Env{World: &site.World{Getenv: ts.Getenv, IsSet: isSet, Signals: catching(nil), Now: time.Now,
		Random: rand.Reader},
		In: strings.NewReader(in), Out: ts.Stdout(), Errs: ts.Stderr()}
	return runLine(&a, context.Background(), args)
}

// commandOnPath returns a folder in which this binary is called council.
func commandOnPath(t *testing.T) string {
	self := check.Get(os.Executable())(t)
	bin := t.TempDir()
	check.OK(t, os.Symlink(self, filepath.Join(bin, "council")))
	t.Chdir(".") // where the other tests expect to be afterwards
	return bin
}

// testOnlyApp returns the command without a terminal, keys or signals.
func testOnlyApp(out, errs *bytes.Buffer) *cli.Env {
	e := &cli.Env{
		World: site.NewWorld(site.World{Now: time.Now, Random: rand.Reader, IsSet: isSet, Signals: catching(nil),
			Getenv: func(name string) string {
				return map[string]string{"USER": "tester", "OLLAMA_HOST": "127.0.0.1:1", "COUNCIL_KEYRING": "off",
					"NO_COLOR": "1"}[name]
			}}),
		In: &bytes.Buffer{}, Out: out, Errs: errs, Trusting: true,
		Execute: runLine,
	}
	e.World.Warn = e.Warn
	return e
}

// runs runs a command, which must end with an exit code.
func runs(t testing.TB, a *cli.Env, want int, args ...string) {
	t.Helper()
	code := runLine(a, t.Context(), args)
	if code != want {
		t.Fatalf("council %q: exit code %d, want %d\n%v%v", args, code, want, a.Out, a.Errs)
	}
}

// asProcess returns the command as a process of its own: this test by another name, see TestMain.
func asProcess(t check.T, args ...string) *exec.Cmd {
	cmd := exec.Command(check.Get(os.Executable())(t), args...)
	cmd.Args[0] = "council"
	cmd.Env = []string{"USER=tester", "OLLAMA_HOST=127.0.0.1:1", "COUNCIL_KEYRING=off"}
	return cmd
}

// catching returns the signals of a channel.
func catching(signals <-chan os.Signal) func() (<-chan os.Signal, func()) {
	return func() (<-chan os.Signal, func()) { return signals, func() {} }
}

// SIGHUP, which a terminal sends that is closed, ended a session with its calls in hand.
func TestApp_AClosedTerminalIsAFirstCtrlC(t *testing.T) {
	self := check.Get(os.FindProcess(os.Getpid()))(t)
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sent) { // as under nohup
			continue
		}
		caught, release := catchSignals()
		check.OK(t, self.Signal(sent))
		check.Is(t, "arrived as", sent, <-caught)
		release()
	}
}

// deaf is asked for before any test catches signals: afterwards it is not told any more.
var deaf = signal.Ignored(os.Interrupt)

// Signals were caught from the start and looked at only by a session, so that nothing ended a command that read.
func TestApp_CtrlCEndsACommandThatWaitsForItsInput(t *testing.T) {
	if deaf {
		t.Skip("a job in the background of a shell is born deaf to Ctrl-C")
	}
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := asProcess(t, "convene", "Shall we?", "--model", "rehearsal", "--context", "-")
		cmd.Dir = t.TempDir()
		in := check.Get(cmd.StdinPipe())(t)
		check.OK(t, cmd.Start())
		// More than a pipe holds: when it is written, the command reads, and is left waiting for more.
		check.Get(io.Copy(in, bytes.NewReader(bytes.Repeat([]byte("word "), 40<<10))))(t)
		hangs := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		check.OK(t, cmd.Process.Signal(sent))
		_ = cmd.Wait() // it fails: that is what is looked at
		hangs.Stop()
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != sent {
			t.Errorf("%s: %v", sent, cmd.ProcessState)
		}
		if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v was written, %v", sent, left, err)
		}
	}
}
