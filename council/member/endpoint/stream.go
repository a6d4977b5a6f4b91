package endpoint

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
)

// documentFunc receives each JSON document of a body with its event's name, or "". It returns false to end reading.
type documentFunc func(event string, doc gjson.Result) (more bool, err error)

// The names of events that [readDocuments] gives.
const (
	errorEvent = "error"    // also to a field "error"; its words are a string if they are not JSON
	endMark    = "[DONE]"   // has no document
	document   = "document" // of a body without events
)

// readDocuments reads the JSON documents of a body: one, a list, several, or server-sent events, by the first byte,
// because labels are often wrong. No event, and no other body, may have more bytes than most. begun is called when a
// body without events begins, whose documents come late. The error is [io.EOF] for an empty body, [errPage],
// [errGarbled], [errTooLong], [io.ErrUnexpectedEOF], that of the body, or that of hear.
func readDocuments(body io.Reader, most int, begun func(), hear documentFunc) error {
	r := bufio.NewReader(body)
	switch first, err := firstByte(r); {
	case err != nil:
		return err
	case first == '<':
		return errPage
	case first == '{' || first == '[':
		begun()
		return readJSON(r, most, hear)
	}
	return readEvents(r, most, hear)
}

// firstByte peeks at the first byte that is neither white space nor a byte order mark.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		first, err := r.Peek(1)
		if err != nil {
			return 0, err
		}
		skip := 0
		if first[0] == '\xef' {
			if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
				skip = 3
			}
		} else if strings.ContainsRune(" \t\r\n", rune(first[0])) {
			skip = 1
		}
		if skip == 0 {
			return first[0], nil
		}
		r.Discard(skip)
	}
}

func readJSON(r io.Reader, most int, hear documentFunc) error {
	limited := &io.LimitedReader{R: r, N: int64(most) + 1}
	for in := json.NewDecoder(limited); ; {
		var doc json.RawMessage
		err := in.Decode(&doc)
		var syntax *json.SyntaxError
		switch {
		case limited.N <= 0:
			return errTooLong
		case err == io.EOF:
			return nil
		case errors.As(err, &syntax):
			return errGarbled
		case err != nil:
			return err
		}
		list := []gjson.Result{gjson.ParseBytes(doc)}
		if list[0].IsArray() {
			list = list[0].Array()
		}
		for _, one := range list {
			if more, err := hear(document, one); err != nil || !more {
				return err
			}
		}
	}
}

// events reads server-sent events, a line at a time.
type events struct {
	hear    documentFunc
	name    string
	data    []byte
	any     bool // there was an event
	strange bool // there was a line that is none of theirs
}

func readEvents(r io.Reader, most int, hear documentFunc) error {
	e := &events{hear: hear}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, most)
	for lines.Scan() {
		more, err := e.line(lines.Bytes())
		switch {
		case err == errGarbled && lines.Err() != nil: // the line was cut off
			return lines.Err()
		case err != nil || !more:
			return err
		case len(e.data) > most:
			return errTooLong
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return errTooLong
	case err != nil:
		return err
	case len(e.data) > 0 && !e.isComplete():
		return io.ErrUnexpectedEOF
	case e.strange && !e.any && len(e.data) == 0:
		return errGarbled
	}
	_, err := e.end()
	return err
}

func (e *events) line(line []byte) (more bool, err error) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	bare := bytes.HasPrefix(line, []byte("{")) // of a server that forgets the form when it fails
	if e.isComplete() && (bare || string(field) == "data" || string(field) == "event" || string(field) == errorEvent) {
		if more, err := e.end(); err != nil || !more { // the empty line between two events is missing
			return more, err
		}
	}
	switch string(field) {
	case "data":
		e.data = append(append(e.data, value...), '\n')
	case "event":
		e.name = string(value)
	case errorEvent: // llama.cpp
		e.name, e.data = errorEvent, append(e.data[:0], value...)
		return e.end()
	case "id", "retry":
	case "":
		if len(line) == 0 {
			return e.end()
		} // else it is a comment, by which gateways keep the connection
	default:
		if bare {
			e.name, e.data = "", append(e.data[:0], line...)
			return e.end()
		}
		e.strange = true
	}
	return true, nil
}

func (e *events) isComplete() bool {
	return len(e.data) > 0 && (gjson.ValidBytes(e.data) || string(bytes.TrimSpace(e.data)) == endMark)
}

func (e *events) end() (more bool, err error) {
	name, data := e.name, bytes.TrimSpace(e.data)
	e.name, e.data = "", e.data[:0]
	switch {
	case len(data) == 0: // which gateways send to keep the connection
		return true, nil
	case string(data) == endMark: // part of one protocol; gateways send it in the others too
		e.any = true
		return e.hear(endMark, gjson.Result{})
	case gjson.ValidBytes(data):
		e.any = true
		return e.hear(name, gjson.ParseBytes(data))
	case name == errorEvent:
		return e.hear(name, gjson.Result{Type: gjson.String, Str: string(data)})
	}
	return false, errGarbled
}

// idleTimeout is how long a server may be silent within a reply.
const idleTimeout = time.Minute

// stream is a response body that is given up when the server falls silent after its first words.
type stream struct {
	io.ReadCloser
	timer  *time.Timer // nil before the first word
	silent atomic.Bool
}

func (s *stream) startIdleTimer() {
	if s.timer == nil {
		s.timer = time.AfterFunc(idleTimeout, func() {
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
		s.timer.Reset(idleTimeout)
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
