// Package engine drives one session: it puts open asks to members, records what comes back, and goes on.
//
// [Run] decides nothing. What is asked next, what a reply means and what follows from it is said by package rules; the
// engine knows only the order of things: a due event before any ask, the log before the session, seat order before
// speed.
//
// The package is stable as docs/library.md says.
package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/council-engine/council/council"
)

// Member answers the asks put to one seat. It is asked one thing at a time: the next ask waits until Answer has
// returned, also when the one before was withdrawn.
type Member interface {
	// Answer blocks until there is a reply, or a fault in its place. When ctx ends it returns
	// promptly with a fault of kind cancelled. A reply that arrives all the same is dropped; a member that paid for
	// it keeps it on its tape. An error is not a fault of the member: what was said cannot be kept, or is not what
	// was kept before. It stops the run.
	Answer(ctx context.Context, v council.View) (council.Reply, error)
}

// Log makes events durable before the session takes them in.
type Log interface {
	// Append returns when the event is on disk. After an error nothing more may be appended.
	Append(e council.Event) error
}

// Options are what a run may be given besides its session. The zero value is usable.
type Options struct {
	By        string          // who resumes a suspended session, for SESSION_RESUMED
	Interrupt <-chan struct{} // one receive, or closing it, asks for a stop at the next safe point; may be nil
	Observe   func(Progress)  // told of every step from Run's own goroutine, so it must not block; may be nil

	// Admit is asked, from Run's own goroutine, before questions are put, with the views of all that are put at once. A
	// fault suspends the session in their place: none of them is put. May be nil.
	Admit func([]council.View) *council.Fault

	// Notes returns notes that are to be recorded. Run asks for them when no question is with a member, before it puts
	// the next ones, and asks again after it has recorded some; an error ends the run. May be nil.
	Notes func() ([]council.NoteGiven, error)

	// Hold returns a channel while no further question is to be put, and nil otherwise. Run asks before it puts
	// questions, and again once the channel is closed. Replies in flight are recorded meanwhile. May be nil.
	Hold func() <-chan struct{}
}

// Result is how a run ended. Exactly one field is set.
type Result struct {
	Outcome   *council.Outcome // the session is closed
	Suspended *council.Fault   // it stopped and can be resumed: the reason
}

// Progress is one step of a run: [Asked], [Replied], [Withdrawn] or [Recorded]. The set is closed.
type Progress interface{ progress() }

// Asked: a question was put to its member.
type Asked struct {
	Ask   council.Ask
	Blind bool // the answer stays sealed until all that were asked with the member have answered
}

// Replied: a reply is in hand. It may have to wait for those of earlier seats before it is recorded, and it
// is not recorded when it has become moot by then.
type Replied struct {
	Ask   council.Ask
	Reply council.Reply
}

// Withdrawn: a question has become moot and its member need not answer.
type Withdrawn struct{ Ask council.Ask }

// Recorded: an event is in the log and in the session.
type Recorded struct{ Event council.Event }

func (Asked) progress()     {}
func (Replied) progress()   {}
func (Withdrawn) progress() {}
func (Recorded) progress()  {}

// PanicError is a panic as an error: where it happened, and nothing of what was being worked on, because the words of a
// panic may hold what a member said, or a key. It is a fault of the program, not of its user or of a member.
type PanicError struct {
	What  string   // the runtime's own words, or the type of whatever was thrown
	Where []string // functions with file and line, innermost first
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("council itself broke down: %s, at %s", e.What, strings.Join(e.Where, ", from "))
}

// frames bounds how many functions are named.
const frames = 6

// CatchPanic sets err to a [*PanicError] if the function that defers it panics. It has to be deferred itself.
func CatchPanic(err *error) {
	if thrown := recover(); thrown != nil {
		*err = &PanicError{What: what(thrown), Where: where()}
	}
}

// what tells a panic without its value. The runtime speaks of sizes and types alone.
func what(thrown any) string {
	if e, ok := thrown.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("a panic with a %T", thrown)
}

func where() []string {
	var pcs [32]uintptr
	found := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var all []string
	for len(all) < frames {
		f, more := found.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			all = append(all, fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:],
				filepath.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	return all
}
