// Package together lets what comes at once be done at once, as a group commit does. It is a package because the ledger
// and memory, which know nothing of each other, do so.
package together

import "sync"

// Queue gathers what is to be done while somebody is doing. The zero Queue is ready. It is safe for concurrent use.
type Queue[T any] struct {
	mu      sync.Mutex
	waiting []*entry[T]
	turn    sync.Mutex // held by the one who does
}

type entry[T any] struct {
	what T
	done bool // guarded by the queue's turn
}

// Do returns once some do has been called with what. Whoever has the turn calls its own with all that wait, in the
// order in which they came, and nobody else does meanwhile. A do that panics has been called for all that it was
// given.
func (q *Queue[T]) Do(what T, do func(all []T)) {
	e := &entry[T]{what: what}
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
		all[i], one.done = one.what, true
	}
	do(all)
}

// Waiting returns how many wait for the one who does.
func (q *Queue[T]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
