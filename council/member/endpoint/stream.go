package endpoint

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/council-engine/council/council/member"
)

// idle is how long a server may be silent in the midst of a reply.
const idle = time.Minute

// stream is the body of a response that is read while it is written. A server that has begun to speak and then falls
// silent is given up; how long it may think before is bounded by the call's own time limit.
type stream struct {
	io.ReadCloser
	timer  *time.Timer // nil before the first word
	silent atomic.Bool
}

// speaking starts the time limit between words, after the first.
func (s *stream) speaking() {
	if s.timer == nil {
		s.timer = time.AfterFunc(idle, func() {
			s.silent.Store(true)
			s.ReadCloser.Close()
		})
	}
}

// Read implements [io.Reader]. Its error is [errIdle] once the server was given up.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	switch {
	case s.silent.Load():
		return n, errIdle
	case n > 0 && s.timer != nil:
		s.timer.Reset(idle)
	}
	return n, err
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.ReadCloser.Close()
}

// whole returns the body of a reply that is one JSON document although a stream was asked for: some servers cannot
// stream. A page for people is [errGarbled], and a document of more bytes than most is [errTooLong].
func whole(ctx context.Context, res *http.Response, most int) (body []byte, whole bool, err error) {
	form := res.Header.Get("Content-Type")
	if strings.Contains(form, "text/html") {
		return nil, false, errGarbled
	}
	if !strings.Contains(form, "application/json") {
		return nil, false, nil
	}
	member.Begun(ctx)
	body, err = io.ReadAll(io.LimitReader(res.Body, int64(most)+1))
	if len(body) > most {
		err = errTooLong
	}
	return body, true, err
}

// lingering is how long a server may keep a stream open after its last word.
const lingering = 2 * time.Second

// drain reads the rest of a stream whose last word has been read, so that the connection serves the next call. It
// gives up on a server that goes on or never ends.
func drain(body io.ReadCloser) {
	defer time.AfterFunc(lingering, func() { body.Close() }).Stop()
	io.CopyN(io.Discard, body, 4<<10)
}
