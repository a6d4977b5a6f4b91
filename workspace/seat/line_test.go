package seat

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

// counting is a server without a network, that takes a while for each call and counts those that it holds at once.
type counting struct {
	begins time.Duration

	mu         sync.Mutex
	held, most int
}

func (s *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.held++
	s.most = max(s.most, s.held)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.held--; s.mu.Unlock() }()
	select {
	case <-time.After(s.begins):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	body := io.NopCloser(strings.NewReader(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`))
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: body,
		Request: r}, nil
}

// seatAll seats models on a server, as members of one session.
func seatAll(t *testing.T, s *counting, models ...council.Model) (errs []error) {
	t.Helper()
	none := func(string) string { return "" }
	r := RosterWith(&site.World{Getenv: none, Now: time.Now}, &credential.Wallet{Getenv: none})
	r.options.Client = &http.Client{Transport: s}
	errs = make([]error, len(models))
	var all sync.WaitGroup
	for i, m := range models {
		m.Provider, m.Model = cmp.Or(m.Provider, "openai-compatible"), cmp.Or(m.Model, "m")
		model := check.Get(r.model(&council.Member{Model: m}))(t)
		all.Go(func() {
			_, errs[i] = model.Complete(t.Context(),
				&prompt.Prompt{Messages: []prompt.Message{{Role: prompt.User, Content: "?"}}})
		})
	}
	all.Wait()
	return errs
}

func TestLine_MembersOnOneServerOfThisMachineAreAskedOneAfterTheOther(t *testing.T) {
	const here, there = "http://127.0.0.1:8000/v1", "http://gpu.internal:8000/v1"
	for _, test := range []struct {
		name   string
		models []council.Model
		most   int
	}{
		{"members alike", []council.Model{{BaseURL: here}, {BaseURL: here}, {BaseURL: here}}, 1},
		{"other models, providers and spellings",
			[]council.Model{{BaseURL: here}, {BaseURL: "http://LOCALHOST:8000", Model: "n"}, {Provider: "vllm"}}, 1},
		{"one says how many", []council.Model{{BaseURL: here}, {BaseURL: here, Parallel: 2}, {BaseURL: here}}, 2},
		{"two say how many", []council.Model{{BaseURL: here, Parallel: 3}, {BaseURL: here}, {BaseURL: here, Parallel: 2}}, 2},
		{"two servers", []council.Model{{BaseURL: here}, {BaseURL: here}, {BaseURL: "http://127.0.0.1:8001/v1"}}, 2},
		{"elsewhere", []council.Model{{BaseURL: there}, {BaseURL: there}, {BaseURL: there}}, 3},
		{"elsewhere, and it is said", []council.Model{{BaseURL: there}, {BaseURL: there, Parallel: 1}, {BaseURL: there}}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &counting{begins: 4 * time.Minute}
				for _, err := range seatAll(t, s, test.models...) {
					check.ErrorIs(t, "a call", nil, err)
				}
				check.Is(t, "calls at once", test.most, s.most)
			})
		})
	}
}

// asked is a model that takes a while, and counts as a call of a server.
type asked struct{ server *counting }

func (m asked) Complete(ctx context.Context, _ *prompt.Prompt) (prompt.Completion, error) {
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1", nil)
	_, err := m.server.RoundTrip(r)
	return prompt.Completion{}, err
}

func TestLine_AnAgentHasItsTurnAtTheServerThatItIsSentTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &counting{begins: time.Minute}
		all := &Roster{world: &site.World{Now: time.Now}, lines: &sync.Map{}}
		var wait sync.WaitGroup
		for _, m := range []council.Model{{Provider: "ollama"}, {Provider: "command", BaseURL: "http://localhost:11434"},
			{Provider: "command"}} {
			model := all.queue(asked{s}, m)
			wait.Go(func() { _, _ = model.Complete(t.Context(), &prompt.Prompt{}) })
		}
		wait.Wait()
		if s.most != 2 { // one at the server, and the agent that is sent to none that we know
			t.Errorf("%d at once", s.most)
		}
	})
}

func TestLine_TimeLimitsAreThoseOfTheConfiguration(t *testing.T) {
	if l := limitsOf(council.Model{Provider: "command", Timeout: "20m"}); l != (member.Limits{Whole: 20 * time.Minute}) {
		t.Errorf("a program has %+v", l)
	}
	const at = "http://gpu.internal:8000/v1"
	for _, test := range []struct {
		model council.Model
		takes time.Duration
		words string
	}{
		{council.Model{BaseURL: at}, 6 * time.Minute, "the reply did not begin within 5m0s"},
		{council.Model{BaseURL: at, FirstByteTimeout: "2h"}, 90 * time.Minute, ""},
		{council.Model{BaseURL: at, FirstByteTimeout: "90s"}, 2 * time.Minute, "the reply did not begin within 1m30s"},
		{council.Model{BaseURL: at, Timeout: "1s"}, 2 * time.Minute, ""}, // which counts from the first byte
	} {
		synctest.Test(t, func(t *testing.T) {
			err := seatAll(t, &counting{begins: test.takes}, test.model)[0]
			if (err == nil) != (test.words == "") || err != nil && !strings.Contains(err.Error(), test.words) {
				t.Errorf("%+v: %v", test.model, err)
			}
		})
	}
}
