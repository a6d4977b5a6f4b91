package member_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/internal/check"
)

// wire is a server without a network, so that its time can be counted.
type wire struct {
	dialect dialect
	script  script
	thinks  time.Duration // before its first word, after the head of the response
	pause   time.Duration // before each piece of the reply
}

func (s wire) RoundTrip(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	given := make(chan struct{})
	go func() {
		<-time.After(s.thinks)
		s.dialect.stream(slowly{w, s.pause}, s.script)
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

type slowly struct {
	to    io.Writer
	pause time.Duration
}

func (s slowly) Write(p []byte) (int, error) {
	<-time.After(s.pause)
	return s.to.Write(p)
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
					m := check.Get(d.open(d.at("http://127.0.0.1:8000"),
						endpoint.Options{Getenv: environment, Client: &http.Client{Transport: test.wire}}))(t)
					start := time.Now()
					c, err := ask(member.Timeout(m, member.Limits{Begin: time.Hour, Whole: time.Hour}, time.Now), question())
					if took := time.Since(start); took > test.took || took < test.took/3 {
						t.Errorf("it took %s", took)
					}
					if test.text == "" {
						if fault := faultOf(err); fault != council.FaultTimeout ||
							!strings.Contains(err.Error(), "fell silent in the midst of its reply (1m0s)") {
							t.Errorf("%v", err)
						}
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
