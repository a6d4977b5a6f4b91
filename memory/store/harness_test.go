package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/wire"
)

var start = time.Date(2026, 12, 30, 8, 15, 0, 250e6, time.UTC)

// fixed is the clock of every store, which names files kept aside.
func fixed() time.Time { return time.Date(2027, 2, 1, 9, 0, 0, 0, time.UTC) }

// sitting returns a closed session of three members, the n-th; one closes every twelve hours, so that the year changes.
func sitting(n int, members ...string) memory.Session {
	at := start.Add(time.Duration(n) * 12 * time.Hour)
	id := council.SessionID(at.Format("20060102-150405") + fmt.Sprintf("-matter-%06d", n))
	charter := counciltest.Charter(3, 1, "http://127.0.0.1:1")
	for i, m := range members {
		charter.Members[i].ID, charter.Members[i].Name = council.MemberID(m), "Member "+m
	}
	payloads := []council.Payload{
		council.SessionStarted{Session: id, Topic: council.Topic{Text: fmt.Sprintf("Matter %d", n)}, Charter: charter},
		council.SessionClosed{},
	}
	s := memory.Session{ID: id, From: 1}
	for i, p := range payloads {
		seq := council.Seq(i + 1)
		s.Entries = append(s.Entries, wire.Entry{
			Event: council.Event{Seq: seq, Payload: p}, ID: seq.ID(), Session: id, Time: at.Add(time.Duration(i) * time.Minute),
		})
	}
	return s
}

// ruledOn returns the session with a ruling that came later.
func ruledOn(s memory.Session, at time.Time) memory.Session {
	seq := council.Seq(len(s.Entries) + 1)
	s.Entries = append(slices.Clone(s.Entries), wire.Entry{
		Event: council.Event{Seq: seq, Payload: council.ExecutionApproved{}}, ID: seq.ID(), Session: s.ID, Time: at,
	})
	return s
}

// Bounds of the small books.
const (
	smallRecords = 7
	smallRecent  = 3
	said         = 3 // records that a session leaves in a book
)

// smallClose folds like package memory, into books so small that something leaves at most closes.
func smallClose(b memory.Book, s memory.Session) (memory.Book, []memory.Record) {
	to := s.Entries[len(s.Entries)-1].Seq
	for _, c := range b.Recent {
		if c.Session == s.ID && c.UpTo >= to {
			return b, nil
		}
	}
	started := s.Entries[0].Payload.(council.SessionStarted)
	b.Records, b.Recent = slices.Clone(b.Records), slices.Clone(b.Recent)
	b.Name = started.Charter.CouncilName
	if b.Member != "" {
		b.Name = started.Charter.Member(b.Member).Name
	}
	at := s.Entries[to-1].Time
	for i := range said {
		b.Records = append(b.Records, record(memory.NewID(string(b.Member), string(s.ID), fmt.Sprint(s.From), fmt.Sprint(i)),
			fmt.Sprintf("%s: point %d for %s", started.Topic.Text, i, b.Name), at, s.ID))
	}
	if s.From == 1 {
		b.Sessions++
		b.Recent = append(b.Recent, memory.Closed{Session: s.ID, At: at, UpTo: to})
		b.Recent = b.Recent[max(0, len(b.Recent)-smallRecent):]
	}
	return bounded(b)
}

func record(id, summary string, at time.Time, session council.SessionID) memory.Record {
	return memory.Record{
		ID: id, Kind: memory.KindDecision, Status: memory.StatusActive, Summary: summary, Confidence: 0.5, Importance: 3,
		CreatedAt: at, UpdatedAt: at, Evidence: []memory.Evidence{{SessionID: session, EventID: "e2"}},
	}
}

func bounded(b memory.Book) (memory.Book, []memory.Record) {
	n := max(0, len(b.Records)-smallRecords)
	left := slices.Clone(b.Records[:n])
	b.Records = slices.Clone(b.Records[n:])
	return b, left
}

