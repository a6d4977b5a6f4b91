// Package engine drives one session: it puts open asks to members, records the replies, and goes on.
//
// [Run] decides nothing. The next question, the meaning of a reply and its consequences come from package rules; the
// engine knows only the order: a due event before any ask, the log before the session, seat order before speed.
//
// The package is stable as package workspace says.
package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
)

// Member answers the asks put to one seat. It is asked one thing at a time: the next ask waits until Answer has
// returned, also when the one before was withdrawn.
type Member interface {
	// Answer blocks until there is a reply, or a fault in its place. When ctx ends it returns
	// promptly with a fault of kind cancelled. A reply that arrives all the same is dropped; a member that paid for
	// it keeps it on its tape. An error is not a fault of the member: its reply cannot be kept, or differs from the
	// one that was kept before. It stops the run.
	Answer(ctx context.Context, v council.View) (council.Reply, error)
}

// Log makes events durable before the session takes them in.
type Log interface {
	// Append returns when the event is on disk. After an error nothing more may be appended.
	Append(e council.Event) error
}

// Options are the settings of a run. The zero value is usable.
type Options struct {
	By        string          // who resumes a suspended session, for SESSION_RESUMED
	Interrupt <-chan struct{} // one receive, or closing it, asks for a stop at the next safe point; may be nil
	Observe   func(Progress)  // is called with every step from Run's own goroutine, so it must not block; may be nil

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

// PanicError is a panic as an error: where it happened, and none of its words, because they may hold words of a member,
// or a key. It is a fault of the program, not of its user or of a member.
type PanicError struct {
	What  string   // the runtime's own words, or the type of the value
	Where []string // functions with file and line, innermost first
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("council itself broke down: %s, at %s", e.What, strings.Join(e.Where, ", from "))
}

const frames = 6 // bounds how many functions are named

// CatchPanic sets err to a [*PanicError] if the function that defers it panics. It has to be deferred itself.
func CatchPanic(err *error) {
	if thrown := recover(); thrown != nil {
		words := fmt.Sprintf("a panic with a %T", thrown)
		if e, ok := thrown.(runtime.Error); ok { // which speaks of sizes and types alone
			words = e.Error()
		}
		*err = &PanicError{What: words, Where: callers()}
	}
}

// callers lists the functions that panicked, innermost first.
func callers() []string {
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

// floor holds the asks that are with their members. All its methods belong to Run's goroutine.
type floor struct {
	ctx      context.Context // of every ask
	cancel   context.CancelFunc
	members  map[council.MemberID]Member
	flights  []*flight                            // in the order in which they were put: seat order
	last     map[council.MemberID]<-chan struct{} // closed when the member's latest call has returned
	arrivals chan *flight                         // those that have landed
	away     int                                  // goroutines that have not handed in yet
	batch    batch
}

// batch are the answers so far to questions that were put together.
type batch struct {
	waits []int64 // for each answer, in milliseconds
	last  time.Time
	gap   time.Duration // the longest between two answers
}

type flight struct {
	ask    council.Ask
	cancel context.CancelFunc
	in     bool // it has landed, and the fields below are set
	reply  council.Reply
	err    error // of the member's record: the run cannot go on
}

// put starts the member on an ask, as soon as it has returned from the one before.
func (f *floor) put(a council.Ask, v council.View) {
	ctx, cancel := context.WithCancel(f.ctx)
	fl := &flight{ask: a, cancel: cancel}
	if f.empty() {
		f.batch = batch{}
	}
	before, returned := f.last[a.Member], make(chan struct{})
	f.last[a.Member] = returned
	f.flights = append(f.flights, fl)
	f.away++
	go func() {
		defer cancel()
		if before != nil {
			<-before
		}
		fl.reply, fl.err = ask(ctx, f.members[a.Member], v)
		close(returned)
		f.arrivals <- fl
	}()
}

// ask asks the member, unless the question is moot already. A reply that names another ask is not an answer.
func ask(ctx context.Context, m Member, v council.View) (reply council.Reply, err error) {
	defer CatchPanic(&err) // a crash dump would show the words of the session
	if ctx.Err() != nil {
		return council.Reply{Ask: v.Ask.ID, Fault: &council.Fault{Kind: council.FaultCancelled, Message: "not asked"}}, nil
	}
	if reply, err = m.Answer(ctx, v); err != nil {
		return council.Reply{}, err
	}
	if reply.Ask != v.Ask.ID {
		reply = reply.Failed(council.Fault{Kind: council.FaultUnparsable,
			Message: "the member answered another ask than the one it was given"})
	}
	reply.Ask = v.Ask.ID
	return reply, nil
}

// take notes a reply and reports whether it is still wanted.
func (f *floor) take(fl *flight) bool {
	f.away--
	fl.in = true
	wanted := slices.Contains(f.flights, fl)
	if b := &f.batch; wanted && fl.reply.Body != nil {
		now := time.Now()
		if len(b.waits) > 0 {
			b.gap = max(b.gap, now.Sub(b.last))
		}
		b.waits, b.last = append(b.waits, fl.reply.Usage.ElapsedMS), now
	}
	return wanted
}

const minGrace = 2 * time.Second

// grace returns half the median wait for the answers, and minGrace at least. Where answers came one after another, as
// from a server that takes one call at a time, it is one and a half times as long as the longest time between two.
func (b *batch) grace() time.Duration {
	if len(b.waits) == 0 {
		return minGrace
	}
	median := slices.Sorted(slices.Values(b.waits))[len(b.waits)/2]
	return max(minGrace, time.Duration(median)*time.Millisecond/2, b.gap*3/2)
}

// replies returns the replies in hand that are not recorded yet.
func (f *floor) replies() (all []council.Reply) {
	for _, fl := range f.flights {
		if fl.in {
			all = append(all, fl.reply)
		}
	}
	return all
}

// withdraw cancels and forgets every flight whose ask is not open any more. It reports those without a reply.
func (f *floor) withdraw(open []council.Ask, observe func(Progress)) {
	f.flights = slices.DeleteFunc(f.flights, func(fl *flight) bool {
		if slices.Contains(open, fl.ask) {
			return false
		}
		if fl.cancel(); !fl.in {
			observe(Withdrawn{fl.ask})
		}
		return true
	})
}

// clear cancels everything and waits for all members to return.
func (f *floor) clear() {
	f.cancel()
	for ; f.away > 0; f.away-- {
		<-f.arrivals
	}
}

func (f *floor) find(a council.Ask) *flight {
	return council.First(f.flights, func(fl *flight) bool { return fl.ask == a })
}

func (f *floor) empty() bool            { return len(f.flights) == 0 }
func (f *floor) has(a council.Ask) bool { return f.find(a) != nil }

// waitsForAny reports whether any of the asks is in flight and has brought no reply yet.
func (f *floor) waitsForAny(asks []council.Ask) bool {
	return slices.ContainsFunc(f.flights, func(fl *flight) bool { return !fl.in && slices.Contains(asks, fl.ask) })
}
