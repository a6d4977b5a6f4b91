package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/council-engine/council/council"
)

// Lease is a topic that this worker has. It is confirmed by the cluster again and again; where that fails for as long
// as the window, or another worker has the topic, the lease is lost: the layer writes nothing more of the session, no
// question either, and so nothing more of it is paid.
type Lease struct {
	Topic
	Body []byte // as it was submitted

	cluster *Cluster
	message jetstream.Msg
	lost    context.CancelFunc
	kept    sync.WaitGroup

	mu        sync.Mutex
	confirmed time.Time       // when the confirmation was asked for that came last
	Context   context.Context // ends when the lease does, or is lost
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

// keep confirms the lease until it ends.
func (l *Lease) keep(ctx context.Context) {
	l.Context, l.lost = context.WithCancel(ctx)
	c := l.cluster
	c.mu.Lock()
	c.held[string(l.ID)] = l.Held
	c.mu.Unlock()
	l.kept.Go(func() {
		for l.Held() == nil {
			select {
			case <-l.Context.Done():
				return
			case <-time.After(c.Window / 3):
			}
			_ = l.message.InProgress() // else it is delivered to another, who sees that the record changes
			if errors.Is(l.write(l.Context), ErrLost) {
				l.mu.Lock()
				l.confirmed = time.Time{}
				l.mu.Unlock()
			}
		}
		l.lost()
	})
}

// write writes the record of the topic. [ErrLost]: another worker did.
func (l *Lease) write(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.cluster.Window/2)
	defer cancel()
	for {
		began := time.Now()
		l.Beat, l.At = l.Beat+1, began.UTC()
		revision, err := l.cluster.state.Update(ctx, l.Key, l.text(), l.revision)
		if err == nil {
			l.mu.Lock()
			l.revision, l.confirmed = revision, began
			l.mu.Unlock()
			return nil
		}
		if !conflict(err) {
			return l.cluster.explain(err)
		}
		now, err := l.cluster.Topic(ctx, l.Key) // it may be our own write, whose acknowledgement was lost
		if err != nil {
			return l.cluster.explain(err)
		}
		if now.Worker != l.Worker || now.State != Running || now.revision <= l.revision {
			return fmt.Errorf("%w: %s has %s", ErrLost, now.Worker, l.ID)
		}
		l.revision = now.revision
	}
}

// Done ends the lease of a session that is closed, with its result.
func (l *Lease) Done(ctx context.Context, result any) (err error) {
	if l.Result, err = json.Marshal(result); err != nil {
		return err
	}
	l.Error = ""
	return l.end(ctx, Closed)
}

// Park ends the lease of a session that nobody is to try again for now, and says why.
func (l *Lease) Park(ctx context.Context, why string) error {
	l.Error = why
	return l.end(ctx, Parked)
}

// Fail ends the lease of a session whose try came to nothing. It is tried again after a delay, [Tries] times in all.
func (l *Lease) Fail(ctx context.Context, why string, delay time.Duration) error {
	l.Failed, l.Error = true, why
	return l.release(ctx, delay)
}

// Return ends the lease of a session that goes on as soon as another worker takes it.
func (l *Lease) Return(ctx context.Context) error {
	l.Tries = 0
	return l.release(ctx, 0)
}

func (l *Lease) release(ctx context.Context, delay time.Duration) error {
	l.stop()
	l.State = Queued
	err := l.write(ctx)
	if err == nil {
		err = l.message.NakWithDelay(delay)
	}
	return err
}

func (l *Lease) end(ctx context.Context, state string) error {
	l.stop()
	l.State = state
	if err := l.write(ctx); err != nil {
		return err
	}
	return l.message.Ack() // one that is lost comes again, and is acknowledged by its record
}

// stop ends the confirmations, and forgets what was known of the session's files.
func (l *Lease) stop() {
	if l.lost == nil {
		return
	}
	l.lost()
	l.kept.Wait()
	l.cluster.forget(l.ID)
}

// forget leaves the files of a session to whoever has it next.
func (c *Cluster) forget(id council.SessionID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, string(id))
	for name := range c.units {
		if inSession(name, id) {
			delete(c.units, name)
		}
	}
}
