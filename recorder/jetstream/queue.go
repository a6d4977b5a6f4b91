package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/council-engine/council/council"
)

// The states of a topic.
const (
	Queued  = "queued"
	Running = "running"
	Closed  = "closed"
	Parked  = "parked" // until it is submitted again
)

// Tries is how often a topic is tried without progress of its session before it is parked.
const Tries = 3

// Topic is the state of a submitted session. The last writer of its record has it: the revision is the lease.
type Topic struct {
	Key    string            `json:"key"` // which is always the same for the same topic
	ID     council.SessionID `json:"session"`
	State  string            `json:"state"`
	Worker string            `json:"worker,omitempty"` // that has it, or had it last
	Tries  int               `json:"tries,omitempty"`  // in a row without progress of the session
	Error  string            `json:"error,omitempty"`  // of the last try
	Result json.RawMessage   `json:"result,omitempty"` // of a closed session
	At     time.Time         `json:"at"`               // of this record

	Failed bool   `json:"failed,omitempty"` // the last try ended with an error, and not with its worker
	Events uint64 `json:"events,omitempty"` // the newest message of the session when it was taken

	revision uint64
}

// Submit queues a topic with all that a worker needs to know. The key is the [council.SessionID.Word] of its session. A
// topic that was submitted before is returned as it is; a parked one is queued again.
func (c *Cluster) Submit(ctx context.Context, key string, id council.SessionID, body []byte) (t Topic, before bool,
	err error) {
	known := false // whether it was there before
	err = c.retry(ctx, func(ctx context.Context) error {
		t, err = c.topic(ctx, key)
		if !known && (err == nil || errors.Is(err, jetstream.ErrKeyNotFound)) {
			known, before = true, err == nil
		}
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			t = Topic{Key: key, ID: id}
			_, err = c.files.PutBytes(ctx, key, body)
		}
		if err == nil && (t.State == "" || t.State == Parked) {
			t.State, t.Tries, t.Failed, t.At = Queued, 0, false, time.Now().UTC()
			if t.revision, err = c.state.Update(ctx, key, t.text(), t.revision); isConflict(err) {
				return nats.ErrTimeout // another submission, or a repetition of ours, was faster: look again
			}
		}
		if err == nil && t.State == Queued { // once for each time that it became queued
			_, err = c.js.Publish(ctx, topics, []byte(key), jetstream.WithMsgID(fmt.Sprintf("%s/%d", key, t.revision)))
		}
		return err
	})
	return t, before, err
}

// Requeue queues a session again that was parked. [ErrUnknown]: it was not submitted to this cluster.
func (c *Cluster) Requeue(ctx context.Context, id council.SessionID) error {
	t, err := c.Topic(ctx, id.Word())
	if err == nil {
		_, _, err = c.Submit(ctx, t.Key, id, nil)
	}
	return err
}

// Topic returns the state of a topic. [ErrUnknown]: it was not submitted.
func (c *Cluster) Topic(ctx context.Context, key string) (t Topic, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		t, err = c.topic(ctx, key)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		err = fmt.Errorf("%w: %s", ErrUnknown, key)
	}
	return t, err
}

func (c *Cluster) topic(ctx context.Context, key string) (t Topic, err error) {
	entry, err := c.state.Get(ctx, key)
	if err == nil {
		t, err = read(entry)
	}
	return t, err
}

func read(e jetstream.KeyValueEntry) (t Topic, err error) {
	if err = json.Unmarshal(e.Value(), &t); err != nil {
		err = fmt.Errorf("%w: the record of topic %s: %w", ErrDamaged, e.Key(), err)
	}
	t.revision = e.Revision()
	return t, err
}

func (t Topic) text() []byte {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // of texts, numbers and valid JSON
	}
	return text
}

// Watch calls show with the state of each topic and, unless now is set, with every change until ctx ends.
func (c *Cluster) Watch(ctx context.Context, now bool, show func(Topic)) error {
	if now {
		var release context.CancelFunc
		ctx, release = context.WithTimeout(ctx, c.Patience)
		defer release()
	}
	var w jetstream.KeyWatcher
	err := c.retry(ctx, func(context.Context) (err error) { // the watcher outlives the try
		w, err = c.state.WatchAll(ctx, jetstream.IgnoreDeletes())
		return err
	})
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			if now {
				return c.explain(ctx.Err())
			}
			return nil
		case entry, ok := <-w.Updates():
			if !ok || entry == nil && now {
				return nil
			}
			if entry == nil || entry.Key() == policyKey {
				continue
			}
			t, err := read(entry)
			if err != nil {
				return err
			}
			show(t)
		}
	}
}

