// Package groupcommit combines concurrent calls into one, for the ledger and for memory.
package groupcommit

import "sync"

// Queue collects items while a call handles earlier ones. The zero Queue is ready. It is safe for concurrent use.
type Queue[T any] struct {
	mu      sync.Mutex
	waiting []*entry[T]
	turn    sync.Mutex // held by the one call that runs
}

type entry[T any] struct {
	item T
	done bool // guarded by the queue's turn
}

// Do returns once some do was called with the item. One do runs at a time, with all items that wait, in the order in
// which they came. A do that panics counts as called for all of its items.
func (q *Queue[T]) Do(item T, do func(all []T)) {
	e := &entry[T]{item: item}
	q.mu.Lock()
	q.waiting = append(q.waiting, e)
	q.mu.Unlock()
	q.turn.Lock()
	defer q.turn.Unlock()
	if e.done {
		return
	}
	q.mu.Lock()
	group := q.waiting
	q.waiting = nil
	q.mu.Unlock()
	all := make([]T, len(group))
	for i, one := range group {
		all[i], one.done = one.item, true
	}
	do(all)
}

// Waiting returns the number of items that wait for their call.
func (q *Queue[T]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
