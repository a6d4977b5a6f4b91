package endpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/council-engine/council/council/member"
)

// idle is how long a server may be silent in the midst of a reply.
const idle = time.Minute

// errIdle: a server fell silent in the midst of a reply.
var errIdle = errors.New("the server fell silent in the midst of its reply")

// stream is the body of a response that is read while it is written. A server that has begun to speak and then falls
// silent is given up; how long it may think before is bounded by the call's own time limit.
type stream struct {
	body   io.ReadCloser
	ctx    context.Context
	timer  *time.Timer // nil before the first word
	silent atomic.Bool

	limit int  // bytes of text of the reply
	event int  // bytes of one event, or of a reply that is not streamed, with all that comes with the text
	since int  // bytes since the last event ended, which an empty line does
	ended bool // the last line has ended
}

// stream takes the response's body over.
func (m *Model) stream(ctx context.Context, res *http.Response) *stream {
	limit := member.ReplyLimit(m.model)
	// escapes, reasoning, an echo of the request
	s := &stream{body: res.Body, ctx: ctx, limit: limit, event: 4*limit + 1<<20}
	res.Body = s
	return s
}

// begun reports that the server has begun its reply, so has read the prompt. Members that share the prompt wait for
// that.
func (s *stream) begun() { member.Begun(s.ctx) }

// speaking starts the time limit between words, after the first.
func (s *stream) speaking() {
	if s.timer == nil {
		s.timer = time.AfterFunc(idle, func() {
			s.silent.Store(true)
			s.body.Close()
		})
	}
}

// Read implements [io.Reader]. Its error is [errIdle] once the server was given up, and [errTooLong] in an event that
// is too long for any reply.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	switch {
	case s.silent.Load():
		return n, errIdle
	case n > 0 && s.timer != nil:
		s.timer.Reset(idle)
	}
	for _, c := range p[:n] {
		s.since++
		switch {
		case c == '\r':
		case c == '\n' && s.ended:
			s.since = 0
		default:
			s.ended = c == '\n'
		}
	}
	if s.since > s.event {
		return n, errTooLong
	}
	return n, err
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.body.Close()
}

// errTooLong: a reply has more text than its limit. It was not read further. [Model.Complete] makes a completion of it.
var errTooLong = errors.New("the reply is longer than its limit")

// lingering is how long a server may keep a stream open after its last word.
const lingering = 2 * time.Second

// whole returns the body of a reply that is one JSON document although a stream was asked for: some servers cannot
// stream. A page for people is [errGarbled].
func (s *stream) whole(res *http.Response) (body []byte, whole bool, err error) {
	form := res.Header.Get("Content-Type")
	if strings.Contains(form, "text/html") {
		return nil, false, errGarbled
	}
	if !strings.Contains(form, "application/json") {
		return nil, false, nil
	}
	s.begun()
	body, err = io.ReadAll(io.LimitReader(res.Body, int64(s.event)+1))
	if len(body) > s.event {
		err = errTooLong
	}
	return body, true, err
}

// drain reads the rest of a stream whose last word has been read, so that the connection serves the next call. It
// gives up on a server that goes on or never ends.
func drain(body io.ReadCloser) {
	defer time.AfterFunc(lingering, func() { body.Close() }).Stop()
	io.CopyN(io.Discard, body, 4<<10)
}
