package member

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// cache is a provider that keeps a shared part from the first word of the first reply on, and counts the copies it
// made.
type cache struct {
	reads, takes time.Duration // until the first word, and from there to the last
	says         bool          // it reports when a reply has begun
	fails        int           // so many calls fail

	mu     sync.Mutex
	kept   map[string]bool
	copies int
}

func (c *cache) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	c.mu.Lock()
	known := c.kept[p.System.Shared]
	failing := c.fails > 0
	if failing {
		c.fails--
	} else if !known {
		c.copies++
	}
	c.mu.Unlock()
	if err := sleep(ctx, c.reads); err != nil {
		return prompt.Completion{}, err
	}
	if failing {
		return prompt.Completion{}, &CallError{Fault: council.Fault{Kind: council.FaultTransport}}
	}
	c.mu.Lock()
	if c.kept == nil {
		c.kept = map[string]bool{}
	}
	c.kept[p.System.Shared] = true
	c.mu.Unlock()
	if c.says {
		ReportBegun(ctx)
	}
	return prompt.Completion{Text: "x"}, sleep(ctx, c.takes)
}

var context500k = strings.Repeat("x", 500_000)

// together asks n members at once and returns how long the slowest took, and how many failed.
func together(t *testing.T, n int, c *cache, share func(Model) Model, shared string) (took time.Duration, failed int) {
	start := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		m := share(c)
		all.Go(func() {
			_, err := m.Complete(t.Context(), &prompt.Prompt{System: prompt.System{Shared: shared}})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
			}
		})
	}
	all.Wait()
	return time.Since(start), failed
}

func TestPrefix_OneCallBringsASharedPartAndTheOthersWaitForItsFirstWord(t *testing.T) {
	tests := []struct {
		name   string
		cache  *cache
		shared string
		share  bool
		copies int
		took   time.Duration
		failed int
	}{
		{"five members, one copy", &cache{reads: 2 * time.Second, takes: 20 * time.Second, says: true}, context500k, true, 1,
			24 * time.Second, 0},
		{"a provider that does not say when it begins", &cache{reads: 2 * time.Second, takes: 3 * time.Second}, context500k,
			true, 1, 10 * time.Second, 0},
		{"without sharing each pays", &cache{reads: 2 * time.Second, takes: 20 * time.Second, says: true}, context500k, false,
			5, 22 * time.Second, 0},
		{"a short part is not worth the wait", &cache{reads: 2 * time.Second, takes: 20 * time.Second, says: true}, "short",
			true, 5, 22 * time.Second, 0},
		{"the first call fails, and another leads", &cache{reads: 2 * time.Second, takes: 20 * time.Second, says: true,
			fails: 1}, context500k, true, 1, 26 * time.Second, 1},
		{"a provider that says nothing for long", &cache{reads: 3 * time.Minute}, context500k, true, 5, 4 * time.Minute, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := Prefixes{Now: time.Now}
				share := func(m Model) Model { return m }
				if test.share {
					share = func(m Model) Model { return p.Share(m, "here") }
				}
				took, failed := together(t, 5, test.cache, share, test.shared)
				if test.cache.copies != test.copies || took != test.took || failed != test.failed {
					t.Errorf("%d copies in %s, %d failed", test.cache.copies, took, failed)
				}
			})
		})
	}
}

func TestPrefix_ASharedPartIsBroughtAgainOnceTheProviderHasForgottenIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Prefixes{Now: time.Now}
		c := &cache{reads: time.Second, says: true}
		share := func(m Model) Model { return p.Share(m, "here") }
		for _, step := range []struct {
			pause, took time.Duration
		}{{0, 2 * time.Second}, {prefixLifetime / 2, time.Second},
			{prefixLifetime / 2, time.Second}, {2 * prefixLifetime, 2 * time.Second}} {
			_ = sleep(t.Context(), step.pause)
			took, _ := together(t, 3, c, share, context500k)
			check.Is(t, fmt.Sprint("the time after ", step.pause), step.took, took)
		}
		elsewhere := func(m Model) Model { return p.Share(m, "elsewhere") }
		took, _ := together(t, 3, c, elsewhere, context500k)
		check.Is(t, "the time at another server", 2*time.Second, took)
	})
}

func TestPrefix_WaitingForASharedPartCountsAndEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Prefixes{Now: time.Now}
		c := &cache{reads: 10 * time.Second, says: true}
		ask := &prompt.Prompt{System: prompt.System{Shared: context500k}}
		go func() { _, _ = p.Share(c, "here").Complete(context.Background(), ask) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		check.ErrorIs(t, "it", context.DeadlineExceeded, check.Err(p.Share(c, "here").Complete(ctx, ask)))
		got := check.Get(p.Share(c, "here").Complete(t.Context(), ask))(t)
		check.Is(t, "the wait", 9000, got.Usage.ElapsedMS)
	})
}
