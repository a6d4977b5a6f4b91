package recorder_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// Of several sessions that began in one second, the one whose topic came last in the alphabet was the latest.
func TestFind_LatestWithinOneSecond(t *testing.T) {
	root, path := openRoot(t)
	at := time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC)
	for _, s := range []struct {
		id    council.SessionID
		after time.Duration
	}{
		{"20261121-081459-zebra-zzzzzz", 999 * time.Millisecond}, // the second before, whatever its clock said
		{"20261121-081500-beta-222222", 10 * time.Millisecond},
		{"20261121-081500-gamma-111111", 700 * time.Millisecond},
		{"20261121-081500-alpha-999999", 900 * time.Millisecond},
		{"20261121-081500-alpha-333333", 10 * time.Millisecond},
	} {
		begun(t, path, s.id, at.Add(s.after))
	}
	write(t, filepath.Join(path, "sessions", "20261121-081500-zeta-000000", "events.json"), "") // never began
	want := []council.SessionID{
		"20261121-081500-alpha-999999", "20261121-081500-gamma-111111", "20261121-081500-beta-222222",
		"20261121-081500-alpha-333333",
		"20261121-081500-zeta-000000", "20261121-081459-zebra-zzzzzz",
	}
	list := check.Get(root.List())(t)
	var got []council.SessionID
	for _, s := range list {
		got = append(got, s.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the list is %q, want %q", got, want)
	}
	want = slices.Delete(want, 4, 5) // it has not begun, and is in the list alone
	for i := range want {
		check.Is(t, "the latest is", want[i], check.Get(root.Find(recorder.Latest))(t))
		check.OK(t, os.RemoveAll(filepath.Join(path, "sessions", string(want[i]))))
	}
}

// begun writes a session that has just begun at a time.
func begun(t *testing.T, path string, id council.SessionID, at time.Time) {
	t.Helper()
	w := wire.NewWriter(id)
	started := council.SessionStarted{Rules: 1, Session: id, Topic: council.Topic{Text: "Shall we?"}, Charter: charter()}
	_, text, err := w.Next(council.Event{Seq: 1, Payload: started}, at, "5a")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(path, "sessions", string(id), "events.json"),
		wire.Empty[:len(wire.Empty)-wire.Overlap]+string(text))
}
