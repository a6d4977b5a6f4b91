package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// street is a model server that may be shut; the calls that it refuses never reach the server and its counter.
type street struct {
	url      string
	server   *counciltest.Server
	admitted atomic.Int64
	shut     atomic.Pointer[refusal] // how every call is refused, or nil
	stop     atomic.Int64            // the calls after which it shuts; 0 never does
	with     refusal                 // how it shuts then
	steady   bool                    // it answers each session alike, however many there are
	during   func(by int64)          // told of each call that begins, 1, and ends, -1; nil: nobody is told

	mu   sync.Mutex
	paid map[string]int // how often each call was served, by its whole body
}

type refusal struct {
	status int
	body   string
}

func newStreet(t *testing.T) *street {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	s := &street{paid: map[string]int{}}
	s.server = counciltest.NewServer(t, func(r counciltest.Request) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paid[string(r.Body)]++
		if s.steady {
			r.Nth = 1
		}
		return talk.Reply(r)
	})
	s.url = counciltest.NewFront(t, nil, func(w http.ResponseWriter, c counciltest.Call) bool {
		if stop := s.stop.Load(); stop > 0 && s.admitted.Add(1) > stop {
			s.shut.Store(&s.with)
		}
		if shut := s.shut.Load(); shut != nil {
			counciltest.Refuse(w, shut.status, shut.body)
			return true
		}
		if s.during != nil {
			s.during(1)
			defer s.during(-1)
		}
		s.server.ServeHTTP(w, c.Request)
		return true
	})
	return s
}

// workplace is a folder in which the command is run.
type workplace struct {
	*testing.T
	config, root string
	env          map[string]string // beside what every command is given; may be nil
	// of the ids of its sessions; nil: they are another each time, and so are the lots drawn from them
	chance    io.Reader
	wary      bool // what a configuration names is not trusted
	hurried   bool // the waits between the tries of a call are over at once
	terminal  bool
	typed     *string   // by somebody at the terminal; nil: nobody sits there
	asker     cli.Asker // may be nil
	signals   <-chan os.Signal
	out, errs bytes.Buffer
}

// shortCharter seats three members on a server for one phase of one round and a document, which no one rejects.
func shortCharter(url string) council.Charter {
	c := counciltest.Charter(3, 1, url)
	c.Phases, c.SessionPolicy.EntryPhaseID = c.Phases[1:], "decide"
	return c
}

func newWorkplace(t *testing.T, url string) *workplace {
	d := &workplace{T: t, config: filepath.Join(t.TempDir(), site.ConfigFile),
		root: filepath.Join(t.TempDir(), ".council")}
	d.write(shortCharter(url))
	return d
}

// writeCouncil writes the configuration of a council.
func writeCouncil(t check.T, path string, c council.Charter) {
	t.Helper()
	put(t, path, string(check.Get(json.Marshal(c))(t)))
}

// newSteadyWorkplace is one whose sessions have the same ids as those of every other.
func newSteadyWorkplace(t *testing.T, url string) *workplace {
	d := newWorkplace(t, url)
	d.chance = rand.NewChaCha8([32]byte{1})
	return d
}

func (d *workplace) run(want int, args ...string) {
	d.Helper()
	d.out.Reset()
	d.errs.Reset()
	a := testOnlyApp(&d.out, &d.errs)
	a.Trusting, a.Signals, a.Terminal, a.Asker = !d.wary, catching(d.signals), d.terminal, d.asker
	if d.typed != nil {
		a.Terminal, a.Keyboard, a.In = true, true, strings.NewReader(*d.typed)
	}
	if d.hurried {
		a.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	given := a.Getenv
	a.Getenv = func(name string) string { return cmp.Or(d.env[name], given(name)) }
	if d.chance != nil {
		a.Now, a.Random = steadyNow, d.chance
	}
	runs(d, a, want, append(args, "--root", d.root)...)
}

// types runs a command with somebody at the terminal, who types.
func (d *workplace) types(typed string, want int, args ...string) {
	d.Helper()
	d.typed = &typed
	d.run(want, args...)
	d.typed = nil
}

// put writes a file, and makes its folder.
func put(t check.T, path, text string) {
	t.Helper()
	check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

// put writes a file below the record's folder.
func (d *workplace) put(name, text string) { d.Helper(); put(d, filepath.Join(d.root, name), text) }

func (d *workplace) says(where *bytes.Buffer, words string) {
	d.Helper()
	check.Says(d, where.String(), words)
}

// readAll is every byte below a folder.
func readAll(t *testing.T, root string) string {
	return strings.Join(slices.Collect(maps.Values(check.Files(t, root))), "\n")
}

// write replaces the workplace's configuration.
func (d *workplace) write(c council.Charter) {
	d.Helper()
	writeCouncil(d, d.config, c)
}

func readFile(t check.T, path string) string {
	t.Helper()
	return string(check.Get(os.ReadFile(path))(t))
}
