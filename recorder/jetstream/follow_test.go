package jetstream_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/natstest"
	"github.com/council-engine/council/recorder/jetstream"
)

// follows has a workspace follow its cluster until the test, or stop, ends that.
func (m machine) follows(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() {
		files, err := atomicfile.OpenDir(m.path)
		if err == nil {
			err = m.Follow(ctx, files, func([]string) error { return nil })
		}
		if err != nil {
			t.Error(err)
		}
	})
	stop = func() { cancel(); following.Wait() }
	t.Cleanup(stop)
	return stop
}

// has waits until a file of the workspace is as it should be.
func (m machine) has(t *testing.T, file, want string) {
	t.Helper()
	var got []byte
	for deadline := time.Now().Add(20 * time.Second); string(got) != want; <-time.After(5 * time.Millisecond) {
		got, _ = os.ReadFile(filepath.Join(m.path, file))
		if time.Now().After(deadline) {
			t.Fatalf("%s holds %q, want %q", file, got, want)
		}
	}
}

// grow appends to the log, which has some bytes.
func (m machine) grow(has int, by string) error {
	return atomicfile.Within(m.files, "sessions/s", func(files atomicfile.Files) error {
		tail, err := atomicfile.OpenTail(files, "events.json", int64(has))
		if err != nil {
			return err
		}
		return errors.Join(tail.Append([]byte(by), 0), tail.Close())
	})
}

func TestFollow_KeepsTheWorkspaceInStep(t *testing.T) {
	servers := natstest.Start(t, 3, nil)
	s := jetstream.Settings{URL: servers.URL, Create: true, Window: window}
	a, b := join(t, s), join(t, s)
	check.OK(t, a.write("1"))
	stop := b.follows(t)
	b.has(t, log, "1")
	servers.Stop(0) // while it is followed
	check.OK(t, a.grow(1, "2"))
	servers.Restart(0)
	b.has(t, log, "12")
	stop()
	check.OK(t, a.grow(2, "3"))
	check.OK(t, os.WriteFile(filepath.Join(b.path, "sessions/s/other"), nil, 0o600))
	stop = b.follows(t)
	b.has(t, log, "123")
	stop()
	check.OK(t, os.WriteFile(filepath.Join(b.path, log), []byte("x"), 0o600)) // by somebody else
	check.OK(t, a.grow(3, "4"))
	b.follows(t)
	b.has(t, log, "1234")
}

// What is written where the cluster is followed goes to the cluster, unless a worker has the session; and what is of
// this machine alone stays there.
func TestFollow_WritesSessionsWithoutAWorker(t *testing.T) {
	servers := natstest.Start(t, 1, nil)
	s := jetstream.Settings{URL: servers.URL, Create: true, Window: window}
	a := join(t, s)
	s.Follows = true
	b := join(t, s)
	if _, _, err := a.Submit(t.Context(), "s", "s", nil); err != nil {
		t.Fatal(err)
	}
	l := a.taken(t)
	check.OK(t, a.write("1"))
	b.follows(t)
	b.has(t, log, "1")
	if err := b.grow(1, "x"); !errors.Is(err, jetstream.ErrLost) || !strings.Contains(err.Error(), a.path) {
		t.Errorf("it wrote in a session of a worker: %v", err)
	}
	check.OK(t, a.grow(1, "2"))
	check.OK(t, l.End(t.Context(), jetstream.Closed, "", 0))
	b.has(t, log, "12")
	for range 100 { // until the last message is on disk, and known to be
		if err := b.grow(2, "3"); err == nil {
			break
		} else if !errors.Is(err, atomicfile.ErrStale) {
			t.Fatal(err)
		}
		<-time.After(time.Millisecond)
	}
	check.OK(t, b.grow(3, "4"))
	check.ErrorIs(t, "a worker that has not read what was added wrote", atomicfile.ErrStale, a.grow(2, "y"))
	check.Get(a.Pull(t.Context(), a.files, "s"))(t)
	a.has(t, log, "1234")

	const own = "sessions/own"
	check.OK(t, atomicfile.EnsureFolder(b.files, own))
	check.OK(t, atomicfile.Within(b.files, own, func(files atomicfile.Files) error {
		return atomicfile.Write(files, "events.json", []byte("mine"))
	}))
	check.Is(t, "a session of one machine is on the cluster", false, check.Get(a.Pull(t.Context(), a.files, "own"))(t))
}
