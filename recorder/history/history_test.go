package history_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/wire"
)

var day = time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC)

type place struct {
	testing.TB
	*recorder.Root
	path string
}

func enter(t testing.TB) *place {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".council")
	root := check.Get(recorder.OpenRoot(path))(t)
	t.Cleanup(func() { root.Close() })
	return &place{TB: t, Root: root, path: path}
}

func sessionID(n int) council.SessionID {
	at := day.Add(time.Duration(n) * time.Minute)
	return council.SessionID(fmt.Sprintf("%s-topic-%04d", at.Format("20060102-150405"), n))
}

// put writes a session's log, closed or not, and conversations.
func (p *place) put(n int, closed bool, said map[council.MemberID][]conversation.Line) council.SessionID {
	p.Helper()
	id := sessionID(n)
	folder := filepath.Join(p.path, "sessions", string(id))
	check.OK(p, os.MkdirAll(filepath.Join(folder, "conversations"), 0o700))
	charter := counciltest.Charter(2, 1, "http://127.0.0.1:1/v1")
	charter.Prices = []council.Rate{{Provider: "openai-compatible", Model: "m1", AsOf: "2026-10-24",
		Source: "a test", Input: 2, Output: 10}}
	events := []council.Payload{council.SessionStarted{Rules: 1, Session: id, Topic: council.Topic{Text: "Topic"},
		Charter: charter}}
	if closed {
		events = append(events, council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCompleted,
			Documentation: council.DocumentationNone}})
	}
	log := &wire.Log{Session: id}
	for i, e := range events {
		_, _, err := log.Next(council.Event{Seq: council.Seq(i + 1), Payload: e}, day, "5a")
		check.OK(p, err)
	}
	file := check.Get(log.Text())(p)
	for m, lines := range said {
		text := check.Get(conversation.New(id, m).Next(lines...))(p)
		check.OK(p, os.WriteFile(filepath.Join(folder, conversation.FileName(m)), text, 0o600))
	}
	check.OK(p, os.WriteFile(filepath.Join(folder, wire.File), file, 0o600))
	return id
}

func answer(ask string, minute int, u council.Usage) []conversation.Line {
	at := day.Add(time.Duration(minute) * time.Minute).Format("2006-01-02T15:04:05.000Z")
	id := council.AskID(ask)
	return []conversation.Line{
		{Role: conversation.RoleUser, Ask: id, Try: 1, At: at},
		{Role: conversation.RoleAssistant, Ask: id, Try: 1, At: at, Usage: u, LatencyMS: 900, Reported: "m-2026"},
	}
}

// open returns the database in step, and the errors of reading.
func (p *place) open() (*index.Index, []error) {
	p.Helper()
	var failed []error
	ix := check.Get(history.Open(p.Context(), p.Root, func(err error) { failed = append(failed, err) }))(p)
	return ix, failed
}

func (p *place) usage(by string) []index.Used {
	p.Helper()
	ix, failed := p.open()
	if len(failed) > 0 {
		p.Errorf("not read: %v", failed)
	}
	used, err := ix.Usage(p.Context(), by, time.Time{})
	check.OK(p, errors.Join(err, ix.Close()))
	return used
}

// dump returns all that is in the tables of a workspace's database but for full text.
func (p *place) dump() string {
	p.Helper()
	ix, _ := p.open()
	check.OK(p, ix.Close())
	db := check.Get(sql.Open("sqlite", filepath.Join(p.path, index.File)))(p)
	defer db.Close()
	var b strings.Builder
	for _, table := range []string{"sessions", "calls", "entries", "ledger"} {
		rows := check.Get(db.Query("SELECT * FROM " + table + " ORDER BY 1, 2"))(p)
		names := check.Get(rows.Columns())(p)
		for rows.Next() {
			row, to := make([]any, len(names)), make([]any, len(names))
			for i := range row {
				to[i] = &row[i]
			}
			check.OK(p, rows.Scan(to...))
			fmt.Fprintln(&b, row...)
		}
		check.OK(p, errors.Join(rows.Err(), rows.Close()))
	}
	return b.String()
}

