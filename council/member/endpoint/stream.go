package endpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/council-engine/council/council/member"
)

// idle is how long a server may be silent in the midst of a reply.
const idle = time.Minute

// ErrIdle: a server fell silent in the midst of a reply.
var ErrIdle = errors.New("the server fell silent in the midst of its reply")

// Stream is the body of a response that is read while it is written. A server that has begun to speak and then falls
// silent is given up; how long it may think before is bounded by the call's own time limit.
type Stream struct {
	body   io.ReadCloser
	ctx    context.Context
	timer  *time.Timer // nil before the first word
	silent atomic.Bool

	limit int  // bytes of text of the reply
	event int  // bytes of one event, or of a reply that is not streamed, with all that is told beside the text
	since int  // bytes since the last event ended, which an empty line does
	ended bool // the last line has ended
}

// Stream takes the response's body over.
func (e *Endpoint) Stream(ctx context.Context, res *http.Response) *Stream {
	limit := member.ReplyLimit(e.Model)
	s := &Stream{body: res.Body, ctx: ctx, limit: limit, event: 4*limit + 1<<20} // escapes, reasoning, an echo of the request
	res.Body = s
	return s
}

// Begun says that the server has read the prompt: it has begun its reply. Members that share the prompt wait for it.
func (s *Stream) Begun() { member.Begun(s.ctx) }

// Speaking says that the reply's first word has come. From here on the server must not fall silent.
func (s *Stream) Speaking() {
	if s.timer == nil {
		s.timer = time.AfterFunc(idle, func() {
			s.silent.Store(true)
			s.body.Close()
		})
	}
}

// Full reports whether a text of n bytes is more than a reply may have. Then the reply is [ErrTooLong].
func (s *Stream) Full(n int) bool { return n > s.limit }

// Read implements [io.Reader]. Its error is [ErrIdle] once the server was given up, and [ErrTooLong] in an event that is
// too long for any reply.
func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	switch {
	case s.silent.Load():
		return n, ErrIdle
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
		return n, ErrTooLong
	}
	return n, err
}

// Close implements [io.Closer].
func (s *Stream) Close() error {
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.body.Close()
}
