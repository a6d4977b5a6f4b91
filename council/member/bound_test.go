package member_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// tally counts the bytes that a server could write before the other end hung up.
type tally struct {
	to      io.Writer
	written *atomic.Int64
}

func (t tally) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	t.written.Add(int64(n))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// TestBound_AReplyThatIsTooLongIsNotReadToItsEnd: three members who wrote 10 MB each took 1.4 GB. Pipes of the system
// hold some unread megabytes.
func TestBound_AReplyThatIsTooLongIsNotReadToItsEnd(t *testing.T) {
	const sent, read = 32 << 20, 16 << 20
	pieces := strings.Repeat(strings.Repeat("x", 8<<10-1)+" ", sent>>13)
	for _, d := range []dialect{chat, responses, messages} {
		for name, answer := range map[string]func(io.Writer, http.Header){
			"in pieces": func(w io.Writer, _ http.Header) { d.stream(w, script{text: pieces}) },
			"at once":   func(w io.Writer, _ http.Header) { d.stream(w, script{text: strings.ReplaceAll(pieces, " ", "x")}) },
			"not stream": func(w io.Writer, h http.Header) {
				h.Set("Content-Type", "application/json")
				json.NewEncoder(w).Encode(d.whole(script{text: pieces}))
			},
		} {
			t.Run(d.name+"/"+name, func(t *testing.T) {
				var written atomic.Int64
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					answer(tally{w, &written}, w.Header())
				}))
				defer s.Close()
				m := (&server{Server: s, dialect: d}).model(t)
				c, err := ask(member.LimitReply(m, member.ReplyLimit(council.Model{})), question())
				if err != nil || c.Stop != prompt.StopTooLong || len(c.Text) > 4<<10 || c.Usage.Calls != 1 {
					t.Errorf("%d bytes, stop %q, usage %+v, %v", len(c.Text), c.Stop, c.Usage, err)
				}
				s.CloseClientConnections()
				if written.Load() > read {
					t.Errorf("%d bytes were read", written.Load())
				}
			})
		}
	}
}

// varied returns text of so many bytes that does not repeat itself.
func varied(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.String()[:size]
}

func TestBound_AReplyMayBeAsLongAsItsLimit(t *testing.T) {
	const limit = 8 << 10
	for _, test := range []struct {
		size int
		want prompt.Stop
	}{{limit, prompt.StopEnd}, {limit + 1, prompt.StopTooLong}} {
		for _, whole := range []bool{false, true} {
			s := serve(t, chat, script{text: varied(test.size), whole: whole})
			seat := council.Model{MaxReplyBytes: limit}
			m := member.LimitReply(s.model(t, func(m *council.Model) { m.MaxReplyBytes = limit }), member.ReplyLimit(seat))
			if c, err := ask(m, question()); err != nil || c.Stop != test.want {
				t.Errorf("%d bytes, whole %t: stop %q, %v", test.size, whole, c.Stop, err)
			}
		}
	}
}

// lines is a body that comes in these pieces.
type lines []string

func (l *lines) Read(p []byte) (int, error) {
	if len(*l) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*l)[0])
	if (*l)[0] = (*l)[0][n:]; (*l)[0] == "" {
		*l = (*l)[1:]
	}
	return n, nil
}

func (l *lines) Close() error { return nil }

// RoundTrip makes it the answer to any call.
func (l *lines) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: l},
		nil
}

// TestBound_ALongStreamOfShortEventsIsRead: all that is beside the text is long, and the empty lines that end events
// come by themselves.
func TestBound_ALongStreamOfShortEventsIsRead(t *testing.T) {
	event := `data: {"choices":[{"index":0,"delta":{"content":"a ","reasoning":"` + strings.Repeat("x", 8<<10) + `"}}]}`
	for _, end := range []string{"\n", "\r\n"} {
		var body lines
		for range 300 {
			body = append(body, event+end, end)
		}
		body = append(body, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+end, end, "data: [DONE]"+end,
			end)
		seat := council.Model{Provider: "openai-compatible", Model: "m", BaseURL: "http://there", MaxReplyBytes: 4 << 10}
		m := check.Get(chat.open(seat, endpoint.Options{Getenv: environment, Client: &http.Client{Transport: &body}}))(t)
		c, err := ask(m, question())
		if err != nil || c.Stop != prompt.StopEnd || c.Text != strings.Repeat("a ", 300) {
			t.Errorf("lines end in %q: %d bytes, stop %q, %v", end, len(c.Text), c.Stop, err)
		}
	}
}

// A model that is stuck in a loop writes until its context is full, which takes a small one minutes.
func TestRunawayReply_IsNotReadToItsEnd(t *testing.T) {
	for _, d := range []dialect{chat, responses, messages} {
		var written atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			d.stream(tally{w, &written}, script{text: strings.Repeat("The Council Should Decide. ", 1<<20)})
		}))
		m := (&server{Server: s, dialect: d}).model(t)
		c, err := ask(member.LimitReply(m, member.ReplyLimit(council.Model{})), structured())
		if err != nil || c.Stop != prompt.StopRunaway || c.Usage.Calls != 1 {
			t.Errorf("%s: want stop %q after one call, got %q after %d, %v", d.name, prompt.StopRunaway, c.Stop,
				c.Usage.Calls, err)
		}
		s.CloseClientConnections()
		s.Close()
		if most := int64(16 << 20); written.Load() > most {
			t.Errorf("%s: %d bytes were sent, want at most %d", d.name, written.Load(), most)
		}
	}
}
