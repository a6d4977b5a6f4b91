package endpoint

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// MaxReply bounds a reply, in bytes. Whatever is longer counts as cut by its length.
const MaxReply = 2 << 20

// lingering is how long a server may keep a stream open after its last word.
const lingering = 2 * time.Second

// Whole returns the body of a reply that is one JSON document although a stream was asked for: some servers cannot
// stream. A page for people is [ErrGarbled].
func Whole(res *http.Response) (body []byte, whole bool, err error) {
	form := res.Header.Get("Content-Type")
	if strings.Contains(form, "text/html") {
		return nil, false, ErrGarbled
	}
	if !strings.Contains(form, "application/json") {
		return nil, false, nil
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, MaxReply))
	return body, true, err
}

// Drain reads the rest of a stream whose last word has been read, so that the connection serves the next call. It
// gives up on a server that goes on or never ends.
func Drain(body io.ReadCloser) {
	defer time.AfterFunc(lingering, func() { body.Close() }).Stop()
	io.CopyN(io.Discard, body, 4<<10)
}
