package cluster

import (
	"cmp"
	"context"
	"errors"
	"path"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/site"
)

// Mirror is a record that is kept up to a cluster.
type Mirror struct {
	Root   *recorder.Root
	Memory *site.World             // in which memory is brought up to the sessions; nil: it is not
	Closed func(council.SessionID) // is called with each session whose files are written; may be nil
}

// mirror is a [Mirror] that follows its cluster.
type mirror struct {
	Mirror
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
func Follow(ctx context.Context, w *site.World, c *jetstream.Cluster, r Mirror) error {
	m := &mirror{Mirror: r, world: w, held: map[council.SessionID]lease{}}
	ctx, cancel := context.WithCancel(ctx)
	var topics sync.WaitGroup
	topics.Go(func() { m.warn(c.Watch(ctx, false, func(t jetstream.Topic) { m.warn(m.update(ctx, t)) })) })
	err := c.Follow(ctx, r.Root.Files(), func(files []string) error { m.grown(ctx, files); return nil })
	cancel()
	topics.Wait()
	for _, lock := range m.held {
		err = errors.Join(err, lock.Release())
	}
	return err
}

// update takes in the state of a topic.
func (m *mirror) update(ctx context.Context, t jetstream.Topic) (err error) {
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
func (m *mirror) grown(ctx context.Context, files []string) {
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

// warn prints an error that stops nothing.
func (m *mirror) warn(err error) {
	if err != nil {
		m.world.Warn("The cluster: %v", err)
	}
}

// closed makes the derived files of those sessions that are closed. Memory takes them in together.
func (m *mirror) closed(ctx context.Context, ids ...council.SessionID) (err error) {
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

// finalize makes the derived files of a session.
func finalize(w *site.World, root *recorder.Root, id council.SessionID) error {
	folder, err := root.Resume(id, w.Clock())
	if err != nil {
		return err
	}
	return errors.Join(folder.Finalize(), folder.Close())
}
