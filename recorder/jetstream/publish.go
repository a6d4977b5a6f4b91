package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/council-engine/council/internal/atomicfile"
)

// truth matches the files of a workspace that the cluster keeps, by their paths in it.
var truth = regexp.MustCompile(`^(?:sessions/[^/]+/(?:events\.json|doubts\.json|conversations/[^/]+\.jsonl)|` +
	`audit/audit(?:-\d+)?\.jsonl|memory/journal\.jsonl|live/notes/[^/]+\.json)$`)

// notes is the folder of what people say to sessions that run, each in a file that is there until it is recorded.
const notes = "live/notes"

// shares are the folders whose files several machines write in by turns. A session is of one machine at a time.
var shares = []string{"audit", "memory", notes}

func shared(file string) bool { return !strings.HasPrefix(file, "sessions/") }

// Subjects of NATS have dots between their tokens, and stars and angles as wildcards.
var escapes = strings.NewReplacer("%", "%25", ".", "%2E", "*", "%2A", ">", "%3E", " ", "%20", "/", ".")

// subject returns the subject of a file of the workspace; that of all is its beginning.
func subject(file string) string {
	return strings.TrimSuffix("council.log."+escapes.Replace(file), ".")
}

// topics is the subject of the queue.
const topics = "council.topics"

// fileOf returns the file that a subject is of.
func fileOf(of string) (string, error) {
	return url.PathUnescape(strings.ReplaceAll(strings.TrimPrefix(of, subject("")+"."), ".", "/"))
}

// keep is the header that says how many bytes of the file stay, before those of the message.
const keep = "Council-Keep"

// again is how long a single try of a request may take.
const again = 2 * time.Second

// publish puts one message behind that of a sequence, 0 for the first of its subject, and returns its own sequence when
// the cluster has acknowledged it. With whole it takes the place of all before it.
//
// An acknowledgement that is lost is asked for again: the id of the message tells the stream, and us, that it is there
// already. [atomicfile.ErrStale]: another message came before this one. After another error it is unknown whether it is
// there until the subject is read.
func (c *Cluster) publish(subject string, after uint64, kept int64, data []byte, whole bool) (seq uint64, err error) {
	m := nats.NewMsg(subject)
	m.Data, m.Header[keep] = data, []string{strconv.FormatInt(kept, 10)}
	if whole {
		m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	}
	id := nuid.Next()
	err = c.insist(context.Background(), func(ctx context.Context) error {
		ack, err := c.js.PublishMsg(ctx, m, jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(after))
		if err == nil {
			seq = ack.Sequence
		}
		if !conflict(err) {
			return err
		}
		newest, failed := c.log.GetLastMsgForSubject(ctx, subject)
		switch {
		case errors.Is(failed, jetstream.ErrMsgNotFound), failed == nil && newest.Sequence <= after:
			return nats.ErrTimeout // what came before is on its way still, or whom we asked lags behind: try again
		case failed != nil:
			return failed
		case newest.Header.Get(jetstream.MsgIDHeader) == id:
			seq = newest.Sequence
			return nil
		}
		return fmt.Errorf("%w: the last message of %s is %d, not %d", atomicfile.ErrStale, subject, newest.Sequence, after)
	})
	return seq, err
}

// next returns the first message of a subject, which may have wildcards, from a sequence on; nil where there is none.
func (c *Cluster) next(ctx context.Context, subject string, from uint64) (m *jetstream.RawStreamMsg, err error) {
	err = c.insist(ctx, func(ctx context.Context) error {
		m, err = c.log.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// insist makes a request again and again while what hinders it may pass.
func (c *Cluster) insist(ctx context.Context, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		try, done := context.WithTimeout(ctx, min(again, c.Patience))
		err := request(try)
		done()
		if err == nil || !passing(err) || ctx.Err() != nil || c.denied.Load() != nil {
			return c.explain(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}
