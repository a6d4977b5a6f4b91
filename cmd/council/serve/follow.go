package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace/cluster"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

// Attach has the record of a door follow a cluster. What is done through the door goes to the cluster first, and its
// workers hold the sessions that are convened.
func (d *Door) Attach(ctx context.Context, url string) (leave func(), err error) {
	if url == "" {
		return func() {}, nil
	}
	// Whoever looks at a page does not wait for minutes.
	c, err := cluster.Open(ctx, d.World, jetstream.Settings{URL: url, Create: true, Follows: true,
		Patience: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	root, err := recorder.OpenRoot(d.Folder, d.Layer)
	if err != nil {
		c.Close()
		return nil, err
	}
	lock, err := schedule.TakeLock(root)
	if err != nil {
		c.Close()
		return nil, errors.Join(err, root.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	world, child := d.World, *d.Env
	child.World = d.With(func(w *site.World) { w.Layer = c.Layer(root.Path()) })
	var following sync.WaitGroup
	following.Go(func() {
		if err := cluster.Follow(ctx, world, c, cluster.Mirror{Root: root, Memory: child.World}); err != nil {
			world.Warn("The cluster is not followed any more: %v", err)
		}
	})
	d.Env, d.cluster, d.Folder, d.root = &child, c, root.Path(), []string{"--root=" + root.Path()}
	return func() {
		cancel()
		following.Wait()
		c.Close()
		_ = errors.Join(lock.Release(), root.Close())
	}, nil
}

// submitted hands in what convene would hold, and returns its session when a worker has begun that.
func (d *Door) submitted(ctx context.Context, flags []string, topic string) (string, error) {
	line := run.BatchLine{ID: rand.Text()}
	var err error
	if line.Topic, err = site.CheckTopic(topic); err != nil {
		return "", err
	}
	for _, f := range flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(f, "--"), "=")
		switch one := map[string]*string{"council": &line.Council, "pace": &line.Pace, "output": &line.Output}; {
		case value == "":
		case one[name] != nil:
			*one[name] = value
		case name == "option":
			line.Options = append(line.Options, value)
		case name == "context":
			line.Context = append(line.Context, value)
		default:
			return "", site.Refuse("--"+name+" is not for a cluster",
				"The configuration of its workers and council cluster policy say which models are asked and what may be spent.")
		}
	}
	t, _, err := cluster.Submit(ctx, d.World, d.cluster, line, d.In)
	for err == nil && !d.hasBegun(t.ID) {
		select {
		case <-ctx.Done():
			err = fmt.Errorf("session %s is queued, and no worker has begun it yet", t.ID)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return string(t.ID), err
}
