package recorder_test

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// workspace is one with the given sessions, each adjourned.
func workspace(t *testing.T, ids ...council.SessionID) *recorder.Root {
	t.Helper()
	root := check.Get(recorder.OpenRoot(filepath.Join(t.TempDir(), ".council")))(t)
	t.Cleanup(func() { _ = root.Close() })
	for _, id := range ids {
		s, session := begin(t, root, id)
		e, err := session.Rule(council.SessionAdjourned{By: "tester", Reason: "It is late."})
		for err == nil {
			if err = errors.Join(s.Append(e), session.Apply(e)); err != nil || session.Ready().Event == nil {
				break
			}
			e = *session.Ready().Event
		}
		check.OK(t, errors.Join(err, s.Finalize(), s.Close()))
	}
	return root
}

func begin(t *testing.T, root *recorder.Root, id council.SessionID) (*recorder.Session, *rules.Session) {
	t.Helper()
	s := check.Get(root.Create(id, fixed))(t)
	session := counciltest.Open(t, id, council.Topic{Text: "Shall we?"}, counciltest.Charter(3, 1, "http://127.0.0.1:1"))
	check.OK(t, s.Append(session.Events()[0]))
	return s, session
}

// state is every file of a workspace with its mode and the sum of its content.
func state(t *testing.T, root *recorder.Root) map[string]string {
	t.Helper()
	all := map[string]string{}
	check.OK(t, filepath.WalkDir(root.Path(), func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := []byte{}
		if e.Type().IsRegular() {
			if text, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		sum := sha256.Sum256(text)
		all[name] = info.Mode().String() + string(sum[:])
		return nil
	}))
	return all
}

