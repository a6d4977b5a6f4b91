package recorder_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/natstest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/recorder/wire"
)

// backend is a way to keep sessions.
type backend struct {
	another bool                                           // other machines can go on, each in a folder of its own
	open    func(t *testing.T, path string) *recorder.Root // as a process does
	tear    func(path string) error                        // cuts the last bytes off a file in the folder of the machine
}

// TestBackend_KeepsTheContracts runs one suite against plain files and clusters.
func TestBackend_KeepsTheContracts(t *testing.T) {
	shorter := func(name string) error {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		return os.Truncate(name, info.Size()-3)
	}
	backends := map[string]func(*testing.T) backend{
		"files": func(*testing.T) backend {
			return backend{open: func(t *testing.T, path string) *recorder.Root { return mustOpen(t, path) }, tear: shorter}
		},
		"one server":    func(t *testing.T) backend { return backend{another: true, tear: shorter, open: onCluster(t, 1)} },
		"three servers": func(t *testing.T) backend { return backend{another: true, tear: shorter, open: onCluster(t, 3)} },
	}
	for name, backendOf := range backends {
		t.Run(name, func(t *testing.T) {
			for contract, keeps := range map[string]func(backend, *testing.T){
				"a session goes on where it stopped":    backend.goesOn,
				"of two writers one gets on":            backend.oneGetsOn,
				"a torn end is mended":                  backend.mends,
				"what is written can be read meanwhile": backend.isRead,
			} {
				t.Run(contract, func(t *testing.T) { keeps(backendOf(t), t) })
			}
		})
	}
}

func mustOpen(t *testing.T, path string, opts ...recorder.Layer) *recorder.Root {
	t.Helper()
	root := check.Get(recorder.OpenRoot(path, opts...))(t)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// onCluster keeps sessions on a cluster.
func onCluster(t *testing.T, nodes int) func(*testing.T, string) *recorder.Root {
	servers := natstest.Start(t, nodes, nil)
	return func(t *testing.T, path string) *recorder.Root {
		c := check.Get(jetstream.Open(t.Context(), jetstream.Settings{URL: servers.URL, Create: true}))(t)
		t.Cleanup(c.Close)
		root := mustOpen(t, path, c.Layer(path))
		check.Get(c.Pull(t.Context(), root.Files(), sessionID))(t)
		return root
	}
}

// elsewhere returns the folder of another machine, or the same one where there can be no other.
func (b backend) elsewhere(t *testing.T, path string) string {
	if b.another {
		return t.TempDir() + "/.council"
	}
	return path
}

func convened(t *testing.T, root *recorder.Root) *hall {
	t.Helper()
	h := check.Get(convene(root, fixed))(t)
	t.Cleanup(func() { _ = h.record.Close() })
	return h
}

func (b backend) goesOn(t *testing.T) {
	path := t.TempDir() + "/.council"
	h := convened(t, b.open(t, path))
	check.OK(t, h.answer(h.rules.Ready().Asks[0]))
	paid, doubtful := h.rules.View(h.rules.Ready().Asks[0]), h.rules.View(h.rules.Ready().Asks[1])
	check.Get(h.ask(paid))(t) // its reply is on no log yet
	tape, err := h.record.Conversation(doubtful.Ask.Member)
	if err == nil {
		err = tape.Asked(newHall(nil).next(doubtful)) // and this one is killed before its reply comes
	}
	before := h.record.Entries()
	check.OK(t, errors.Join(err, h.record.Close()))

	other := b.open(t, b.elsewhere(t, path))
	o := check.Get(reconvene(other, fixed))(t)
	check.Equal(t, "the log as it was scanned again", before, o.record.Entries())
	if asks, err := o.record.Ambiguous(); err != nil || len(asks) != 1 || asks[0] != doubtful.Ask.ID {
		t.Errorf("the doubtful questions are %v, not %s: %v", asks, doubtful.Ask.ID, err)
	}
	if _, err := o.ask(paid); err != nil || o.bought != 0 {
		t.Errorf("a reply that was acknowledged was bought again: %d calls, %v", o.bought, err)
	}
	check.OK(t, o.sit())
	_, bought, whole := wholeSession(t)
	check.Is(t, "calls were bought, and in a session without a crash", bought, h.bought+o.bought)
	path = t.TempDir() + "/.council"
	if !b.another {
		return
	}
	third := b.open(t, path) // as council cluster pull does
	r := check.Get(third.Resume(sessionID, fixed))(t)
	check.OK(t, errors.Join(r.Finalize(), r.Close()))
	got := folder(t, filepath.Join(path, "sessions"))
	for name, text := range folder(t, filepath.Join(other.Path(), "sessions")) {
		check.Is(t, name, text, got[name])
	}
	const log = "sessions/" + string(sessionID) + "/" + wire.File
	check.Is(t, "the log is that of a session on one machine", whole[log], got[string(sessionID)+"/"+wire.File])
}

func (b backend) oneGetsOn(t *testing.T) {
	path := t.TempDir() + "/.council"
	root := b.open(t, path)
	h := convened(t, root)
	check.ErrorIs(t, "two writers on one machine", recorder.ErrLocked, check.Err(root.Create(sessionID, fixed)))
	other := b.open(t, b.elsewhere(t, path))
	o, err := reconvene(other, fixed)
	if !b.another {
		check.ErrorIs(t, "two writers of one folder", recorder.ErrLocked, err)
		return
	}
	check.OK(t, err)
	first := h.rules.Ready().Asks[0]
	check.OK(t, o.answer(first))
	if err := h.answer(first); !errors.Is(err, atomicfile.ErrStale) || h.bought != 0 {
		t.Errorf("the one that came late bought %d calls: %v", h.bought, err)
	}
	if err := h.answer(h.rules.Ready().Asks[1]); err == nil { // its tape is free, the log is not
		t.Error("the one that came late recorded an event")
	}
	check.OK(t, o.record.Close())
}

func (b backend) mends(t *testing.T) {
	path := t.TempDir() + "/.council"
	h := convened(t, b.open(t, path))
	check.OK(t, errors.Join(h.answer(h.rules.Ready().Asks[0]), h.record.Close()))
	for _, file := range []string{wire.File, "conversations/ada.jsonl"} {
		check.OK(t, b.tear(filepath.Join(path, "sessions", string(sessionID), file)))
	}
	o := check.Get(reconvene(b.open(t, path), fixed))(t)
	got := len(o.record.Entries())
	check.That(t, got >= 1, "%d events are left", got)
	check.OK(t, o.sit())
	entries, err := b.open(t, path).Closed(sessionID)
	check.That(t, err == nil && entries != nil, "it did not close: %v", err)
}

func (b backend) isRead(t *testing.T) {
	root := b.open(t, t.TempDir()+"/.council")
	h := convened(t, root)
	stop := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		for last := 0; ; {
			entries, err := root.Read(sessionID)
			check.That(t, err == nil && len(entries) >= last, "a reader saw %d events after %d: %v", len(entries), last, err)
			last = len(entries)
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	err := h.sit()
	close(stop)
	reading.Wait()
	check.OK(t, err)
}
