package curator_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
)

type salt struct{}

func (salt) Read(p []byte) (int, error) { return copy(p, strings.Repeat("Z", len(p))), nil }

// recorded records the events of a log, with other payloads, as a session whose council remembers.
func recorded(t *testing.T, root *recorder.Root, id council.SessionID, log []wire.Entry,
	edit func(council.Payload) council.Payload) *recorder.Session {
	t.Helper()
	folder := check.Get(root.Create(id, recorder.Inputs{Now: time.Now, Random: salt{}}))(t)
	for _, e := range log {
		e.Payload = edit(e.Payload)
		if p, opens := e.Payload.(council.SessionStarted); opens {
			p.Charter.Phases = []council.Phase{{ID: "decide", MemoryPolicy: council.MemoryPolicy{WriteCouncilMemory: true}}}
			e.Payload = p
		}
		check.OK(t, folder.Append(e.Event))
	}
	return folder
}

// Eleven sessions close while another is remembered: the council's book is written twice, and nothing is missing.
func TestFinish_CombinesConcurrentCloses(t *testing.T) {
	path := t.TempDir()
	unsynced, plan := &filetest.Plan{NoSync: true}, &filetest.Plan{NoSync: true}
	root, err := recorder.OpenRoot(path, unsynced.Watch)
	check.OK(t, err)
	defer root.Close()
	w, err := curator.Open(root, filepath.Join(path, "memory"), store.Through(plan.Watch))
	check.OK(t, err)
	files, err := atomicfile.OpenFolder(root.Files(), "memory")
	check.OK(t, err)
	defer files.Close()
	const sessions = 12
	var closed []*recorder.Session
	for n := range sessions {
		id := council.SessionID(fmt.Sprintf("20261121-0815%02d-shall-we-7f3k2a", n))
		same := func(p council.Payload) council.Payload { return p }
		closed = append(closed, recorded(t, root, id, counciltest.LongSession(id, 1), same))
	}
	lock, err := atomicfile.TakeLock(files, ".lock")
	check.OK(t, err)
	var all sync.WaitGroup
	for _, folder := range closed {
		all.Go(func() {
			done, err := w.Finish(t.Context(), folder.ID(), folder.Entries())
			if err != nil || done.Session != folder.ID() || done.Turns == 0 || len(done.Kept) == 0 {
				t.Errorf("%+v, %v", done, err)
			}
			folder.Close()
		})
	}
	for w.Waiting() < sessions-1 {
		runtime.Gosched()
	}
	check.OK(t, lock.Release())
	all.Wait()
	written := 0
	for _, one := range plan.Operations() {
		if strings.HasPrefix(one, "rename COUNCIL.json") {
			written++
		}
	}
	b, err := w.Store.Book("")
	if marked, failed := root.Unsettled().List(); err != nil || failed != nil || b.Sessions != sessions || written != 2 ||
		len(marked) > 0 {
		t.Errorf("%v, %v: %d sessions, written %d times, %v are marked", err, failed, b.Sessions, written, marked)
	}
	if inMemory, inRecord, err := w.Check(t.Context()); err != nil || len(inMemory)+len(inRecord) > 0 {
		t.Errorf("%v, %+v, %+v", err, inMemory, inRecord)
	}
	err = w.WithIndex(t.Context(), func(ix *index.Index) error {
		rows, err := ix.Sessions(t.Context(), "")
		check.Is(t, "the index has sessions", sessions, len(rows))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
