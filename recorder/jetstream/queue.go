package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Parked  = "parked" // it is not tried any more until it is released
)

// Tries is how often a topic is tried without its session getting on, before it is parked.
const Tries = 3

// Topic is how a session that was submitted stands. Whoever writes its record last has it: the revision is the lease.
type Topic struct {
	Key    string            `json:"key"`     // which is always the same for the same topic
	ID     council.SessionID `json:"session"` // that is held on it
	State  string            `json:"state"`
	Worker string            `json:"worker,omitempty"` // that has it, or had it last
	Tries  int               `json:"tries,omitempty"`  // in a row in which the session did not get on
	Error  string            `json:"error,omitempty"`  // why the last try came to nothing
	Result json.RawMessage   `json:"result,omitempty"` // of a closed session
	At     time.Time         `json:"at"`               // of this record

	Failed bool   `json:"failed,omitempty"` // the last try ended with an error, and not with its worker
	Events uint64 `json:"events,omitempty"` // the newest message of the session's log when it was taken
	Beat   int    `json:"beat,omitempty"`

	revision uint64
}

// Submit puts a topic into the queue, with all that whoever takes it has to know. One whose key was submitted before
// stays as it is, which is returned.
func (c *Cluster) Submit(ctx context.Context, key string, id council.SessionID, body []byte) (t Topic, before bool,
	err error) {
	t, err = c.Topic(ctx, key)
	if before = err == nil; before && t.State != Queued {
		return t, before, nil
	}
	if !before {
		if !errors.Is(err, jetstream.ErrKeyNotFound) {
			return t, before, c.explain(err)
		}
		if _, err := c.files.PutBytes(ctx, key, body); err != nil {
			return t, before, c.explain(err)
		}
		t = Topic{Key: key, ID: id, State: Queued, At: time.Now().UTC()}
		if t.revision, err = c.state.Create(ctx, key, t.text()); err != nil {
			return t, before, c.explain(err)
		}
	}
	return t, before, c.enqueue(ctx, t)
}

// enqueue puts a topic into the queue, once for each time that it became queued.
func (c *Cluster) enqueue(ctx context.Context, t Topic) error {
	_, err := c.js.Publish(ctx, c.topics(), []byte(t.Key), jetstream.WithMsgID(fmt.Sprintf("%s/%d", t.Key, t.revision)))
	return c.explain(err)
}

// Topic returns how a topic stands.
func (c *Cluster) Topic(ctx context.Context, key string) (t Topic, err error) {
	entry, err := c.state.Get(ctx, key)
	if err == nil {
		t, err = read(entry)
	}
	return t, err
}

func read(e jetstream.KeyValueEntry) (t Topic, err error) {
	err = json.Unmarshal(e.Value(), &t)
	t.revision = e.Revision()
	return t, err
}

func (t Topic) text() []byte {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // of texts, numbers and what was marshaled before
	}
	return text
}

// Release puts a parked topic into the queue again.
func (c *Cluster) Release(ctx context.Context, key string) error {
	t, err := c.Topic(ctx, key)
	if err == nil && t.State != Parked {
		return fmt.Errorf("session %s is not parked: it is %s", t.ID, t.State)
	}
	if err == nil {
		t.State, t.Tries, t.Failed, t.At = Queued, 0, false, time.Now().UTC()
		t.revision, err = c.state.Update(ctx, key, t.text(), t.revision)
	}
	if err != nil {
		return c.explain(err)
	}
	return c.enqueue(ctx, t)
}

// Watch calls tell with how each topic stands and, unless it is only for now, with every change until ctx ends.
func (c *Cluster) Watch(ctx context.Context, now bool, tell func(Topic)) error {
	w, err := c.state.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return c.explain(err)
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
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
				return fmt.Errorf("%w: the record of topic %s: %w", ErrDamaged, entry.Key(), err)
			}
			tell(t)
		}
	}
}

const policyKey = "POLICY" // no session is called so

// Policy returns what the workspace of the cluster allows, and its revision; 0 where nobody has set it.
func (c *Cluster) Policy(ctx context.Context) (text []byte, revision uint64, err error) {
	entry, err := c.state.Get(ctx, policyKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, c.explain(err)
	}
	return entry.Value(), entry.Revision(), nil
}

// SetPolicy sets what [Cluster.Policy] returns, if that still has the revision.
func (c *Cluster) SetPolicy(ctx context.Context, text []byte, revision uint64) error {
	_, err := c.state.Update(ctx, policyKey, text, revision)
	if conflict(err) {
		return errors.New("the policy was changed by somebody else meanwhile; read it and try again")
	}
	return c.explain(err)
}

// Take waits for a topic and takes it for a worker. It returns nil when there was none for a time, or what there was is
// not to be tried now. The caller ends the lease.
func (c *Cluster) Take(ctx context.Context, worker string, wait time.Duration) (l *Lease, err error) {
	workers, err := c.consumer(ctx)
	if err != nil {
		return nil, c.explain(err)
	}
	m, err := workers.Next(jetstream.FetchMaxWait(wait))
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) {
		return nil, nil
	}
	if err != nil {
		return nil, c.explain(err)
	}
	if l, err = c.lease(ctx, m, worker); l == nil {
		_ = m.NakWithDelay(c.Window) // else it comes again when nobody acknowledges it
	}
	return l, c.explain(err)
}

// consumer returns what hands the topics of the queue to workers.
func (c *Cluster) consumer(ctx context.Context) (_ jetstream.Consumer, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.workers == nil {
		c.workers, err = c.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "workers",
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * c.Window, MaxDeliver: -1, MaxAckPending: -1})
	}
	return c.workers, err
}

// lease takes a topic that was delivered, unless another worker still has it or it is done with.
func (c *Cluster) lease(ctx context.Context, m jetstream.Msg, worker string) (*Lease, error) {
	key := string(m.Data())
	t, err := c.Topic(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && (t.State == Closed || t.State == Parked) {
		return nil, m.Ack()
	}
	if err == nil && t.State == Running { // whoever had it may live: then its record changes within the window
		before := t.revision
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(c.Window):
		}
		if t, err = c.Topic(ctx, key); err == nil && t.revision != before {
			return nil, nil
		}
	}
	var events uint64
	if err == nil {
		newest, failed := c.log.GetLastMsgForSubject(ctx, c.subject("sessions/"+string(t.ID)+"/events.json"))
		if failed == nil {
			events = newest.Sequence
		} else if !errors.Is(failed, jetstream.ErrMsgNotFound) {
			err = failed
		}
	}
	if err != nil {
		return nil, err
	}
	if !t.Failed && events > t.Events { // its worker died or was cut off, but had got on
		t.Tries = 0
	}
	l := &Lease{Topic: t, cluster: c, message: m}
	if t.Tries >= Tries {
		if l.Error == "" {
			l.Error = "its workers died, and left no word"
		}
		return nil, l.end(ctx, Parked)
	}
	if t.Tries++; !t.Failed && t.State == Running {
		t.Error = ""
	}
	t.State, t.Worker, t.Events, t.Failed = Running, worker, events, false
	l.Topic = t
	if err := l.write(ctx); err != nil {
		return nil, err
	}
	if l.Body, err = c.files.GetBytes(ctx, key); err != nil {
		return nil, err
	}
	l.keep(ctx)
	return l, nil
}
