package jetstream

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/council-engine/council/internal/atomicfile"
)

// truth matches the paths of the files that the cluster keeps.
var truth = regexp.MustCompile(`^(?:sessions/[^/]+/(?:events\.json|doubts\.json|conversations/[^/]+\.jsonl)|` +
	`audit/audit(?:-\d+)?\.jsonl|memory/journal\.jsonl|live/notes/[^/]+\.json)$`)

// notes is the folder of notes to running sessions, each in a file until it is recorded.
const notes = "live/notes"

// shares are the folders to which several machines write. A session belongs to one machine at a time.
var shares = []string{"audit", "memory", notes}

func shared(file string) bool { return !strings.HasPrefix(file, "sessions/") }

// Subjects of NATS have dots between their tokens, and stars and angles as wildcards.
var escapes = strings.NewReplacer("%", "%25", ".", "%2E", "*", "%2A", ">", "%3E", " ", "%20", "/", ".")

// subject returns the subject of a file of the workspace; for "" the prefix of all.
func subject(file string) string {
	return strings.TrimSuffix("council.log."+escapes.Replace(file), ".")
}

const topics = "council.topics"

// keep is the header with the number of bytes of the file that stay before those of the message.
const keep = "Council-Keep"

const tryTimeout = 2 * time.Second

// publish puts one message after the one with a sequence, 0 for the first of its subject, and returns its own sequence
// when the cluster has acknowledged it. With whole it replaces all before it.
//
// Where an acknowledgement is lost the message is sent again; its id shows the stream, and us, that it is there
// already. [atomicfile.ErrStale]: another message came before this one. After another error the subject has to be read
// to know whether the message is there.
func (c *Cluster) publish(subject string, after uint64, kept int64, data []byte, whole bool) (seq uint64, err error) {
	m := nats.NewMsg(subject)
	m.Data, m.Header[keep] = data, []string{strconv.FormatInt(kept, 10)}
	if whole {
		m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	}
	id := nuid.Next()
	err = c.retry(context.Background(), func(ctx context.Context) error {
		ack, err := c.js.PublishMsg(ctx, m, jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(after))
		if err == nil {
			seq = ack.Sequence
		}
		if !isConflict(err) {
			return err
		}
		newest, failed := c.log.GetLastMsgForSubject(ctx, subject)
		switch {
		case errors.Is(failed, jetstream.ErrMsgNotFound), failed == nil && newest.Sequence <= after:
			return nats.ErrTimeout // the message before is on its way, or the server lags behind: try again
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
	err = c.retry(ctx, func(ctx context.Context) error {
		m, err = c.log.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// retry repeats a request while its error may pass.
func (c *Cluster) retry(ctx context.Context, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		try, done := context.WithTimeout(ctx, min(tryTimeout, c.Patience))
		err := request(try)
		done()
		if err == nil || !isTransient(err) || ctx.Err() != nil || c.denied.Load() != nil {
			return c.explain(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}
