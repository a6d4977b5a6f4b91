package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
)

// crowd holds the calls that members make together until all of them are there, and then serves them in an order of
// its own, each when the one before has been served.
type crowd struct {
	size   map[string]int // of the calls under a contract that come together
	random *rand.Rand

	mu      sync.Mutex
	waiting map[string][]chan chan struct{} // by contract: who is to be told to go, and how to say that it was served
}

// admit blocks until it is the call's turn. The channel that it returns is to be closed when the call was served.
func (c *crowd) admit(contract string) chan struct{} {
	c.mu.Lock()
	turn := make(chan chan struct{}, 1)
	c.waiting[contract] = append(c.waiting[contract], turn)
	if group := c.waiting[contract]; len(group) >= max(c.size[contract], 1) {
		c.waiting[contract] = nil
		order := c.random.Perm(len(group))
		go func() {
			for _, i := range order {
				served := make(chan struct{})
				group[i] <- served
				<-served
			}
		}()
	}
	c.mu.Unlock()
	return <-turn
}

// TestTheOrderOfRepliesLeavesNoTrace: whoever is faster, the record is the same.
func TestTheOrderOfRepliesLeavesNoTrace(t *testing.T) {
	m := newMarket(t, 9)
	dir := filepath.Join(t.TempDir(), "site")
	u := m.undisturbed(t, dir)
	for seed := range uint64(counciltest.Often(2, 50)) {
		c := &crowd{
			random: rand.New(rand.NewPCG(seed, 1)),
			size: map[string]int{"reply_position": 9, "reply_nominate": 9, "reply_second": 8, "reply_ballot": 9,
				"reply_review": 9},
			waiting: map[string][]chan chan struct{}{},
		}
		m.around = func(w http.ResponseWriter, g marketCall, serve func()) {
			served := c.admit(g.contract)
			defer close(served)
			serve()
		}
		tr := m.trial(t, dir, fmt.Sprintf("order-%d", seed))
		tr.wants(tr.convene(&filetest.Plan{}), cli.ExitOK)
		if diff := cmp.Diff(u.files, tr.files()); diff != "" {
			t.Fatalf("seed %d: the record differs:\n%.4000s", seed, diff)
		}
		tr.clear()
	}
}
