package recorder_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

func TestFind_ByUniqueNames(t *testing.T) {
	root, path := openRoot(t)
	check.ErrorIs(t, "no session yet", recorder.ErrUnknownSession, check.Err(root.Find("latest")))
	for _, id := range []string{"20260101-000000-a-111111", "20260102-000000-b-222222", "20260102-000000-b-2222223",
		"20260103-000000-c-333333"} {
		write(t, filepath.Join(path, "sessions", id, "events.json"), "")
	}
	putAt(t, path, "20260103-000000-c-333333", time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC))
	write(t, filepath.Join(path, "sessions", "20260104-a-file-444444"), "")
	write(t, filepath.Join(path, "sessions", "Not A Session", "x"), "")
	tests := []struct {
		name, as string
		want     council.SessionID
	}{
		{"its id", "20260101-000000-a-111111", "20260101-000000-a-111111"},
		{"an id that begins another", "20260102-000000-b-222222", "20260102-000000-b-222222"},
		{"a prefix", "20260101", "20260101-000000-a-111111"},
		{"the latest", "latest", "20260103-000000-c-333333"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check.Is(t, test.as, test.want, check.Get(root.Find(test.as))(t))
		})
	}
	_, err := root.Find("20260102")
	if want := `"20260102" names several sessions: 20260102-000000-b-2222223, 20260102-000000-b-222222`; err == nil ||
		err.Error() != want || !errors.Is(err, recorder.ErrAmbiguous) {
		t.Fatalf("%v, want %s", err, want)
	}
	check.ErrorIs(t, "2027", recorder.ErrUnknownSession, check.Err(root.Find("2027")))
}

func TestFind_RefusesNamesThatLeadElsewhere(t *testing.T) {
	root, path := openRoot(t)
	write(t, filepath.Join(path, "secret", "events.json"), "[\n]")
	names := []string{"", ".", "..", "../secret", "a/b", "/etc", "*", "a*", "?", "[a]", "a\\b", "C:", "-rf", "a b",
		"a\x00b", "a\nb", "LATEST", "ä", "a.b", "~", strings.Repeat("a", 300)}
	for _, name := range names {
		id := council.SessionID(name)
		_, found := root.Find(name)
		_, created := root.Create(id, fixed)
		_, resumed := root.Resume(id, fixed)
		_, read := root.Read(id)
		_, verified := root.Verify(id)
		for verb, err := range map[string]error{"find": found, "create": created, "resume": resumed, "read": read,
			"verify": verified} {
			check.ErrorIs(t, verb, recorder.ErrUnknownSession, err)
			check.That(t, len(err.Error()) <= 200 && !strings.ContainsAny(err.Error(), "\n\x00"),
				"%s %q: the message is no single short line: %q", verb, name, err)
		}
	}
	if got := len(folder(t, path)); got != 3 { // VERSION, .gitignore and the secret
		t.Errorf("%d files: something was written", got)
	}
}

func TestFind_RefusesSymlinks(t *testing.T) {
	root, path := openRoot(t)
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "events.json"), "[\n]")
	check.OK(t, os.Symlink(elsewhere, filepath.Join(path, "sessions", string(sessionID))))
	_, created := root.Create(sessionID, fixed)
	_, resumed := root.Resume(sessionID, fixed)
	_, read := root.Read(sessionID)
	_, verified := root.Verify(sessionID)
	for verb, err := range map[string]error{"create": created, "resume": resumed, "read": read, "verify": verified} {
		check.ErrorIs(t, verb, atomicfile.ErrLink, err)
	}
	check.Is(t, "files: something was written behind the link", 1, len(folder(t, elsewhere)))
	list, err := root.List()
	check.That(t, err == nil && len(list) == 1 && errors.Is(list[0].Err, atomicfile.ErrLink), "list: %+v, %v", list, err)
}

// A session is typed by the last word of its id. Where that would mean another session too, its short name is its id.
func TestShort_FindsTheSession(t *testing.T) {
	root, path := openRoot(t)
	ids := []council.SessionID{"20260101-000000-a-7f3k2a", "20260102-000000-b-222222", "20260103-000000-c-same12",
		"20260104-000000-d-same12", "plain"}
	for _, id := range ids {
		write(t, filepath.Join(path, "sessions", string(id), "events.json"), "")
	}
	var short []string
	for _, id := range ids {
		name := root.Short(id)
		short = append(short, name)
		check.Is(t, name, id, check.Get(root.Find(name))(t))
	}
	check.Equal(t, "short names", []string{"7f3k2a", string(ids[1]), string(ids[2]), string(ids[3]), "plain"}, short)
	check.ErrorIs(t, "the error", recorder.ErrAmbiguous, check.Err(root.Find("same12")))
}

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
		putAt(t, path, s.id, at.Add(s.after))
	}
	write(t, filepath.Join(path, "sessions", "20261121-081500-zeta-000000", "events.json"), "") // never began
	want := []council.SessionID{"20261121-081500-alpha-999999", "20261121-081500-gamma-111111",
		"20261121-081500-beta-222222", "20261121-081500-alpha-333333", "20261121-081500-zeta-000000",
		"20261121-081459-zebra-zzzzzz"}
	list := check.Get(root.List())(t)
	var got []council.SessionID
	for _, s := range list {
		got = append(got, s.ID)
	}
	check.Equal(t, "list", want, got)
	want = slices.Delete(want, 4, 5) // it has not begun, and is in the list alone
	for i := range want {
		check.Is(t, "the latest is", want[i], check.Get(root.Find(recorder.Latest))(t))
		check.OK(t, os.RemoveAll(filepath.Join(path, "sessions", string(want[i]))))
	}
}
