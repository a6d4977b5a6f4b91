package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/council-engine/council/internal/atomicfile"
)

// followedFile is the file of a workspace with the message up to which it has followed the cluster.
const followedFile = "followed.json"

type followed struct {
	Stream time.Time `json:"stream"` // when it was made: another begins anew
	Seq    uint64    `json:"seq"`
}

// maxMessages is how many messages are folded before the files are written.
const maxMessages = 1000

// Follow brings the truth of a workspace up to the cluster and keeps it there until ctx ends, also while the cluster is
// away for a time. It calls changed with the paths of files that have grown, afterwards. Files that this process writes
// joinLayers the layer meanwhile stay as they are.
func (c *Cluster) Follow(ctx context.Context, workspace atomicfile.Files, changed func(files []string) error) error {
	at := followed{Stream: c.log.CachedInfo().Created.UTC()}
	text, err := atomicfile.Read(workspace, followedFile)
	var had followed
	if err == nil && json.Unmarshal(text, &had) == nil && had.Stream.Equal(at.Stream) {
		at = had
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for ctx.Err() == nil {
		c.begin(at.Seq)
		err := c.follow(ctx, workspace, &at, changed)
		switch again := at.Seq > 0; {
		case ctx.Err() != nil:
		case errors.Is(err, ErrDamaged) && again: // the disk was changed: read everything again
			at.Seq = 0
		case !isTransient(err):
			return c.explain(err)
		default:
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
	return nil
}

// begin sets the message from which the workspace is followed. It forgets the states of all files.
func (c *Cluster) begin(seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followed.Store(seq)
	c.units = map[string]*unit{}
	for _, share := range shares {
		c.units[share] = &unit{seen: seq, files: map[string]*state{}}
	}
}

// follow is Follow until the first error.
func (c *Cluster) follow(ctx context.Context, workspace atomicfile.Files, at *followed,
	changed func([]string) error) error {
	var messages jetstream.MessagesContext
	err := c.retry(ctx, func(context.Context) error {
		consumer, err := c.log.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: at.Seq + 1})
		if err == nil {
			messages, err = consumer.Messages(jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
		}
		return err
	})
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		f, pending := newFold(workspace, ""), uint64(1)
		for n := 0; n < maxMessages && pending > 0; n++ {
			m, err := messages.Next(jetstream.NextContext(ctx))
			if err != nil { // the next consumer shows whether it passes
				return fmt.Errorf("%w: %w", nats.ErrDisconnected, err)
			}
			about, err := m.Metadata()
			if err == nil {
				pending = about.NumPending
				err = f.add(m.Subject(), m.Headers(), m.Data(), about.Sequence.Stream)
			}
			if err != nil {
				return err
			}
		}
		if err := c.take(f); err != nil {
			return err
		}
		c.followed.Store(f.last)
		if err := changed(slices.Sorted(maps.Keys(f.text))); err != nil {
			return err
		}
		at.Seq = f.last
		text, _ := json.Marshal(at) // of a time and a number
		if err := atomicfile.Write(workspace, followedFile, text); err != nil {
			return err
		}
	}
}

// take writes the files that were followed, except those in which this process has written later messages meanwhile.
func (c *Cluster) take(f *fold) error {
	locked := map[*unit]bool{}
	for file := range f.text {
		u := c.known(file)
		if u == nil { // this process has not written to it
			continue
		}
		if !locked[u] {
			u.mu.Lock()
			defer u.mu.Unlock()
		}
		locked[u] = true
		now, had := f.states[file], u.files[file]
		if had != nil && had.seq >= now.seq || shared(file) && u.seen >= f.last {
			delete(f.text, file)
		} else if had != nil {
			u.files[file] = now
		}
	}
	err := f.write()
	for u := range locked {
		u.seen = max(u.seen, f.last)
	}
	return err
}