const policyKey = "POLICY" // not a valid key of a topic

// Policy returns the policy of workers and its revision; 0 where none was set.
func (c *Cluster) Policy(ctx context.Context) (text []byte, revision uint64, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		entry, err := c.state.Get(ctx, policyKey)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err == nil {
			text, revision = entry.Value(), entry.Revision()
		}
		return err
	})
	return text, revision, err
}

// SetPolicy sets the policy, if the present one has the revision.
func (c *Cluster) SetPolicy(ctx context.Context, text []byte, revision uint64) error {
	err := c.retry(ctx, func(ctx context.Context) error {
		_, err := c.state.Update(ctx, policyKey, text, revision)
		return err
	})
	if !isConflict(err) {
		return err
	}
	if now, _, failed := c.Policy(ctx); failed == nil && string(now) == string(text) {
		return nil // our own acknowledgement was lost
	}
	return errors.New("somebody else changed the policy meanwhile; read it and try again")
}

// Take waits for a topic and takes it for a worker. It returns nil when there was none within wait, or none to try now.
// The caller ends the lease.
func (c *Cluster) Take(ctx context.Context, worker string, wait time.Duration) (l *Lease, err error) {
	c.mu.Lock()
	if c.workers == nil {
		c.workers, err = c.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "workers",
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * c.Window, MaxDeliver: -1, MaxAckPending: -1})
	}
	workers := c.workers
	c.mu.Unlock()
	if err != nil {
		return nil, c.explain(err)
	}
	m, err := workers.Next(jetstream.FetchMaxWait(wait))
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) {
		return nil, nil
	}
	if err == nil {
		if l, err = c.lease(ctx, m, worker); l == nil {
			_ = m.NakWithDelay(c.Window) // else it comes again without an acknowledgement
		}
	}
	return l, c.explain(err)
}

// lease takes a topic that was delivered, unless another worker still has it or it is finished.
func (c *Cluster) lease(ctx context.Context, m jetstream.Msg, worker string) (*Lease, error) {
	key := string(m.Data())
	t, err := c.topic(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && (t.State == Closed || t.State == Parked) {
		return nil, m.Ack()
	}
	if err == nil && t.State == Running { // if its worker lives, its record changes within the window
		before := t.revision
		pause(ctx, c.Window)
		if t, err = c.topic(ctx, key); err == nil && t.revision != before {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var events uint64
	log, err := c.log.GetLastMsgForSubject(ctx, subject("sessions/"+string(t.ID))+".>")
	if err == nil {
		events = log.Sequence
	} else if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, err
	}
	if !t.Failed && events > t.Events { // its worker died, but the session had progressed
		t.Tries = 0
	}
	l := &Lease{Topic: t, cluster: c, message: m}
	if l.Body, err = c.files.GetBytes(ctx, key); err != nil {
		return nil, err
	}
	if t.Tries >= Tries {
		return nil, l.End(ctx, Parked, cmp.Or(t.Error, "its workers died, and left no word"), 0)
	}
	l.State, l.Worker, l.Events, l.Failed, l.Tries = Running, worker, events, false, t.Tries+1
	if err := l.write(ctx); err != nil {
		return nil, err
	}
	l.keep(ctx)
	return l, nil
}

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

func (l *Lease) keep(ctx context.Context) {
	l.Context, l.cancel = context.WithCancel(ctx)
	l.cluster.mu.Lock()
	l.cluster.held[string(l.ID)] = l.Held
	l.cluster.mu.Unlock()
	l.kept.Go(func() {
		defer l.cancel()
		for l.Held() == nil && pause(l.Context, l.cluster.Window/3) {
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
	maps.DeleteFunc(c.units, func(file string, _ *unit) bool { return sessionOf(file) == string(l.ID) })
}
