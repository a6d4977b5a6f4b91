package member_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// Three members who wrote 10 MB each took 1.4 GB, and a model that is stuck in a loop writes until its context is full,
// which takes a small one minutes.
func TestBound_AReplyIsNotReadBeyondItsLimit(t *testing.T) {
	const sent, most = 4 << 20, 5 << 19
	long := strings.Repeat(strings.Repeat("x", 8<<10-1)+" ", sent>>13)
	for name, test := range map[string]struct {
		script script
		prompt *prompt.Prompt
		want   prompt.Stop
	}{
		"in pieces": {script{text: long}, question(), prompt.StopTooLong},
		"at once":   {script{text: strings.ReplaceAll(long, " ", "x")}, question(), prompt.StopTooLong},
		"whole":     {script{text: long, whole: true}, question(), prompt.StopTooLong},
		"a loop":    {script{text: strings.Repeat("The Council Should Decide. ", sent/27)}, structured(), prompt.StopRunaway},
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
			check.Is(t, fmt.Sprintf("the end of %d bytes, whole %t", test.size, whole), test.want,
				check.Get(ask(m, question()))(t).Stop)
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

// wire is a server without a network, so that its time can be counted, and the bytes that are read.
type wire struct {
	dialect dialect
	script  script
	thinks  time.Duration // before its first word, after the head of the response
	pause   time.Duration // before each piece of the reply
	read    *atomic.Int64 // counts bytes, if it is set
}

func (s wire) RoundTrip(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	given := make(chan struct{})
	go func() {
		<-time.After(s.thinks)
		to := pieces{w, s}
		if s.script.whole {
			json.NewEncoder(to).Encode(s.dialect.whole(s.script))
		} else {
			s.dialect.stream(to, s.script)
		}
		if s.script.hang {
			<-given // up, by the caller
		}
		w.Close()
	}()
	head := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: head, Body: hangable{r, given}, Request: req}, nil
}

// hangable is a body that says when it was closed.
type hangable struct {
	*io.PipeReader
	given chan struct{}
}

func (h hangable) Close() error {
	select {
	case <-h.given:
	default:
		close(h.given)
	}
	return h.PipeReader.Close()
}

// pieces writes a reply until nobody reads it any more.
type pieces struct {
	to   io.Writer
	wire wire
}

func (p pieces) Write(text []byte) (int, error) {
	if p.wire.pause > 0 {
		<-time.After(p.wire.pause)
	}
	n, err := p.to.Write(text)
	if p.wire.read != nil {
		p.wire.read.Add(int64(n))
	}
	if err != nil {
		runtime.Goexit()
	}
	return n, nil
}

// model opens a model at the server.
func (s wire) model(t *testing.T) member.Model {
	t.Helper()
	return check.Get(s.dialect.open(s.dialect.at("http://127.0.0.1:8000"),
		endpoint.Options{Getenv: environment, Client: &http.Client{Transport: s}}))(t)
}

func TestIdle_OnlyAServerThatFallsSilentIsGivenUp(t *testing.T) {
	tests := []struct {
		name string
		wire wire
		took time.Duration // at most, and not much less
		text string        // "" means that it is given up
	}{
		{"it falls silent", wire{script: script{text: "I th", hang: true}}, time.Minute, ""},
		{"it thinks before its first word", wire{script: script{text: "Here."}, thinks: 20 * time.Minute},
			20 * time.Minute, "Here."},
		{"it is slow", wire{script: script{text: strings.Repeat("word ", 29) + "end"}, pause: 50 * time.Second},
			35 * time.Minute, strings.Repeat("word ", 29) + "end"},
		{"it gives signs of life", wire{script: script{text: "one two three", keep: true}, pause: 50 * time.Second},
			15 * time.Minute, "one two three"},
	}
	for _, d := range []dialect{chat, responses, messages} {
		for _, test := range tests {
			t.Run(d.name+"/"+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					test.wire.dialect = d
					start := time.Now()
					limits := member.Limits{Begin: time.Hour, Whole: time.Hour}
					c, err := ask(member.Timeout(test.wire.model(t), limits, time.Now), question())
					if took := time.Since(start); took > test.took || took < test.took/3 {
						t.Errorf("it took %s", took)
					}
					if test.text == "" {
						check.Is(t, "the fault", council.FaultTimeout, faultOf(err))
						check.Fails(t, "it", err, "fell silent in the midst of its reply (1m0s)")
						return
					}
					if err != nil || c.Text != test.text {
						t.Errorf("%+v, %v", c, err)
					}
				})
			})
		}
	}
}
