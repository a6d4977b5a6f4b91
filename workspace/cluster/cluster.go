// Package cluster has the operations of a workspace that several machines share: it submits topics, holds sessions on
// them, and follows other machines.
package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace/run"
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

// Submit puts a topic into the queue of a cluster, with the documents that members are given; stdin is the one that is
// called "-". before reports whether it was submitted before.
func Submit(ctx context.Context, w *site.World, c *jetstream.Cluster, line run.BatchLine,
	stdin io.Reader) (t jetstream.Topic, before bool, err error) {
	s := submission{Line: line, Topic: council.Topic{Text: line.Topic}}
	given := seat.Context{Contexts: line.Context}
	lawful, err := w.Policy("")
	if err == nil {
		err = given.Load(ctx, stdin, &s.Topic)
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
