package cluster

import (
	"cmp"
	"context"
	"errors"
	"path"
	"sync"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace/live"
)

// mirror is a record that is kept up to a cluster.
type mirror struct {
	*cli.Env
	root   *recorder.Root
	settle func() error // brings memory up to the sessions; nil: whoever convenes here does so
	mu     sync.Mutex
	held   map[council.SessionID]lease // the sessions that a worker has
}

// lease is a lock that is held in the name of a worker.
type lease struct {
	*atomicfile.Lock
	worker string
}

// FollowCluster keeps a record up to a cluster until ctx ends. What a worker has is running here too. Of sessions that
// are closed it writes what follows from their logs, as their workers did.
func FollowCluster(a *cli.Env, ctx context.Context, c *jetstream.Cluster, root *recorder.Root,
	settle func() error) error {
	m := &mirror{Env: a, root: root, settle: settle, held: map[council.SessionID]lease{}}
	ctx, cancel := context.WithCancel(ctx)
	var topics sync.WaitGroup
	topics.Go(func() { m.tell(c.Watch(ctx, false, func(t jetstream.Topic) { m.tell(m.stands(t)) })) })
	err := c.Follow(ctx, root.Files(), m.grown)
	cancel()
	topics.Wait()
	for _, lock := range m.held {
		err = errors.Join(err, lock.Release())
	}
	return err
}

// stands takes in how a topic stands.
func (m *mirror) stands(t jetstream.Topic) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	lock, held := m.held[t.ID]
	switch {
	case t.State == jetstream.Running && lock.worker == t.Worker: // a beat of its lease
	case t.State == jetstream.Running:
		if lock.worker = t.Worker; held {
			err = lock.For(t.Worker)
		} else {
			lock.Lock, err = m.root.HoldFor(t.ID, t.Worker)
		}
		if err == nil {
			m.held[t.ID] = lock
		}
	default:
		if delete(m.held, t.ID); held {
			err = lock.Release()
		}
		written := path.Join(recorder.SessionsFolder, string(t.ID), "session.json")
		if _, failed := m.root.Files().Lstat(written); failed != nil {
			err = errors.Join(err, m.closed(t.ID))
		}
	}
	return err
}

// grown takes in what was added to files.
func (m *mirror) grown(files []string) error {
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
	m.tell(m.closed(grew...))
	return nil
}

// tell says what stops nothing.
func (m *mirror) tell(err error) {
	if err != nil {
		m.Warn("The cluster: %v", err)
	}
}

// closed writes what follows from the logs of those sessions that are closed. Memory takes them in together.
func (m *mirror) closed(ids ...council.SessionID) (err error) {
	some := false
	for _, id := range ids {
		if m.root.Summary(id).Outcome != nil {
			// session.json, by which it is seen that this is done, is written last.
			err = errors.Join(err, cmp.Or(m.root.MarkUnsettled(id), live.Forget(m.root, id), finalizeSession(m.Env, m.root, id)))
			some = true
		}
	}
	if some && m.settle != nil {
		err = errors.Join(err, m.settle())
	}
	return err
}

// finalizeSession writes what follows from the log of a session, and says where it is.
func finalizeSession(a *cli.Env, root *recorder.Root, id council.SessionID) error {
	folder, err := root.Resume(id, a.Clock())
	if err != nil {
		return err
	}
	a.Say("%s", root.Location(id))
	return errors.Join(folder.Finalize(), folder.Close())
}
