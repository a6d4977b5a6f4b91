package endpoint

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// ErrTooLong: a reply has more text than its limit. It was not read further. [Endpoint.Complete] makes a completion of it.
var ErrTooLong = errors.New("the reply is longer than its limit")

// lingering is how long a server may keep a stream open after its last word.
const lingering = 2 * time.Second

// Whole returns the body of a reply that is one JSON document although a stream was asked for: some servers cannot
// stream. A page for people is [ErrGarbled].
func (s *Stream) Whole(res *http.Response) (body []byte, whole bool, err error) {
	form := res.Header.Get("Content-Type")
	if strings.Contains(form, "text/html") {
		return nil, false, ErrGarbled
	}
	if !strings.Contains(form, "application/json") {
		return nil, false, nil
	}
	s.Begun()
	body, err = io.ReadAll(io.LimitReader(res.Body, int64(s.event)+1))
	if len(body) > s.event {
		err = ErrTooLong
	}
	return body, true, err
}

// Drain reads the rest of a stream whose last word has been read, so that the connection serves the next call. It
// gives up on a server that goes on or never ends.
func Drain(body io.ReadCloser) {
	defer time.AfterFunc(lingering, func() { body.Close() }).Stop()
	io.CopyN(io.Discard, body, 4<<10)
}
