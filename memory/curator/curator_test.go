package curator_test

import (
	"encoding/json"
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
	root := check.Get(recorder.OpenRoot(path, unsynced.Watch))(t)
	defer root.Close()
	w := check.Get(curator.Open(root, filepath.Join(path, "memory"), store.Options{Through: plan.Watch}))(t)
	files := check.Get(atomicfile.OpenFolder(root.Files(), "memory"))(t)
	defer files.Close()
	const sessions = 12
	var closed []*recorder.Session
	for n := range sessions {
		id := council.SessionID(fmt.Sprintf("20261121-0815%02d-shall-we-7f3k2a", n))
		same := func(p council.Payload) council.Payload { return p }
		closed = append(closed, recorded(t, root, id, counciltest.LongSession(id, 1), same))
	}
	lock := check.Get(atomicfile.TakeLock(files, ".lock"))(t)
	var all sync.WaitGroup
	for _, folder := range closed {
		all.Go(func() {
			done, err := w.Finish(t.Context(), folder.ID(), folder.Entries())
			check.That(t, err == nil && done.Session == folder.ID() && done.Turns != 0 && len(done.Kept) != 0, "%+v, %v", done,
				err)
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
	if marked, failed := root.Unsettled.List(); err != nil || failed != nil || b.Sessions != sessions || written != 2 ||
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

// The motions have no word of their topics, yet the question alone finds each decision as the first hit, though its
// session and others have the question's words more often.
func TestRecall_FindsDecisionsByTopic(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".council")
	root := check.Get(recorder.OpenRoot(path, (&filetest.Plan{NoSync: true}).Watch))(t)
	defer root.Close()
	w, err := curator.Open(root, filepath.Join(path, "memory"), store.Options{})
	check.OK(t, err)
	verbs, things := strings.Fields("adopt retire split rewrite"), strings.Fields(
		"ledger queue canary billing gateway warehouse login backup mobile invoice")
	topic := func(n int) string {
		return fmt.Sprintf("Shall we %s the %s next year?", verbs[n%len(verbs)], things[n/len(verbs)])
	}
	sessions := counciltest.Often(12, 40)
	at := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	for n := range sessions {
		id := council.SessionID(fmt.Sprintf("%s-shall-we-%06d", at.AddDate(0, 0, n).Format("20060102-150405"), n))
		other := topic((n + 7) % sessions)
		log := counciltest.LogOf(id, counciltest.WholeSession())
		folder := recorded(t, root, id, log, func(p council.Payload) council.Payload {
			switch p := p.(type) {
			case council.SessionStarted:
				p.Topic.Text = topic(n)
				return p
			case council.ContributionMade:
				p.Message = fmt.Sprintf("“%s”, they ask. I say the same as on “%s”", topic(n), other)
				return p
			case council.MotionMade:
				p.MotionTitle, p.MotionText = fmt.Sprintf("Plan %d", n), fmt.Sprintf("It is done by group %d.", n)
				p.DecisionIfPass = fmt.Sprintf("Group %d does it.", n)
				return p
			case council.DraftWritten:
				p.SHA256 = council.Digest(p.Markdown)
				return p
			}
			return p
		})
		check.Get(w.Finish(t.Context(), id, folder.Entries()))(t)
		check.OK(t, folder.Close())
	}
	err = w.WithIndex(t.Context(), func(ix *index.Index) error {
		for n := range sessions {
			found, err := ix.Search(t.Context(), index.Query{Text: topic(n)})
			if err != nil {
				return err
			}
			met := map[council.SessionID]bool{}
			for _, h := range found.Hits {
				if met[h.Session] {
					t.Errorf("%q has two hits of %s", topic(n), h.Session)
				}
				met[h.Session] = true
			}
			if h := found.Hits[0]; h.What != index.Decision || !strings.HasPrefix(h.Text, fmt.Sprintf("Plan %d: ", n)) {
				got, _ := json.MarshalIndent(found.Hits[:min(2, len(found.Hits))], "", "  ")
				t.Errorf("%q finds first %s", topic(n), got)
			}
		}
		return nil
	})
	check.OK(t, err)
}
