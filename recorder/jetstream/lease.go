package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Lease is a topic that this worker has. The cluster confirms it again and again; where that fails for as long as the
// window, or another worker has the topic, the lease is lost: the layer writes nothing more of the session, so no
// further question is asked or paid for.
type Lease struct {
	Topic
	Body    []byte          // as it was submitted
	Context context.Context // ends when the lease does, or is lost

	cluster *Cluster
	message jetstream.Msg
	cancel  context.CancelFunc // nil until it is kept
	kept    sync.WaitGroup

	mu        sync.Mutex
	confirmed time.Time // when the last confirmation was asked for
}

// Held returns nil while the topic is ours, and [ErrLost] afterwards.
func (l *Lease) Held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.confirmed) > l.cluster.Window {
		return fmt.Errorf("%w, or the cluster is silent: %s", ErrLost, l.ID)
	}
	return nil
}

func (l *Lease) confirm(at time.Time) { l.mu.Lock(); l.confirmed = at; l.mu.Unlock() }

// keep confirms the lease until it ends.
func (l *Lease) keep(ctx context.Context) {
	l.Context, l.cancel = context.WithCancel(ctx)
	l.cluster.mu.Lock()
	l.cluster.held[string(l.ID)] = l.Held
	l.cluster.mu.Unlock()
	l.kept.Go(func() {
		defer l.cancel()
		for l.Held() == nil {
			select {
			case <-l.Context.Done():
				return
			case <-time.After(l.cluster.Window / 3):
			}
			_ = l.message.InProgress() // else another worker gets it, and sees that the record changes
			if errors.Is(l.write(l.Context), ErrLost) {
				l.confirm(time.Time{})
			}
		}
	})
}

// write writes the record of the topic. [ErrLost]: another worker did.
func (l *Lease) write(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.cluster.Window/2)
	defer cancel()
	for {
		began := time.Now()
		l.At = began.UTC()
		revision, err := l.cluster.state.Update(ctx, l.Key, l.text(), l.revision)
		if err == nil {
			l.revision = revision
			l.confirm(began)
			return nil
		}
		if !isConflict(err) {
			return l.cluster.explain(err)
		}
		now, err := l.cluster.topic(ctx, l.Key) // it may be our own write, whose acknowledgement was lost
		if err != nil {
			return l.cluster.explain(err)
		}
		if now.Worker != l.Worker || now.revision <= l.revision {
			return fmt.Errorf("%w: %s has %s", ErrLost, now.Worker, l.ID)
		}
		l.revision = now.revision
	}
}

// End ends the lease: the session is closed, or parked, or queued to be tried again after a delay. why is the error of
// the try.
func (l *Lease) End(ctx context.Context, state, why string, delay time.Duration) error {
	l.drop()
	l.State, l.Error = state, why
	if err := l.write(ctx); err != nil {
		return err
	}
	if state == Queued {
		return l.message.NakWithDelay(delay)
	}
	return l.message.Ack() // a lost one comes again, and is acknowledged by its record
}

// drop ends the confirmations, and forgets the states of the session's files.
func (l *Lease) drop() {
	if l.cancel == nil {
		return
	}
	l.cancel()
	l.kept.Wait()
	c := l.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, string(l.ID))
	for file := range c.units {
		if sessionOf(file) == string(l.ID) {
			delete(c.units, file)
		}
	}
}
