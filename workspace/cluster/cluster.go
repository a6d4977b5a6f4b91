// Package cluster has the operations on a workspace of several machines: to submit topics, hold sessions and follow.
package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// Open connects to a cluster, with the credentials that the environment has.
func Open(ctx context.Context, w *site.World, s jetstream.Settings) (*jetstream.Cluster, error) {
	if s.URL = cmp.Or(s.URL, w.Getenv("NATS_URL")); s.URL == "" {
		return nil, site.Refuse("no cluster is named", "Name one: --cluster nats://HOST:4222, or set NATS_URL.")
	}
	s.Rules, s.Getenv = rules.Version, w.Getenv
	return jetstream.Open(ctx, s)
}

// submission is the body of a topic in the queue.
type submission struct {
	Line  run.BatchLine `json:"line"`
	Topic council.Topic `json:"topic"` // with its documents
}

// Submit puts a topic into the queue of a cluster, with the documents that members are given; stdin is the one that is
// called "-". before reports whether it was submitted before.
func Submit(ctx context.Context, w *site.World, c *jetstream.Cluster, line run.BatchLine,
	stdin io.Reader) (t jetstream.Topic, before bool, err error) {
	s := submission{Line: line, Topic: council.Topic{Text: line.Topic}}
	lawful, err := w.Policy("")
	if err == nil {
		s.Topic.Documents, s.Topic.Skipped, err = documents.Load(ctx, documents.Request{Paths: line.Context, Stdin: stdin})
	}
	if err == nil {
		err = site.MayRead(lawful, "", &s.Topic)
	}
	if err != nil {
		return t, false, err
	}
	site.CutTopic(&s.Topic, lawful.Redactions()...)
	s.Line.Topic = s.Topic.Text
	body, err := json.Marshal(s)
	if err != nil {
		return t, false, err
	}
	key := line.Word()
	return c.Submit(ctx, key, recorder.NamedSessionID(w.Now(), s.Topic.Text, key), body)
}

// Pull brings a session of a cluster into a record, and makes the files that are derived from its log.
func Pull(ctx context.Context, w *site.World, c *jetstream.Cluster, root *recorder.Root, id council.SessionID) error {
	found, err := c.Pull(ctx, root.Files(), id)
	if err == nil && !found {
		err = fmt.Errorf("%w on the cluster: %s", recorder.ErrUnknownSession, site.Quote(string(id)))
	}
	if err != nil {
		return err
	}
	return finalize(w, root, id)
}

// Mirror is a record that is kept up to a cluster.
type Mirror struct {
	Root   *recorder.Root
	Memory *site.World             // in which memory is brought up to the sessions; nil: it is not
	Closed func(council.SessionID) // is called with each session whose files are written; may be nil

	world *site.World
	mu    sync.Mutex
	held  map[council.SessionID]lease // the sessions that a worker has
}

// lease is a lock that is held in the name of a worker.
type lease struct {
	*atomicfile.Lock
	worker string
}

// Follow keeps a record up to a cluster until ctx ends. A session that a worker has is running here too. For sessions
// that are closed it makes the derived files, as their workers did.
func Follow(ctx context.Context, w *site.World, c *jetstream.Cluster, m *Mirror) error {
	m.world, m.held = w, map[council.SessionID]lease{}
	ctx, cancel := context.WithCancel(ctx)
	var topics sync.WaitGroup
	topics.Go(func() { m.warn(c.Watch(ctx, false, func(t jetstream.Topic) { m.warn(m.update(ctx, t)) })) })
	err := c.Follow(ctx, m.Root.Files(), func(files []string) error { m.grown(ctx, files); return nil })
	cancel()
	topics.Wait()
	for _, lock := range m.held {
		err = errors.Join(err, lock.Release())
	}
	return err
}

func (m *Mirror) update(ctx context.Context, t jetstream.Topic) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	lock, held := m.held[t.ID]
	switch {
	case t.State == jetstream.Running && lock.worker == t.Worker: // a beat of its lease
	case t.State == jetstream.Running:
		if lock.worker = t.Worker; held {
			err = lock.For(t.Worker)
		} else {
			lock.Lock, err = m.Root.Locks().Hold(t.ID, t.Worker)
		}
		if err == nil {
			m.held[t.ID] = lock
		}
	default:
		if delete(m.held, t.ID); held {
			err = lock.Release()
		}
		written := path.Join(recorder.SessionsFolder, string(t.ID), "session.json")
		if _, failed := m.Root.Files().Lstat(written); failed != nil {
			err = errors.Join(err, m.closed(ctx, t.ID))
		}
	}
	return err
}

// grown takes in files to which something was added.
func (m *Mirror) grown(ctx context.Context, files []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var grew []council.SessionID
	for _, file := range files {
		folder, name := path.Split(file)
		id := council.SessionID(path.Base(folder))
		if _, held := m.held[id]; name == "events.json" && !held {
			grew = append(grew, id)
		}
	}
	m.warn(m.closed(ctx, grew...))
}

func (m *Mirror) warn(err error) {
	if err != nil {
		m.world.Warn("The cluster: %v", err)
	}
}

// closed makes the derived files of those sessions that are closed. Memory takes them in together.
func (m *Mirror) closed(ctx context.Context, ids ...council.SessionID) (err error) {
	some := false
	for _, id := range ids {
		if m.Root.Summary(id).Outcome == nil {
			continue
		}
		some = true
		// session.json, by which it is seen that this is done, is written last.
		failed := cmp.Or(m.Root.Unsettled().Mark(id), live.Forget(m.Root, id), finalize(m.world, m.Root, id))
		if err = errors.Join(err, failed); failed == nil && m.Closed != nil {
			m.Closed(id)
		}
	}
	if some && m.Memory != nil {
		err = errors.Join(err, m.Memory.InRecord(m.Root.Path(), func(root *recorder.Root) error {
			return bringMemory(ctx, m.Memory, root)
		}))
	}
	return err
}

func finalize(w *site.World, root *recorder.Root, id council.SessionID) error {
	folder, err := root.Resume(id, w.Clock())
	if err != nil {
		return err
	}
	return errors.Join(folder.Finalize(), folder.Close())
}
