// Package prefetch works on several items at once whose results are used in order.
package prefetch

import (
	"iter"
	"runtime"
	"sync"
)

// Each yields every item with the result of do, in the order of the items. It works on as many at once as there are
// cores, so do must be safe for concurrent use. When it returns no do is running.
func Each[T, R any](items []T, do func(T) R) iter.Seq2[T, R] {
	return func(yield func(T, R) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		coming := make(chan chan R, runtime.GOMAXPROCS(0))
		next := 0
		begin := func() {
			if next < len(items) {
				item, result := items[next], make(chan R, 1)
				coming <- result
				running.Go(func() { result <- do(item) })
				next++
			}
		}
		for range cap(coming) {
			begin()
		}
		for _, item := range items {
			result := <-<-coming
			begin()
			if !yield(item, result) {
				return
			}
		}
	}
}
