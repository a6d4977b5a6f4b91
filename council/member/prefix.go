package member

import (
	"context"
	"sync"
	"time"

	"github.com/council-engine/council/council/prompt"
)

const (
	// minSharedBytes is the size in bytes of a shared part whose second copy costs more than waiting for the first: some
	// 4,000 tokens.
	minSharedBytes = 16 << 10
	// prefixLifetime is how long providers keep an unused prefix: five minutes, less a margin.
	prefixLifetime = 4 * time.Minute
	// longestLead is how long the others wait for a first word.
	longestLead = time.Minute
)

// Prefixes lets members of one model share the beginning of their prompts. A provider's cache serves it only once the
// first reply has begun, so one call goes first and the others wait for its first word. Share one among all members.
type Prefixes struct {
	Now func() time.Time // required

	mu    sync.Mutex
	known map[prefix]*prefixState // nil before the first
}

type prefix struct{ place, shared string }

type prefixState struct {
	lead  chan struct{} // closed when the call that goes first has begun its reply, or has failed; nil: none goes first
	until time.Time     // how long the provider keeps it
}

// Share makes calls of m wait for the first call that brings their prefix to place (model, server and key). The wait
// counts as elapsed time.
func (s *Prefixes) Share(m Model, place string) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		if len(p.System.Shared) < minSharedBytes {
			return m.Complete(ctx, p)
		}
		start := s.Now()
		key := prefix{place, p.System.Shared}
		over := reportLongWait(ctx, reportWaitAfter, Wait{p.View.Ask.Member,
			"the first word to another member, which brings what all are told", longestLead})
		var lead chan struct{}
		err := waitUnlessStopped(ctx, "while it waited for another member's first word",
			func(idle context.Context) (err error) {
				lead, err = s.enter(idle, key)
				return err
			})
		over()
		if err != nil {
			return prompt.Completion{}, err
		}
		waited := s.Now().Sub(start)
		if lead != nil {
			ctx = withBegun(ctx, func() { s.settle(key, lead, true) })
		}
		c, err := m.Complete(ctx, p)
		s.settle(key, lead, err == nil)
		return addWait(waited)(c, err)
	})
}

// enter returns when the provider has the prefix, or at once with a lead for the caller that goes first.
func (s *Prefixes) enter(ctx context.Context, key prefix) (lead chan struct{}, err error) {
	patience := time.NewTimer(longestLead)
	defer patience.Stop()
	for {
		s.mu.Lock()
		if s.known == nil {
			s.known = map[prefix]*prefixState{}
		}
		if s.known[key] == nil {
			s.known[key] = &prefixState{}
		}
		state := s.known[key]
		there := !s.Now().After(state.until)
		before := state.lead
		if !there && before == nil {
			lead = make(chan struct{})
			state.lead = lead
		}
		s.mu.Unlock()
		if there || lead != nil {
			return lead, nil
		}
		select {
		case <-before:
		case <-patience.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// settle records whether a call brought the prefix, and ends its lead.
func (s *Prefixes) settle(key prefix, lead chan struct{}, served bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.known[key]
	if served {
		state.until = s.Now().Add(prefixLifetime)
	}
	if lead != nil && state.lead == lead {
		close(lead)
		state.lead = nil
	}
}
