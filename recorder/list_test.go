package recorder_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// put writes a log with the given events after its first as a session of the workspace.
func put(t testing.TB, path string, id council.SessionID, events ...council.Payload) string {
	t.Helper()
	w := wire.NewWriter(id)
	started := council.SessionStarted{Rules: 1, Session: id, Topic: council.Topic{Text: "Topic of " + string(id)},
		Charter: charter()}
	file := wire.Empty
	for i, p := range append([]council.Payload{started}, events...) {
		_, text, err := w.Next(council.Event{Seq: council.Seq(i + 1), Payload: p}, fixed.Now(), "5a")
		check.OK(t, err)
		file = file[:len(file)-wire.Overlap] + string(text)
	}
	name := filepath.Join(path, "sessions", string(id), "events.json")
	write(t, name, file)
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
		return recorder.Summary{
			ID: id, Started: fixed.Now(), Topic: "Topic of " + string(id), Council: "Test council",
			Gist:   minutes.Gist{State: state},
			Events: events,
		}
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
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-bytes)
	}
	check.OK(t, err)
}
