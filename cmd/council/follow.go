package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
)

// follow keeps a record up to a cluster until ctx ends. Of sessions that are closed it writes what follows from their
// logs, as their workers did.
func (a *app) follow(ctx context.Context, c *jetstream.Cluster, root *recorder.Root) error {
	return c.Follow(ctx, root.Files(), func(files []string) error {
		for _, file := range files {
			folder, name := path.Split(file)
			if id := council.SessionID(path.Base(folder)); name == "events.json" && root.Summary(id).Outcome != nil {
				a.trouble(a.finalized(root, id))
			}
		}
		return nil
	})
}

// finalized writes what follows from the log of a session, and says where it is.
func (a *app) finalized(root *recorder.Root, id council.SessionID) error {
	folder, err := root.Resume(id, a.Inputs())
	if err != nil {
		return err
	}
	a.Say("%s", root.Place(id))
	return errors.Join(folder.Finalize(), folder.Close())
}

// attach has the record of a door follow a cluster. What is done through the door goes to the cluster first, and its
// workers hold the sessions that are convened.
func (d *agentDoor) attach(ctx context.Context, url string) (leave func(), err error) {
	if url == "" {
		return func() {}, nil
	}
	// Whoever looks at a page does not wait for minutes.
	c, err := d.app.cluster(ctx, jetstream.Settings{URL: url, Patience: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	root, err := recorder.OpenRoot(d.folder, d.Record()...)
	if err != nil {
		c.Close()
		return nil, err
	}
	lock, err := takeKeeping(root)
	if err != nil {
		c.Close()
		return nil, errors.Join(err, root.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	quiet := *d.app
	quiet.Out = quiet.Errs // an agent reads the one, and people read where the pages are
	var following sync.WaitGroup
	following.Go(func() {
		if err := quiet.follow(ctx, c, root); err != nil {
			d.Warn("The cluster is not followed any more: %v", err)
		}
	})
	child := *d.app
	child.Layer = c.Layer(root.Path())
	d.app, d.cluster, d.folder, d.root = &child, c, root.Path(), []string{"--root=" + root.Path()}
	return func() {
		cancel()
		following.Wait()
		c.Close()
		_ = errors.Join(lock.Release(), root.Close())
	}, nil
}

// submitted hands in what convene would hold, and returns its session when a worker has begun that.
func (d *agentDoor) submitted(ctx context.Context, flags []string, topic string) (string, error) {
	line := batchLine{ID: rand.Text()}
	var err error
	if line.Topic, err = checkTopic(topic); err != nil {
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
			return "", cli.Refuse("--"+name+" is not for a cluster",
				"The configuration of its workers and council cluster policy say which models are asked and what may be spent.")
		}
	}
	t, _, err := d.submit(ctx, d.cluster, line)
	for begun := false; err == nil && !begun; {
		select {
		case <-ctx.Done():
			err = fmt.Errorf("session %s is queued, and no worker has begun it yet", t.ID)
		case <-time.After(50 * time.Millisecond):
			err = d.InRecord(d.folder, func(root *recorder.Root) error {
				begun = root.Summary(t.ID).Events > 0
				return nil
			})
		}
	}
	return string(t.ID), err
}