var errRefused = errors.New("refused in a test")

func smallApply(b memory.Book, c memory.Change, at time.Time) (memory.Book, []memory.Record, error) {
	b.Records = slices.Clone(b.Records)
	for _, r := range c.Put {
		if r.Summary == "" {
			return b, nil, errRefused
		}
		if i := slices.IndexFunc(b.Records, func(o memory.Record) bool { return o.ID == r.ID }); i >= 0 {
			b.Records[i] = r
		} else {
			b.Records = append(b.Records, r)
		}
	}
	b.Records = slices.DeleteFunc(b.Records, func(r memory.Record) bool { return slices.Contains(c.Drop, r.ID) })
	b, left := bounded(b)
	return b, left, nil
}

func smallMembers(entries []wire.Entry) []council.MemberID {
	var all []council.MemberID
	for _, m := range entries[0].Payload.(council.SessionStarted).Charter.Members {
		all = append(all, m.ID)
	}
	return all
}

var small = store.Folding(smallClose, smallApply, smallMembers)

// archiveOf reads sessions as a workspace would.
func archiveOf(sessions ...memory.Session) store.Load {
	return func(id council.SessionID) ([]wire.Entry, error) {
		for _, s := range sessions {
			if s.ID == id {
				return s.Entries, nil
			}
		}
		return nil, fmt.Errorf("%w: session %s", fs.ErrNotExist, id)
	}
}

func open(t testing.TB, dir string, opts ...store.Option) *store.Store {
	t.Helper()
	unsynced := &filetest.Plan{NoSync: true} // a killed process loses nothing that the kernel has
	s := check.Get(store.Open(dir, store.Options{Now: fixed, Through: unsynced.Watch}))(t)
	for _, set := range append([]store.Option{small}, opts...) {
		set(s)
	}
	return s
}

// sittings returns the first n sessions.
func sittings(n int) []memory.Session {
	var all []memory.Session
	for i := range n {
		all = append(all, sitting(i))
	}
	return all
}

// withLists returns a folder of memory after the sessions.
func withLists(t testing.TB, sessions ...memory.Session) string {
	t.Helper()
	return filledBy(t, store.Sessions(archiveOf(sessions...)), sessions...)
}

func both(one, other store.Option) store.Option { return func(s *store.Store) { one(s); other(s) } }

func filledBy(t testing.TB, how store.Option, sessions ...memory.Session) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memory")
	s := open(t, dir, how)
	for _, one := range sessions {
		mustClose(t, s, one)
	}
	return dir
}

func mustClose(t testing.TB, s *store.Store, one memory.Session) store.Report {
	t.Helper()
	return check.Get(s.Close(one))(t)
}

// tree has every file of a folder, but for the evidence of crashes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return nil
		}
		if err != nil || e.IsDir() || strings.Contains(name, ".torn-") {
			return err
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrPermission) {
			text, err = []byte("withheld"), nil
		}
		all[strings.TrimPrefix(name, dir+"/")] = string(text)
		return err
	})
	check.OK(t, err)
	return all
}

// without leaves out files with a part in their names.
func without(all map[string]string, part string) map[string]string {
	rest := map[string]string{}
	for name, text := range all {
		if !strings.Contains(name, part) {
			rest[name] = text
		}
	}
	return rest
}

// copyTree makes a copy of a folder of memory, if there is one.
func copyTree(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "memory")
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return to
	}
	for name, text := range tree(t, from) {
		write(t, filepath.Join(to, name), text)
	}
	return to
}

func write(t testing.TB, name, text string) {
	t.Helper()
	check.OK(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)))
}

func recordIn(b memory.Book, summary string) *memory.Record {
	for i, r := range b.Records {
		if r.Summary == summary {
			return &b.Records[i]
		}
	}
	return nil
}

func TestMain(m *testing.M) {
	counciltest.Cheaply()
	m.Run()
}