func TestUsage_SumsTheConversations(t *testing.T) {
	p := enter(t)
	taken := council.Usage{Calls: 1, InputTokens: 1000, CachedTokens: 200, OutputTokens: 30, ReasoningTokens: 4}
	p.put(1, true, map[council.MemberID][]conversation.Line{
		"m1": slices.Concat(answer("a", 1, taken), answer("b", 2, taken)),
		"m2": answer("c", 3, taken), // its price is not known
	})
	fault := council.Fault{Kind: council.FaultTransport, Message: "gone"}
	p.put(2, false, map[council.MemberID][]conversation.Line{
		"m1": append(answer("d", 1440, council.Usage{Calls: 1}), // the server did not say how many tokens it took
			conversation.Line{Role: conversation.RoleUser, Ask: "e", Try: 1, At: "2026-11-22T09:00:00.000Z"}, // cut off
		),
		"m2": {{Role: conversation.RoleUser, Ask: "f", Try: 1},
			{Role: conversation.RoleFault, Ask: "f", Try: 1, Fault: &fault}},
	})
	rate := council.Rate{Input: 2, Output: 10}
	cost, _ := rate.Cost(taken)
	three := council.Usage{Calls: 4, InputTokens: 3000, CachedTokens: 600, OutputTokens: 90, ReasoningTokens: 12,
		ElapsedMS: 3600}
	want := index.Used{Answered: 4, Failed: 1, Cut: 1, Usage: three, Unmeasured: 2, Cost: 2 * cost, Unpriced: 3}
	check.Equal(t, "together", []index.Used{want}, p.usage(""))
	for _, by := range index.Groups() {
		var sum index.Used
		for _, u := range p.usage(by) {
			sum.Answered, sum.Failed, sum.Cut = sum.Answered+u.Answered, sum.Failed+u.Failed, sum.Cut+u.Cut
			sum.Usage, sum.Cost = sum.Usage.Add(u.Usage), sum.Cost.Plus(u.Cost)
			sum.Unmeasured, sum.Unpriced = sum.Unmeasured+u.Unmeasured, sum.Unpriced+u.Unpriced
		}
		check.Equal(t, fmt.Sprintf("by %s", by), want, sum)
	}
}

func TestOpen_RebuildsADeletedDatabase(t *testing.T) {
	p := enter(t)
	l := ledger.Open(p.Files(), func() time.Time { return day })
	for n := range 5 {
		id := p.put(n, n != 3, map[council.MemberID][]conversation.Line{"m1": answer("a", n, council.Usage{Calls: 1})})
		seq := check.Get(l.Append(audit.Entry{Type: audit.TypeRun, Action: audit.RunBegun, Session: id, What: "convene"}))(p)
		check.Get(l.Append(audit.Entry{Type: audit.TypeCall, Session: id}))(p)
		p.dump()
		check.Get(l.Append(audit.Entry{Type: audit.TypeRun, Action: "closed", Session: id, Of: seq}))(p)
	}
	check.OK(p, os.RemoveAll(filepath.Join(p.path, "sessions", string(sessionID(1)))))
	was := p.dump()
	for _, ending := range []string{"", "-wal", "-shm", "-clean"} {
		_ = os.Remove(filepath.Join(p.path, index.File+ending))
	}
	if diff := cmp.Diff(was, p.dump()); diff != "" || was == "" {
		t.Errorf("built again (-was +is):\n%s", diff)
	}
	ix, _ := p.open()
	defer ix.Close()
	runs, all, err := ix.Runs(t.Context(), "", 2)
	check.That(t, err == nil && all == 5 && len(runs) == 2 && runs[0].Session == sessionID(4) &&
		runs[0].Status == "closed" && runs[0].Attempt == 1 && runs[0].Command == "convene", "%+v of %d, %v", runs, all, err)
}

// list returns the newest sessions with their states.
func (p *place) list(limit int) (list []string, all int) {
	p.Helper()
	found, all, err := history.List(p.Context(), p.Root, limit)
	check.OK(p, err)
	for _, s := range found {
		list = append(list, string(s.ID)+" "+string(s.State))
	}
	return list, all
}

