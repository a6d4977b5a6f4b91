package workspace

import (
	"iter"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// Run is a session that this process drives. All methods may be called at once.
type Run struct {
	ID        council.SessionID
	WasClosed bool // before it was to go on

	keys run.Keys // which do nothing in a session that was closed; set before the first event is handed on

	mu     sync.Mutex
	grew   sync.Cond // of mu: an event was recorded, or the run ended
	events []council.Event
	ended  bool
	result engine.Result
	err    error
}

// begin drives a session in a goroutine of its own, and returns when it has begun. The error is why it has not.
func begin(world *site.World, id council.SessionID, prompter Prompter,
	drive func(run.Face) (engine.Result, error)) (*Run, error) {
	r := &Run{ID: id, keys: run.Keys{Pause: func() {}, Stop: func() {}}}
	r.grew.L = &r.mu
	go func() {
		result, err := drive(watched{run.Quiet{World: world}, r, prompter})
		r.mu.Lock()
		defer r.mu.Unlock()
		r.result, r.err, r.ended = result, err, true
		r.grew.Broadcast()
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.events) == 0 && !r.ended {
		r.grew.Wait()
	}
	if len(r.events) == 0 && r.err != nil {
		return nil, r.err
	}
	return r, nil
}

// Events yields the events of the session from its first, each as soon as it is on disk, until the run ends.
func (r *Run) Events() iter.Seq[council.Event] {
	return func(yield func(council.Event) bool) {
		for i := 0; ; i++ {
			r.mu.Lock()
			for i == len(r.events) && !r.ended {
				r.grew.Wait()
			}
			rest := r.events[i:]
			r.mu.Unlock()
			if len(rest) == 0 || !yield(rest[0]) {
				return
			}
		}
	}
}

// Stop suspends the session: answers that are under way are waited for and kept. A second call does not wait for them.
func (r *Run) Stop() { r.keys.Stop() }

// Pause has no further question asked until it is called again.
func (r *Run) Pause() { r.keys.Pause() }

// Wait returns how the run ended. The result has the outcome or the suspension also where the error is not nil.
func (r *Run) Wait() (engine.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.ended {
		r.grew.Wait()
	}
	return r.result, r.err
}

// watched is the face and the screen of a session that is a [Run].
type watched struct {
	run.Quiet
	of       *Run
	prompter Prompter
}

// Ended does nothing: Wait says it.
func (watched) Ended(*run.Session, engine.Result) error { return nil }

// Closed notes that the session was closed before, and warns of it.
func (f watched) Closed(s *run.Session) {
	f.of.WasClosed = true
	f.World.Warn("Session %s is closed; there is nothing to go on with.", s.ID())
}

// Remembered prints what memory keeps as warnings.
func (f watched) Remembered(s *run.Session, m run.Remembered) {
	for _, line := range m.Lines(s.Root) {
		f.World.Warn("%s", line)
	}
}

// Screen gives the run its keys.
func (f watched) Screen(_ *run.Session, keys run.Keys) run.Screen {
	f.of.keys = keys
	return f
}

// People returns the prompter.
func (f watched) People() member.Asker { return f.prompter }

// Append hands the events on.
func (f watched) Append(entries []wire.Entry) error {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.of.events = append(f.of.events,
		council.Map(entries, func(e wire.Entry) council.Event { return e.Event })...)
	f.of.grew.Broadcast()
	return nil
}