// change edits a file of a session.
func change(t *testing.T, root *recorder.Root, id council.SessionID, name string, edit func([]byte) []byte) {
	t.Helper()
	at := filepath.Join(root.Path(), "sessions", string(id), name)
	text, err := os.ReadFile(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	check.OK(t, os.WriteFile(at, edit(text), 0o600))
}

func look(t *testing.T, root *recorder.Root) recorder.Findings {
	t.Helper()
	before := state(t, root)
	r := check.Get(root.Check(nil))(t)
	check.Equal(t, "looking changed the workspace", before, state(t, root))
	return r
}

func TestCheck_FindsNothingInAGoodWorkspace(t *testing.T) {
	root := workspace(t, "one", "two")
	s := check.Get(root.Resume("one", fixed))(t)
	check.OK(t, errors.Join(s.CountRepeat("nominate.m1"), s.Close())) // which makes doubts.json
	r := look(t, root)
	if len(r.Found) != 0 || r.Sessions != 2 || r.Worst() != recorder.Remark {
		t.Fatalf("%+v", r)
	}
}

func TestRepair_LeavesDamageAlone(t *testing.T) {
	root := workspace(t, "damaged", "edited", "leftover", "public", "torn")
	change(t, root, "damaged", "events.json", func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	change(t, root, "damaged", "transcript.md", func([]byte) []byte { return []byte("evidence") })
	change(t, root, "edited", "session.json", func(b []byte) []byte { return append(b, "mine"...) })
	change(t, root, "leftover", ".session.json.4194305-1.tmp", func([]byte) []byte { return []byte("half") })
	change(t, root, "torn", "events.json", func(b []byte) []byte { return append(b[:len(b)-1], `,{"seq":`...) })
	check.OK(t, os.Chmod(filepath.Join(root.Path(), "sessions", "public", "events.json"), 0o644))
	r := look(t, root)
	weights := map[council.SessionID]recorder.Weight{}
	for _, f := range r.Found {
		if weights[f.Session] != recorder.Damage {
			weights[f.Session] = f.Weight
		}
		check.That(t, f.Problem != "" && f.Do != "" && f.Path != "", "it says too little: %+v", f)
	}
	if diff := cmp.Diff(map[council.SessionID]recorder.Weight{
		"damaged": recorder.Damage, "edited": recorder.Finding, "leftover": recorder.Finding, "public": recorder.Finding,
		"torn": recorder.Finding,
	}, weights); diff != "" || r.Worst() != recorder.Damage {
		t.Fatalf("(-want +got):\n%s\n%+v", diff, r)
	}
	before := state(t, root)
	for _, d := range root.Repair(r, fixed) {
		check.That(t, d.Err == nil, "%s: %v", d.Path, d.Err)
	}
	after := state(t, root)
	for name, sum := range before {
		if strings.Contains(name, "/damaged/") && after[name] != sum {
			t.Errorf("%s was touched", name)
		}
	}
	kept := filepath.Join(root.Path(), "sessions")
	for name, want := range map[string]string{"edited/session.json.edited-20261121T081500Z": "mine",
		"torn/events.json.torn-1": `,{"seq":`} {
		text, err := os.ReadFile(filepath.Join(kept, name))
		check.That(t, err == nil && strings.HasSuffix(string(text), want), "%s: %q %v", name, text, err)
	}
	for _, f := range look(t, root).Found {
		if f.Session != "damaged" && f.Weight != recorder.Remark {
			t.Errorf("still: %+v", f)
		}
	}
}

func TestRepair_NamesTheTornEndsThatItKept(t *testing.T) {
	root := workspace(t, "one")
	check.OK(t, os.Mkdir(filepath.Join(root.Path(), "sessions", "one", "conversations"), 0o700))
	for _, name := range []string{"conversations/m1.jsonl", "conversations/m2.jsonl", "conversations/m3.jsonl",
		"events.json"} {
		change(t, root, "one", name, func(b []byte) []byte { return append(b[:max(0, len(b)-1)], `,{"seq":`...) })
	}
	var kept []string
	for _, d := range root.Repair(look(t, root), fixed) {
		if strings.HasSuffix(d.Path, ".torn-1") {
			kept = append(kept, d.Path)
		}
	}
	check.Equal(t, "it", []string{"sessions/one/conversations/m1.jsonl.torn-1",
		"sessions/one/conversations/m2.jsonl.torn-1", "sessions/one/conversations/m3.jsonl.torn-1",
		"sessions/one/events.json.torn-1"}, kept)
}

func TestCheck_NamesStrangersAndLinks(t *testing.T) {
	root := workspace(t, "one")
	outside := filepath.Join(t.TempDir(), "secret")
	check.OK(t, os.WriteFile(outside, []byte("secret"), 0o600))
	in := func(name string) string { return filepath.Join(root.Path(), name) }
	check.OK(t, errors.Join(os.Symlink(filepath.Dir(outside), in("sessions/link")),
		os.Symlink(outside, in("locks/link.lock")), os.Remove(in("sessions/one/transcript.md")),
		os.Symlink(outside, in("sessions/one/transcript.md")), os.Mkdir(in("sessions/Upper"), 0o700),
		os.Mkdir(in("sessions/empty"), 0o700), os.WriteFile(in("sessions/file"), nil, 0o600)))
	found := map[string]string{}
	for _, f := range look(t, root).Found {
		found[f.Path] += f.Problem
	}
	for path, says := range map[string]string{
		"sessions/link": "symbolic link", "locks/link.lock": "symbolic link", "sessions/one/transcript.md": "symbolic link",
		"sessions/Upper": "not called as sessions are", "sessions/empty": "before its first event", "sessions/file": "file",
	} {
		check.Says(t, found[path], says)
	}
}

func TestCheck_LeavesARunningSessionAlone(t *testing.T) {
	root := workspace(t)
	s, _ := begin(t, root, "running")
	defer s.Close()
	change(t, root, "running", ".session.json.4194305-1.tmp", func([]byte) []byte { return []byte("half") })
	r := look(t, root)
	if r.Worst() != recorder.Remark || len(r.Found) != 1 || !strings.Contains(r.Found[0].Problem, "being written") {
		t.Fatalf("%+v", r)
	}
	check.Is(t, "repairs", 0, len(root.Repair(r, fixed)))
}

// put writes a log with the given events after its first as a session of the workspace.
func put(t testing.TB, path string, id council.SessionID, events ...council.Payload) string {
	t.Helper()
	return putAt(t, path, id, fixed.Now(), events...)
}

func putAt(t testing.TB, path string, id council.SessionID, at time.Time, events ...council.Payload) string {
	t.Helper()
	log := &wire.Log{Session: id}
	started := council.SessionStarted{Rules: 1, Session: id, Topic: council.Topic{Text: "Topic of " + string(id)},
		Charter: charter()}
	for i, p := range append([]council.Payload{started}, events...) {
		_, _, err := log.Next(council.Event{Seq: council.Seq(i + 1), Payload: p}, at, "5a")
		check.OK(t, err)
	}
	name := filepath.Join(path, "sessions", string(id), "events.json")
	write(t, name, string(check.Get(log.Text())(t)))
	return name
}

func TestList_States(t *testing.T) {
	root, path := openRoot(t)
	auth := council.Fault{Kind: council.FaultAuth, Message: "no such key"}
	outcome := council.Outcome{Ended: council.SessionCompleted, Documentation: council.DocumentationNone}
	put(t, path, "1-interrupted")
	put(t, path, "2-suspended", council.SessionSuspended{Fault: auth})
	put(t, path, "3-resumed", council.SessionSuspended{Fault: auth}, council.SessionResumed{By: "x"})
	put(t, path, "4-closed", council.SessionSuspended{Fault: auth}, council.SessionResumed{By: "x"},
		council.SessionClosed{Outcome: outcome})
	put(t, path, "5-approved", council.SessionClosed{Outcome: outcome},
		council.ExecutionApproved{By: "x", BriefSHA256: "y"})
	torn := put(t, path, "6-torn", council.SessionSuspended{Fault: auth})
	damaged := put(t, path, "7-damaged", council.SessionSuspended{Fault: auth})
	write(t, filepath.Join(path, "sessions", "8-garbage", "events.json"), "\x00\x01garbage")
	write(t, filepath.Join(path, "sessions", "9-empty", "notes"), "")
	put(t, path, "a-running")
	write(t, filepath.Join(path, "sessions", "b-folder", "events.json", "x"), "")
	cut(t, torn, 9)
	text := check.Get(os.ReadFile(damaged))(t)
	write(t, damaged, strings.Replace(string(text), "no such key", "NO such key", 1))
	held := check.Get(root.Resume("a-running", fixed))(t)
	defer held.Close()

	got := check.Get(root.List())(t)
	host, _ := os.Hostname()
	known := func(id council.SessionID, state minutes.State, events int) recorder.Summary {
		return recorder.Summary{ID: id, Started: fixed.Now(), Topic: "Topic of " + string(id), Council: "Test council",
			Gist: minutes.Gist{State: state}, Events: events}
	}
	with := func(s recorder.Summary, change func(*recorder.Summary)) recorder.Summary { change(&s); return s }
	want := []recorder.Summary{
		{ID: "b-folder", Gist: minutes.Gist{State: minutes.StateUnreadable}, Err: fs.ErrInvalid},
		with(known("a-running", minutes.StateRunning, 1),
			func(s *recorder.Summary) { s.Holder = recorder.Holder{PID: os.Getpid(), Host: host} }),
		{ID: "9-empty", Gist: minutes.Gist{State: minutes.StateEmpty}},
		{ID: "8-garbage", Gist: minutes.Gist{State: minutes.StateUnreadable}, Err: recorder.ErrDamaged},
		with(known("7-damaged", minutes.StateUnreadable, 1), func(s *recorder.Summary) { s.Err = recorder.ErrDamaged }),
		with(known("6-torn", minutes.StateInterrupted, 1), func(s *recorder.Summary) { s.Torn = true }),
		with(known("5-approved", minutes.StateUndecided, 3), func(s *recorder.Summary) { s.Outcome = &outcome }),
		with(known("4-closed", minutes.StateUndecided, 4), func(s *recorder.Summary) { s.Outcome = &outcome }),
		known("3-resumed", minutes.StateInterrupted, 3),
		with(known("2-suspended", minutes.StateSuspended, 2), func(s *recorder.Summary) { s.Suspended = &auth }),
		known("1-interrupted", minutes.StateInterrupted, 1),
	}
	check.Equal(t, "list", want, got, byClass, cmpopts.IgnoreFields(recorder.Summary{}, "Stamp"))
}

// byClass compares the errors of summaries by the sentinel that they wrap. A fault is an error too, but of the record.
var byClass = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Err" }, cmpopts.EquateErrors())

// cut takes bytes off the end of a file.
func cut(t testing.TB, path string, bytes int64) {
	t.Helper()
	check.OK(t, os.Truncate(path, check.Get(os.Stat(path))(t).Size()-bytes))
}
