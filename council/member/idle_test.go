package member_test

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/internal/check"
)

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
					c, err := ask(member.Timeout(test.wire.model(t), member.Limits{Begin: time.Hour, Whole: time.Hour}, time.Now), question())
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
