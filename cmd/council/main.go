// Command council convenes a council of language-model members, records what it deliberates, and hands on what it
// decides.
//
// Each verb is in the package of its noun, <noun>/<verb>.go: its command with flags and help, and the printing; the
// work is done by package workspace and those below it. app.go has the root command and its groups, complete.go
// completes words for a shell; package cli holds what the verbs share, and maps errors to hints and exit codes.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/workspace/site"
)

func main() { os.Exit(mainExit()) }

// mainExit is main for tests that run the command within their own process.
func mainExit() int {
	tune()
	a := cli.Env{
		World: &site.World{Getenv: os.Getenv, IsSet: isSet, Signals: catchSignals, Now: time.Now, Random: rand.Reader},
		In:    os.Stdin, Out: os.Stdout, Errs: os.Stderr,
		Terminal: cli.IsTerminal(os.Stdout) && cli.IsTerminal(os.Stderr), Keyboard: cli.IsTerminal(os.Stdin),
		Width:  func() int { columns, _ := screenSize(); return columns },
		Height: func() int { _, rows := screenSize(); return rows },
		Pause:  50 * time.Millisecond,
		Raw:    rawKeys,
	}
	return runLine(&a, context.Background(), os.Args[1:])
}

func isSet(name string) bool {
	_, set := os.LookupEnv(name)
	return set
}

// catchSignals keeps Ctrl-C and its like from ending the program, until it is released.
func catchSignals() (caught <-chan os.Signal, release func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals, func() { signal.Stop(signals) }
}

// tune lets the heap grow to five times what is live, a few dozen megabytes, before it is collected: the command waits
// for members most of the time, and collecting a small heap over and over was a sixth of what it computed.
//
// A heap that would grow beyond usualHeap is collected more often, so that a long session fits into a small machine,
// but not before it has grown by a quarter: to collect a full heap over and over gains nothing. The runtime's limit
// would do that: it also counts stacks and gaps, which with many sessions leave nothing for the heap. What the heap has
// had before, it may have again for a while: when many sessions close, little of it is live any more.
func tune() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	boundHeap(heap{had: usualHeap})
}

const (
	usualHeap = 64 << 20 // bytes
	most      = 400      // percent of what is live
	least     = 25
)

// heap is how far the heap may grow: by so many percent of what is live, beyond what it had before in bytes.
type heap struct{ percent, had int }

// boundHeap says how far the heap may grow by what is live, and does so again after each collection. It is given what
// it said before.
func boundHeap(before heap) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	now := heap{most, max(usualHeap, before.had-before.had/16)}
	if n := int(live[0].Value.Uint64()); n > 0 {
		now.percent = min(most, max(least, (now.had-n)/(n/100+1)))
		now.had = max(now.had, n+n/100*least)
	}
	if now.percent != before.percent {
		debug.SetGCPercent(now.percent)
	}
	runtime.AddCleanup(&struct{ _ *int }{}, boundHeap, now) // runs when a collection finds that nothing refers to it
}

// screenSize returns the size of the terminal, which may change while a session runs.
func screenSize() (columns, rows int) {
	columns, rows, _ = term.GetSize(int(os.Stdout.Fd())) // 0 where it is not known
	return columns, rows
}

// rawKeys has the terminal hand on each key that is pressed and not show it, until it is restored.
func rawKeys() (restore func()) {
	before, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return func() {} // keys come with the next Enter
	}
	return func() { _ = term.Restore(int(os.Stdin.Fd()), before) }
}
