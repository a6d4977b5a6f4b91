package groupcommit_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/council-engine/council/internal/groupcommit"
)

func TestQueue_CombinesConcurrentCalls(t *testing.T) {
	var q groupcommit.Queue[int]
	var groups [][]int
	do := func(all []int) { groups = append(groups, all) } // of which one runs at a time
	held, others := make(chan bool), sync.WaitGroup{}
	others.Go(func() { q.Do(0, func(all []int) { held <- true; <-held; do(all) }) })
	<-held
	for i := range 20 {
		others.Go(func() { q.Do(i+1, do) })
	}
	for q.Waiting() < 20 {
		runtime.Gosched()
	}
	held <- true
	others.Wait()
	if len(groups) != 2 || len(groups[1]) != 20 {
		t.Fatalf("%v", groups)
	}
	done := slices.Concat(groups...)
	if slices.Sort(done); len(slices.Compact(done)) != 21 {
		t.Errorf("%v", done)
	}
}

// A call that waits for one that panics is not left waiting, and its item is handled once.
func TestQueue_GoesOnAfterAPanic(t *testing.T) {
	var q groupcommit.Queue[int]
	held, others := make(chan bool), sync.WaitGroup{}
	others.Go(func() {
		defer func() { _ = recover() }()
		q.Do(0, func([]int) { held <- true; <-held; panic("no") })
	})
	<-held
	calls := 0
	others.Go(func() { q.Do(1, func([]int) { calls++ }) })
	for q.Waiting() < 1 {
		runtime.Gosched()
	}
	held <- true
	others.Wait()
	if q.Do(2, func(all []int) { calls += len(all) }); calls != 2 {
		t.Errorf("%d calls", calls)
	}
}
