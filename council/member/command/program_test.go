//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// act returns a program. The sockets that some are given show the test that they have begun, and by their closing that
// they are gone.
func act(what string, args []string) int {
	switch what {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "print":
		os.Stdout.WriteString(args[0])
	case "fail": // code, errors, output
		os.Stdout.WriteString(args[2])
		os.Stderr.WriteString(args[1])
		var code int
		fmt.Sscan(args[0], &code)
		return code
	case "look": // at the world
		fmt.Println(strings.Join(os.Environ(), "\n"))
		for _, folder := range []string{".", os.Getenv("HOME"), os.Getenv("TMPDIR")} {
			entries, err := os.ReadDir(folder)
			fmt.Println("in it:", len(entries), err)
		}
		here, _ := os.Getwd()
		fmt.Println("here:", here)
	case "soil": // leaves things behind that are hard to remove
		os.Mkdir(filepath.Join(os.Getenv("HOME"), "cache"), 0o700)
		os.WriteFile(filepath.Join(os.Getenv("HOME"), "cache", "x"), nil, 0o400)
		os.Chmod(filepath.Join(os.Getenv("HOME"), "cache"), 0o500)
		fmt.Print("done")
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
	case "flood":
		out := map[string]io.Writer{"output": os.Stdout, "errors": os.Stderr}[args[1]]
		go wait(args[0])
		for {
			if _, err := out.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
				return 1
			}
		}
	case "stay":
		fmt.Print("that is all")
		os.Stdout.Close()
		wait(args[0])
	case "die":
		fmt.Print("I vote Y")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "council": // which waits for a program
		m, err := New(council.Model{Command: []string{os.Args[0], "as", "wait", args[0]}}, Options{Getenv: os.Getenv})
		if err != nil {
			panic(err)
		}
		m.Complete(context.Background(), question("?"))
	case "agent":
		return agentOfOurs(args[0])
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
	m.Provider = "command"
	m.Command = append([]string{os.Args[0], "as"}, what...)
	made := check.Get(New(m, Options{Getenv: world, Temp: t.TempDir()}))(t)
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

// agentOfOurs returns a program that keeps conversations in its home, one message a line, and repeats all it knows. It
// notes each prompt that it is given. It stumbles where a file in its home says so.
func agentOfOurs(form string) int {
	home := os.Getenv("HOME")
	text, _ := io.ReadAll(os.Stdin)
	calls, _ := os.OpenFile(filepath.Join(home, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	fmt.Fprintf(calls, "%s|%s\n", os.Getenv("COUNCIL_SESSION"), strings.ReplaceAll(string(text), "\n", "~"))
	calls.Close()
	if words, err := os.ReadFile(filepath.Join(home, "stumble")); err == nil {
		os.Remove(filepath.Join(home, "stumble"))
		fmt.Fprint(os.Stderr, string(words))
		return 1
	}
	session := os.Getenv("COUNCIL_SESSION")
	known, err := os.ReadFile(filepath.Join(home, session+".talk"))
	switch {
	case session != "" && err != nil:
		fmt.Fprint(os.Stderr, "I never heard of ", session)
		return 1
	case session == "":
		kept, _ := filepath.Glob(filepath.Join(home, "*.talk"))
		session = fmt.Sprintf("talk-%d", len(kept)+1)
	}
	known = append(known, text...)
	os.WriteFile(filepath.Join(home, session+".talk"), known, 0o600)
	if form == "nameless" {
		session = ""
	}
	quoted, _ := json.Marshal(string(known))
	fmt.Printf(`{"text": %s, "sessionId": %q, "model": "ours-1", "usage": {"inputTokens": %d}}`, quoted,
		session, len(text))
	return 0
}
