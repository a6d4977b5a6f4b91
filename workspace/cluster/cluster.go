// Package cluster has the operations on a workspace of several machines: to submit topics, hold sessions and follow.
package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
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

// Submit puts a topic into the queue of a cluster, with the documents that members are given and the policy of the
// workspace here lets be read; stdin is the one that is called "-". before reports whether it was submitted before.
func Submit(ctx context.Context, w *site.World, c *jetstream.Cluster, line run.BatchLine,
	stdin io.Reader) (t jetstream.Topic, before bool, err error) {
	s := submission{Line: line, Topic: council.Topic{Text: line.Topic}}
	lawful, err := w.Policy(site.Home())
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
			lock.Lock, err = m.Root.Hold(t.ID, t.Worker)
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
		failed := cmp.Or(m.Root.Unsettled.Mark(id), live.Forget(m.Root, id), finalize(m.world, m.Root, id))
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

// Work asks for sessions to be held that were submitted to a cluster.
type Work struct {
	Cluster jetstream.Settings
	Request run.Request // for every session, unless its topic says otherwise
	Jobs    int         // how many sessions are held at once
	Drain   bool        // ends when every topic is closed or parked

	Ended  func(jetstream.Topic)     // is called after every try
	Result func(run.BatchResult) any // returns the JSON of a closed session, for other programs
}

// worker holds sessions that were submitted to a cluster. They are a batch whose lines come from the queue.
type worker struct {
	*run.Batch
	Work
	cluster *jetstream.Cluster
	name    string
	policy  uint64 // the revision of the policy that the workspace has
}

// Attend takes topics until it is stopped, each in a session of its own.
func Attend(ctx context.Context, world *site.World, o Work) error {
	if o.Jobs < 1 {
		return site.Refuse(fmt.Sprintf("--jobs is how many sessions are held at once, 1 or more, not %d", o.Jobs),
			"Nothing was begun.")
	}
	read, err := seat.ReadCouncilAtPace(world, o.Request.Choice)
	if err != nil {
		return err
	}
	if _, err := seat.PickModels(world, ctx, &read.Charter, seat.ModelChoice{Models: o.Request.Models,
		Because: o.Request.Because}); err != nil {
		return err
	}
	c, err := Open(ctx, world, o.Cluster)
	if err != nil {
		return err
	}
	defer c.Close()
	folder := read.Charter.Storage.RootDir
	host, _ := os.Hostname() // without one the rest of the name is enough
	w := &worker{Work: o, cluster: c, name: fmt.Sprintf("%s/%d/%d", host, os.Getpid(), world.Now().UnixMilli())}
	w.Batch = &run.Batch{Request: o.Request,
		World: world.With(func(of *site.World) { of.Layer, of.Pulled = c.Layer(folder), w.pulled })}
	defer w.Close()
	if err := w.Open(folder); err != nil {
		return err
	}
	lock, err := schedule.TakeLock(w.Root)
	if err != nil {
		return err
	}
	defer lock.Release()
	ctx, interrupt, release := run.Interrupts(world, ctx, nil, world.Warn)
	defer release()
	w.Interrupt = interrupt
	world.Warn("%s takes topics from %s, %s at once.", w.name, c.Server(), plural.Things(o.Jobs, "session"))
	return w.attend(ctx)
}

// attend takes topics until it is stopped, or none is left where it is to end then.
func (w *worker) attend(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	slots := make(chan struct{}, w.Jobs)
	for !w.Stopped() && ctx.Err() == nil {
		select {
		case <-w.Interrupt:
			continue
		case slots <- struct{}{}:
		}
		l, err := w.cluster.Take(ctx, w.name, time.Second)
		if l != nil {
			all.Go(func() {
				w.report(ctx, l, w.hold(l))
				<-slots
			})
			continue
		}
		<-slots
		left := 0
		if err == nil && w.Drain {
			err = w.cluster.Watch(ctx, true, func(t jetstream.Topic) {
				if t.State == jetstream.Queued || t.State == jetstream.Running {
					left++
				}
			})
		}
		switch {
		case err != nil:
			w.World.Warn("The cluster: %v", err)
			time.Sleep(time.Second)
		case w.Drain && left == 0:
			return nil
		}
	}
	return ctx.Err()
}

// hold convenes the session of a topic, or goes on with one that the cluster has.
func (w *worker) hold(l *jetstream.Lease) (err error) {
	defer engine.CatchPanic(&err)
	var given submission
	if err := json.Unmarshal(l.Body, &given); err != nil {
		return fmt.Errorf("the topic was not submitted by this version of council: %w", err)
	}
	if err := w.refresh(l.Context); err != nil {
		return err
	}
	if _, err := w.cluster.Pull(l.Context, w.Root.Files(), l.ID); err != nil {
		return err
	}
	s := &run.Batched{Batch: w.Batch, Line: given.Line, ID: l.ID}
	s.Line.Given = &given.Topic
	if now := w.Root.Summary(l.ID); now.Events > 0 {
		s.Found, s.Found.Outcome = now, nil // also a session that is closed: it may not be in memory yet
	}
	return s.Hold(l.Context)
}

// report records the state of a topic on the cluster after a try, of which err is the error.
func (w *worker) report(ctx context.Context, l *jetstream.Lease, err error) {
	ctx = context.WithoutCancel(ctx) // the state is recorded also when the worker stops
	now := w.Root.Summary(l.ID)
	state, why, delay := jetstream.Queued, "", time.Duration(0)
	switch {
	case l.Context.Err() != nil, errors.Is(err, jetstream.ErrLost), errors.Is(err, atomicfile.ErrStale), w.Stopped():
		l.Tries = 0 // it was not the fault of the topic: its next worker goes on
	case err == nil && now.Outcome != nil:
		state = jetstream.Closed
		l.Result, _ = json.Marshal(w.Result(run.BatchResult{Line: run.BatchLine{ID: l.Key}, Session: l.ID, Left: now}))
	case err == nil && now.Suspended != nil:
		l.Failed, why, delay = true, now.Suspended.Error(), w.cluster.Window
		if kind := now.Suspended.Kind; kind == council.FaultAwaiting || kind == council.FaultBudget {
			state = jetstream.Parked
		}
	default:
		l.Failed, why, delay = true, site.CutSecrets(fmt.Sprint(err)), time.Second
	}
	if err := l.End(ctx, state, why, delay); err != nil {
		w.World.Warn("%s: %v", l.ID, err)
		return
	}
	w.Ended(l.Topic)
}

// refresh brings memory, the ledger and the policy up to the cluster. Sessions that begin later follow the policy.
func (w *worker) refresh(ctx context.Context) error {
	w.Memory.Finishing.Lock()
	defer w.Memory.Finishing.Unlock()
	text, revision, err := w.cluster.Policy(ctx)
	if err == nil && revision != w.policy {
		if err = atomicfile.Write(w.Root.Files(), site.PolicyFile, text); err == nil {
			w.policy = revision
			w.Reseat()
		}
	}
	if err == nil {
		err = w.cluster.Refresh(w.Root.Files())
	}
	if err != nil {
		return err
	}
	return bringMemory(ctx, w.World, w.Root)
}

func bringMemory(ctx context.Context, w *site.World, root *recorder.Root) error {
	m, err := seat.OpenMemory(w, root, "")
	if err == nil {
		_, err = m.Recover(ctx, w.Clock(), w.NoticeProblem)
	}
	return err
}

// pulled reads the log of a session that is in memory, though another worker held it.
func (w *worker) pulled(id council.SessionID) ([]wire.Entry, error) {
	entries, err := w.Root.Read(id)
	if !errors.Is(err, recorder.ErrUnknownSession) {
		return entries, err
	}
	_, err = w.cluster.Pull(context.Background(), w.Root.Files(), id)
	if err == nil {
		err = w.Root.Unsettled.Mark(id) // its episode and turns are made when memory is brought up the next time
	}
	if err != nil {
		return nil, err
	}
	return w.Root.Read(id)
}
