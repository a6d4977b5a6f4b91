// Command council convenes a council of language-model members, records what it deliberates, and hands on what it
// decides.
//
// Each verb is in the package of its noun, <noun>/<verb>.go: its command with flags and help, and the printing; the
// work is done by package workspace and those below it. app.go has the root command and its groups, and completes words
// for a shell; package cli holds what the verbs share, and maps errors to hints and exit codes.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/workspace/site"
)

func main() { os.Exit(mainExit()) }

// mainExit is main for tests that run the command within their own process.
func mainExit() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // a command waits for members: its heap stays small, and is collected half as often
	}
	a := cli.Env{
		World: &site.World{Getenv: os.Getenv, Signals: catchSignals, Now: time.Now, Random: rand.Reader,
			IsSet: func(name string) bool { _, set := os.LookupEnv(name); return set }},
		In: os.Stdin, Out: os.Stdout, Errs: os.Stderr,
		Terminal: cli.IsTerminal(os.Stdout) && cli.IsTerminal(os.Stderr), Keyboard: cli.IsTerminal(os.Stdin),
		Width:  func() int { columns, _, _ := term.GetSize(int(os.Stdout.Fd())); return columns }, // 0: unknown
		Height: func() int { _, rows, _ := term.GetSize(int(os.Stdout.Fd())); return rows },
		Pause:  50 * time.Millisecond,
		Raw:    rawKeys,
	}
	return runLine(&a, context.Background(), os.Args[1:])
}

// catchSignals returns the signals that would end the program, until it is released.
func catchSignals() (caught <-chan os.Signal, release func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals, func() { signal.Stop(signals) }
}

// rawKeys switches the terminal to single keys without echo, until restore is called.
func rawKeys() (restore func()) {
	before, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return func() {} // keys come with the next Enter
	}
	return func() { _ = term.Restore(int(os.Stdin.Fd()), before) }
}
