package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/counciltest"
)

// llamaServer stands in for llama.cpp's server with so many slots. It holds each call back until all slots are taken,
// and notes how many calls came at once.
type llamaServer struct {
	*httptest.Server
	mu        sync.Mutex
	now, most int
	full      chan struct{} // closed when all slots were taken once
}

func newLlamaServer(t *testing.T, slots int, answers http.Handler) *llamaServer {
	s := &llamaServer{full: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			io.WriteString(w, `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":32768,"n_ctx_train":32768}}]}`)
		case strings.HasSuffix(r.URL.Path, "/props"):
			io.WriteString(w, `{"total_slots":4,"default_generation_settings":{"n_ctx":32768}}`)
		default:
			s.enter(t, slots)
			answers.ServeHTTP(w, r)
			s.leave()
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *llamaServer) enter(t *testing.T, slots int) {
	s.mu.Lock()
	s.now++
	if s.most = max(s.most, s.now); s.most == slots && s.now == slots {
		select {
		case <-s.full:
		default:
			close(s.full)
		}
	}
	s.mu.Unlock()
	select {
	case <-s.full:
	case <-time.After(20 * time.Second):
		t.Errorf("%d calls came at once, want %d", s.most, slots)
	}
}

func (s *llamaServer) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
}

func TestConvene_SendsALocalServerAsManyCallsAsItHasSlots(t *testing.T) {
	replies := counciltest.NewServer(t, counciltest.Deliberation{Rounds: 1, Last: "m5", Leader: "m1"}.Reply)
	s := newLlamaServer(t, 4, replies)
	d := newWorkplace(t, s.URL)
	c := shortCharter(s.URL)
	seat := c.Members[0]
	c.Members, c.TurnOrder = nil, nil
	for _, id := range []council.MemberID{"m1", "m2", "m3", "m4", "m5"} {
		seat.ID, seat.Name = id, "Member "+string(id)
		seat.Model = council.Model{Provider: "llamacpp", Model: "m", BaseURL: s.URL + "/v1"}
		c.Members = append(c.Members, seat)
	}
	d.write(c)
	d.run(cli.ExitNotDecided, "convene", "Shall we?", "--config", d.config, "--output", "none")
	if s.most != 4 {
		t.Errorf("%d calls came at once, want 4", s.most)
	}
	if want := s.URL + " is sent 4 calls at once."; !strings.Contains(d.errs.String(), want) {
		t.Errorf("want %q, got\n%s", want, d.errs.String())
	}
}
