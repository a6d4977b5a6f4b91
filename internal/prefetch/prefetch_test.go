package prefetch_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/prefetch"
)

func TestEach_YieldsInOrderAndWorksConcurrently(t *testing.T) {
	items := make([]int, 50)
	for i := range items {
		items[i] = i
	}
	var running, most atomic.Int64
	var got []int
	for item, twice := range prefetch.Each(items, func(i int) int {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		if i%7 == 0 {
			runtime.Gosched()
		}
		return 2 * i
	}) {
		check.Is(t, "twice the item", 2*item, twice)
		got = append(got, item)
	}
	check.Equal(t, "the order", items, got)
	if most.Load() > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d at once", most.Load())
	}
}

// The caller may close the sources of do afterwards.
func TestEach_WaitsForStartedWorkWhenStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, began atomic.Int64
		for range prefetch.Each(make([]int, 1_000), func(int) bool {
			began.Add(1)
			running.Add(1)
			defer running.Add(-1)
			runtime.Gosched()
			return true
		}) {
			break
		}
		check.Is(t, "something is still running", 0, running.Load())
		if most := int64(runtime.GOMAXPROCS(0) + 1); began.Load() > most {
			t.Errorf("%d were begun, at most %d had to be", began.Load(), most)
		}
	})
}

func TestEach_YieldsNothingOfNothing(t *testing.T) {
	for range prefetch.Each(nil, func(int) int { return 0 }) {
		t.Error("something came")
	}
}
