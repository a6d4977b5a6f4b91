// Command council convenes a council of language-model members, records what it deliberates, and hands on what it
// decides.
//
// Streams, hints and exit codes live in this package and nowhere else.
package main

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"os/signal"
	"os/user"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/answering"
	"github.com/council-engine/council/internal/atomicfile"
)

func main() { os.Exit(mainExit()) }

// mainExit is main for tests that run the command within their own process.
func mainExit() int {
	tune()
	a := app{
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		terminal: isTerminal(os.Stdout) && isTerminal(os.Stderr),
		keyboard: isTerminal(os.Stdin),
		pause:    50 * time.Millisecond,
		width:    columns,
		getenv:   os.Getenv,
		now:      time.Now,
		random:   rand.Reader,
		signals:  catchSignals,
	}
	return a.run(context.Background(), os.Args[1:])
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
// A heap that would grow beyond usualHeap is collected more often, so that a long session fits into a small machine. Where
// more than half of that is live the bound is twice what is live: to collect a full heap over and over helps nobody.
func tune() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(400)
	boundHeap(0)
}

const usualHeap = 80 << 20 // bytes

// boundHeap bounds the heap by what is live, and does so again after each collection.
func boundHeap(int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(max(usualHeap, 2*int64(live[0].Value.Uint64())))
	runtime.AddCleanup(&struct{ _ *int }{}, boundHeap, 0) // runs when a collection has found that nothing refers to it
}

// app is what the command knows of the world around it.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool // both streams are a terminal
	keyboard       bool // and so is what is read
	typed          *answering.Keyboard
	pause          time.Duration // within which what was pasted goes on
	width          func() int    // columns of the terminal, 0 where they are not known; nil: they never are
	getenv         func(string) string
	now            func() time.Time
	random         io.Reader                                        // unguessable bytes
	signals        func() (caught <-chan os.Signal, release func()) // while nobody catches them they end the program
	layer          func(atomicfile.Files) atomicfile.Files          // between what is kept and the disk; nil: none
	trusting       bool                                             // --trust was given
	told           []string                                         // what was said about memory already
	wait           func(context.Context, time.Duration) error       // between the tries of a call; nil: a timer
}

// columns are those of the terminal, which may change while a session runs.
func columns() int {
	wide, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return wide
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// by names the person at the keyboard in rulings.
func (a *app) by() string {
	if name := a.getenv("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}
