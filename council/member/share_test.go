package member_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// hoard is a provider with a cache: a prefix is kept from the first byte of the first reply on. It counts the copies.
type hoard struct {
	dialect dialect
	shared  string

	mu     sync.Mutex
	kept   bool
	copies int
	calls  int
}

func (h *hoard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if first := h.dialect.pieces(body)[1].text; !strings.HasPrefix(first, h.shared) {
		panic("something comes before what all share: " + first[:20])
	}
	h.mu.Lock()
	h.calls++
	if !h.kept {
		h.copies++
	}
	h.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	h.dialect.stream(keeping{w, h}, script{text: "I have read it."})
}

type keeping struct {
	io.Writer
	h *hoard
}

func (k keeping) Write(p []byte) (int, error) {
	k.h.mu.Lock()
	k.h.kept = true
	k.h.mu.Unlock()
	return k.Writer.Write(p)
}

func TestAContextThatFiveMembersShareIsWrittenToTheCacheOnce(t *testing.T) {
	shared := "The context. " + strings.Repeat("0123456789", 50_000)
	for _, d := range []dialect{chat, responses, messages} {
		t.Run(d.name, func(t *testing.T) {
			h := &hoard{dialect: d, shared: shared}
			server := httptest.NewServer(h)
			defer server.Close()
			prefixes := member.Prefixes{Now: time.Now}
			for range 3 { // rounds
				var all sync.WaitGroup
				for seat := range 5 {
					m := check.Get(d.open(d.at(server.URL), endpoint.Options{Getenv: environment}))(t)
					m = prefixes.Share(m, "here")
					all.Go(func() {
						p := &prompt.Prompt{Try: 1, System: prompt.System{Shared: shared, Persona: fmt.Sprintf("You are %d.", seat)},
							Messages: []prompt.Message{{Role: prompt.User, Content: "What do you say?"}}}
						if c, err := ask(m, p); err != nil || c.Usage.Calls != 1 {
							t.Errorf("%+v, %v", c.Usage, err)
						}
					})
				}
				all.Wait()
			}
			if h.copies != 1 || h.calls != 15 {
				t.Errorf("written to the cache %d times in %d calls", h.copies, h.calls)
			}
		})
	}
}
