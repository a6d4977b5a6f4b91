package member_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// TestBound_AReplyIsNotReadBeyondItsLimit: three members who wrote 10 MB each took 1.4 GB. And a model that is stuck in a
// loop writes until its context is full, which takes a small one minutes.
func TestBound_AReplyIsNotReadBeyondItsLimit(t *testing.T) {
	const sent, most = 4 << 20, 5 << 19
	long := strings.Repeat(strings.Repeat("x", 8<<10-1)+" ", sent>>13)
	for name, test := range map[string]struct {
		script script
		prompt *prompt.Prompt
		want   prompt.Stop
	}{
		"in pieces":    {script{text: long}, question(), prompt.StopTooLong},
		"at once":      {script{text: strings.ReplaceAll(long, " ", "x")}, question(), prompt.StopTooLong},
		"not a stream": {script{text: long, whole: true}, question(), prompt.StopTooLong},
		"a loop":       {script{text: strings.Repeat("The Council Should Decide. ", sent/27)}, structured(), prompt.StopRunaway},
	} {
		for _, d := range []dialect{chat, responses, messages} {
			t.Run(d.name+"/"+name, func(t *testing.T) {
				var read atomic.Int64
				m := wire{dialect: d, script: test.script, read: &read}.model(t)
				c, err := ask(member.LimitReply(m, member.ReplyLimit(council.Model{})), test.prompt)
				if err != nil || c.Stop != test.want || len(c.Text) > 64<<10 || c.Usage.Calls != 1 || read.Load() > most {
					t.Errorf("%d bytes of %d, stop %q, usage %+v, %v", len(c.Text), read.Load(), c.Stop, c.Usage, err)
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

// roundTrip is a server without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestBound_ALongStreamOfShortEventsIsRead: all that is beside the text is long, and the empty lines that end events
// come by themselves.
func TestBound_ALongStreamOfShortEventsIsRead(t *testing.T) {
	event := `data: {"choices":[{"index":0,"delta":{"content":"a ","reasoning":"` + strings.Repeat("x", 8<<10) + `"}}]}`
	for _, end := range []string{"\n", "\r\n"} {
		var lines []io.Reader // each is read by itself
		last := []string{`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "data: [DONE]"}
		for _, line := range append(slices.Repeat([]string{event}, 300), last...) {
			lines = append(lines, strings.NewReader(line+end), strings.NewReader(end))
		}
		body := io.NopCloser(io.MultiReader(lines...))
		server := roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
		})
		seat := council.Model{Provider: "openai-compatible", Model: "m", BaseURL: "http://there", MaxReplyBytes: 4 << 10}
		m := check.Get(chat.open(seat, endpoint.Options{Getenv: environment, Client: &http.Client{Transport: server}}))(t)
		c, err := ask(m, question())
		if err != nil || c.Stop != prompt.StopEnd || c.Text != strings.Repeat("a ", 300) {
			t.Errorf("lines end in %q: %d bytes, stop %q, %v", end, len(c.Text), c.Stop, err)
		}
	}
}
