package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/counciltest"
)

// llama.cpp's server with four slots is sent four calls at once: each is held back until all slots were taken once.
func TestConvene_SendsALocalServerAsManyCallsAsItHasSlots(t *testing.T) {
	const slots = 4
	replies := counciltest.NewServer(t, counciltest.Deliberation{Rounds: 1, Last: "m5", Leader: "m1"}.Reply)
	var now atomic.Int64
	var once sync.Once
	full := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "models":
			io.WriteString(w, `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":32768,"n_ctx_train":32768}}]}`)
			return
		case "props":
			io.WriteString(w, `{"total_slots":4,"default_generation_settings":{"n_ctx":32768}}`)
			return
		}
		n := now.Add(1)
		defer now.Add(-1)
		if n == slots {
			once.Do(func() { close(full) })
		}
		select {
		case <-full:
		case <-time.After(20 * time.Second):
			n = 0
		}
		if n < 1 || n > slots {
			t.Errorf("%d calls are under way, want %d", now.Load(), slots)
		}
		replies.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
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
	d.says(&d.errs, s.URL+" is sent 4 calls at once.")
}