func TestList_IsNeverStale(t *testing.T) {
	p := enter(t)
	want := func(say string, limit, all int, want ...string) {
		t.Helper()
		got, n := p.list(limit)
		if diff := cmp.Diff(want, got); diff != "" || n != all {
			t.Errorf("%s: of %d (-want +got):\n%s", say, n, diff)
		}
	}
	is := func(n int, state minutes.State) string { return string(sessionID(n)) + " " + string(state) }
	p.put(1, true, nil)
	p.put(2, false, nil)
	p.put(3, true, nil)
	for range 2 { // from the logs, and from the database
		want("at first", 0, 3, is(3, "not decided"), is(2, "interrupted"), is(1, "not decided"))
		want("the newest", 1, 3, is(3, "not decided"))
	}
	p.put(2, true, nil)
	log := filepath.Join(p.path, "sessions", string(sessionID(1)), wire.File)
	check.OK(p, os.WriteFile(log, []byte("[garbage]"), 0o600))
	check.OK(p, os.RemoveAll(filepath.Join(p.path, "sessions", string(sessionID(3)))))
	p.put(4, false, nil)
	want("changed", 0, 3, is(4, "interrupted"), is(2, "not decided"), is(1, "unreadable"))
	held := check.Get(p.Resume(sessionID(4), recorder.Inputs{Now: time.Now}))(p)
	want("while it runs", 1, 3, is(4, "running"))
	check.OK(p, held.Close())
	db, err := sql.Open("sqlite", filepath.Join(p.path, index.File))
	check.OK(p, err)
	_, err = db.Exec("PRAGMA user_version = 999")
	check.OK(p, errors.Join(err, db.Close()))
	want("with a database of a newer version", 0, 3, is(4, "interrupted"), is(2, "not decided"), is(1, "unreadable"))
	check.OK(p, os.WriteFile(filepath.Join(p.path, index.File), []byte("noise"), 0o600))
	want("with a damaged database", 0, 3, is(4, "interrupted"), is(2, "not decided"), is(1, "unreadable"))
}

func TestOpen_ReportsUnreadableSessionsEachTime(t *testing.T) {
	p := enter(t)
	id := p.put(1, true, map[council.MemberID][]conversation.Line{"m1": answer("a", 1, council.Usage{Calls: 1})})
	name := filepath.Join(p.path, "sessions", string(id), conversation.FileName("m1"))
	text := check.Get(os.ReadFile(name))(p)
	check.OK(p, os.WriteFile(name, bytes.Replace(text, []byte(`"calls":1`), []byte(`"calls":0`), 1), 0o600))
	for range 2 {
		ix, failed := p.open()
		check.OK(p, ix.Close())
		check.That(t, len(failed) == 1 && errors.Is(failed[0], recorder.ErrDamaged), "told: %v", failed)
	}
}

// TestOpen_FollowsANewLedger: a person put a damaged one aside.
func TestOpen_FollowsANewLedger(t *testing.T) {
	p := enter(t)
	at := day
	append := func(session council.SessionID) {
		_, err := ledger.Open(p.Files(), func() time.Time { return at }).Append(
			audit.Entry{Type: audit.TypeRun, Action: audit.RunBegun, Session: session})
		check.OK(p, err)
	}
	runs := func() (ids []council.SessionID) {
		ix, _ := p.open()
		defer ix.Close()
		all, _, err := ix.Runs(context.Background(), "", 0)
		check.OK(p, err)
		for _, r := range all {
			ids = slices.Concat(ids, []council.SessionID{r.Session})
		}
		return ids
	}
	append("a")
	append("b")
	runs()
	check.OK(p, os.Rename(filepath.Join(p.path, ledger.Folder), filepath.Join(p.path, "aside")))
	check.Is(t, "without a ledger", 0, len(runs()))
	at = at.Add(time.Hour)
	append("c")
	runs()
	append("d")
	check.Equal(t, "of the new one", []council.SessionID{"d", "c"}, runs())
}
