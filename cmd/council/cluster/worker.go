package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type workerOptions struct {
	cluster jetstream.Settings
	convene run.Request
	jobs    int
	drain   bool // end when every topic is closed or parked
}

// NewWorker returns the command worker.
func NewWorker(a *cli.Env) *cobra.Command {
	o := workerOptions{cluster: jetstream.Settings{Create: true}}
	cmd := &cobra.Command{Use: "worker",
		Short: "Hold sessions that were submitted to a cluster, until it is stopped",
		Long: `
worker takes topics from the queue of a cluster (council submit) and holds a session on each, with the configuration
and the keys of this machine. What members answer is acknowledged by the cluster before it is used: when a worker dies
or is cut off, another goes on with its sessions and pays for no answer twice. It asks nobody; a session that needs a
person, or that failed three times, is parked with its error, and the queue goes on.

Give each worker a folder of its own with --root, and convene nothing else there. Ctrl-C or SIGTERM stops it: answers
that are under way are waited for, and other workers go on with the sessions. A second one stops at once.

Credentials of the cluster come from the environment, as for the command nats: NATS_CREDS, NATS_NKEY, NATS_USER with
NATS_PASSWORD, NATS_CA, NATS_CERT with NATS_KEY.`,
		Example: `
  council worker --cluster nats://queue.example.org --root /var/lib/council --config council.config.json
  council worker --cluster nats://queue.example.org --jobs 100 --drain`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error { return runWorker(a, cmd.Context(), o) }}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.convene.Choice, "config", "council", "model", "root", "pace")
	clusterFlag(f, &o.cluster.URL)
	f.IntVar(&o.jobs, "jobs", 8, "how many sessions are held at once")
	f.BoolVar(&o.drain, "drain", false, "end when every topic is closed or parked")
	f.DurationVar(&o.cluster.Window, "lease", 0,
		"how long a session stays with a worker of which nothing is heard (default 15s)")
	cli.TrustFlag(f, a)
	return cmd
}

// worker holds sessions that were submitted to a cluster. They are a batch whose lines come from the queue.
type worker struct {
	*run.Batch
	cluster *jetstream.Cluster
	name    string
	policy  uint64 // the revision of the policy that the workspace has
}

// runWorker takes topics until it is stopped, each in a session of its own.
func runWorker(a *cli.Env, ctx context.Context, o workerOptions) error {
	if o.jobs < 1 {
		return site.Refuse(fmt.Sprintf("--jobs is how many sessions are held at once, 1 or more, not %d", o.jobs),
			"Nothing was begun.")
	}
	read, err := seat.ReadCouncilAtPace(a.World, o.convene.Choice)
	if err != nil {
		return err
	}
	o.convene.Because = a.Settings["model"].From
	if _, err := seat.PickModels(a.World, ctx, &read.Charter, o.convene.Model, o.convene.Because, false); err != nil {
		return err
	}
	c, err := OpenCluster(a, ctx, o.cluster)
	if err != nil {
		return err
	}
	defer c.Close()
	folder := read.Charter.Storage.RootDir
	host, _ := os.Hostname() // without one the rest of the name is enough
	w := &worker{cluster: c, name: fmt.Sprintf("%s/%d/%d", host, os.Getpid(), a.Now().UnixMilli())}
	child := a.With(func(of *site.World) { of.Layer, of.Pulled = c.Layer(folder), w.pulled })
	o.convene.Remarks, o.convene.Trust = cli.LeftWords, cli.Trust(a.Alone(io.Discard, a.Signals))
	w.Batch = &run.Batch{World: child, Request: o.convene, Say: a.Warn}
	defer w.Close()
	if err := w.Open(folder); err != nil {
		return err
	}
	lock, err := schedule.TakeLock(w.Root)
	if err != nil {
		return err
	}
	defer lock.Release()
	ctx, interrupt, release := run.Interrupts(a.World, ctx, a.Warn)
	defer release()
	w.Interrupt = interrupt
	a.Warn("%s takes topics from %s, %s at once.", w.name, c.Server(), plural.Things(o.jobs, "session"))
	return w.attend(ctx, o)
}

// attend takes topics until it is stopped, or none is left where it is to end then.
func (w *worker) attend(ctx context.Context, o workerOptions) error {
	var all sync.WaitGroup
	defer all.Wait()
	slots := make(chan struct{}, o.jobs)
	for !w.Stopped() && ctx.Err() == nil {
		select {
		case <-w.Interrupt:
			continue
		case slots <- struct{}{}:
		}
		l, err := w.cluster.Take(ctx, w.name, time.Second)
		if l != nil {
			all.Go(func() {
				w.settle(ctx, l, w.hold(ctx, l))
				<-slots
			})
			continue
		}
		<-slots
		left := 0
		if err == nil && o.drain {
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
		case o.drain && left == 0:
			return nil
		}
	}
	return ctx.Err()
}

// hold convenes the session of a topic, or goes on with what the cluster has of it. Its error is that of the command.
func (w *worker) hold(ctx context.Context, l *jetstream.Lease) (err error) {
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

// settle tells the cluster how the session of a topic stands after a try.
func (w *worker) settle(ctx context.Context, l *jetstream.Lease, err error) {
	ctx = context.WithoutCancel(ctx) // what is known is to be told, also when the worker stops
	now := w.Root.Summary(l.ID)
	state, why, delay := jetstream.Queued, "", time.Duration(0)
	switch {
	case l.Context.Err() != nil, errors.Is(err, jetstream.ErrLost), errors.Is(err, atomicfile.ErrStale), w.Stopped():
		l.Tries = 0 // it was not the topic's fault: whoever has it next goes on
	case err == nil && now.Outcome != nil:
		state = jetstream.Closed
		l.Result, _ = json.Marshal(cli.BatchResultOf(run.BatchResult{Line: run.BatchLine{ID: l.Key}, Session: l.ID,
			Left: now}))
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
	w.World.Warn("%s", topicWords(l.Topic))
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
	return BringMemory(w.World, ctx, w.Root)
}

// BringMemory brings the memory of a record up to its sessions.
func BringMemory(world *site.World, ctx context.Context, root *recorder.Root) error {
	m, err := seat.OpenMemory(world, root, "")
	if err == nil {
		_, err = m.Recover(ctx, world.Clock(), world.WarnMemory)
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
		err = w.Root.MarkUnsettled(id) // its episode and turns are made when memory is brought up the next time
	}
	if err != nil {
		return nil, err
	}
	return w.Root.Read(id)
}
