//go:build unix

package command

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// TestMain lets the test binary be the programs that are seated: "as" and an action.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as" {
		syscall.Exit(act(os.Args[2], os.Args[3:])) // under the race detector os.Exit waits for a second
	}
	os.Exit(m.Run())
}

// act is a program. Its socket shows the test that it has begun, and by its closing that it is gone.
func act(what string, args []string) int {
	switch what {
	case "hang": // with a child that does the same
		child(args[0], "wait")
		wait(args[0])
	case "wait":
		wait(args[0])
	case "leave": // a child that keeps the output
		child(args[0], "wait")
		heed(args[0])
		fmt.Print("gone")
	case "escape": // a child that keeps the output and is in no group of ours
		child(args[0], "wait", func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} })
		heed(args[0])
		fmt.Print("gone")
	case "council": // which waits for a program
		m, err := New(council.Model{Command: []string{os.Args[0], "as", "wait", args[0]}},
			Options{Now: time.Now, Getenv: os.Getenv})
		if err != nil {
			panic(err)
		}
		m.Complete(context.Background(), question("?"))
	}
	return 0
}

func child(socket, what string, change ...func(*exec.Cmd)) {
	c := exec.Command(os.Args[0], "as", what, socket)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	for _, f := range change {
		f(c)
	}
	if err := c.Start(); err != nil {
		panic(err)
	}
}

// heed waits until the test says to go on.
func heed(socket string) {
	if c, err := net.Dial("unix", socket); err == nil {
		c.Read(make([]byte, 1))
	}
}

// wait reports to the test that this process runs, and stays until it is killed or the test is over.
func wait(socket string) {
	c, err := net.Dial("unix", socket)
	if err != nil {
		os.Exit(3)
	}
	io.Copy(io.Discard, c)
	os.Exit(0)
}

// world returns an environment for tests.
func world(name string) string {
	return map[string]string{"PATH": os.Getenv("PATH"), "LANG": "en_GB.UTF-8", "TOKEN": "hunter2hunter2",
		"USER_SECRET": "not for you"}[name]
}

// seat makes a model of a program of this file.
func seat(t *testing.T, m council.Model, what ...string) *Model {
	t.Helper()
	return start(t, m, append([]string{os.Args[0], "as"}, what...))
}

// shell makes a model of a script with arguments.
func shell(t *testing.T, m council.Model, script string, args ...string) *Model {
	t.Helper()
	return start(t, m, append([]string{"sh", "-c", script, "sh"}, args...))
}

const (
	prints = `printf %s "$1"`
	fails  = `printf %s "$3"; printf %s "$2" >&2; exit "$1"` // with a code, errors and an output
)

func start(t *testing.T, m council.Model, command []string) *Model {
	t.Helper()
	m.Provider, m.Command = "command", command
	made := check.Get(New(m, Options{Now: time.Now, Getenv: world, Temp: t.TempDir()}))(t)
	made.lingering = 100 * time.Millisecond
	t.Cleanup(func() { made.Close() })
	return made
}

// question returns a prompt of the given messages, alternately to the member and from it.
func question(messages ...string) *prompt.Prompt {
	p := &prompt.Prompt{
		View:   council.View{Ask: council.Ask{ID: "p1.r1.t1.turn.ada", Kind: council.AskTurn, Member: "ada"}},
		Try:    1,
		System: prompt.System{Shared: "The charter.", Persona: "You are Ada."},
	}
	for i, text := range messages {
		p.Messages = append(p.Messages,
			prompt.Message{Role: []prompt.Role{prompt.User, prompt.Assistant}[i%2], Content: text})
	}
	p.Digest = prompt.Digest(p.System, p.Messages)
	return p
}

// remembers is an agent that keeps conversations in its home and repeats all that it knows. It notes each prompt,
// with ~ for line ends, and stumbles once where a file in its home says so.
const remembers = `cd "$HOME"
text=$(tr '\n' '~') session=$COUNCIL_SESSION
echo "$session|$text" >>calls
if [ -e stumble ]; then cat stumble >&2; rm stumble; exit 1; fi
if [ -z "$session" ]; then session=talk-$(($(ls *.talk 2>/dev/null | wc -l) + 1))
elif [ ! -e "$session.talk" ]; then echo "I never heard of $session" >&2; exit 1; fi
printf %s "$text" >>"$session.talk"
[ "$1" = named ] && name=$session
printf '{"text": "%s", "sessionId": "%s", "model": "ours-1", "usage": {"inputTokens": %d}}' \
	"$(cat "$session.talk")" "$name" ${#text}
`
