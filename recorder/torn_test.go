package recorder_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
)

// A log of 200 events in which one byte differs is never read as if it were good.
func TestEveryByteOfALongLogIsGuarded(t *testing.T) {
	t.Parallel()
	_, path := large(t, 17)
	good, err := os.ReadFile(inSession(path, "events.json"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := wire.Scan(sessionID, good)
	if err != nil || len(log.Entries) < 200 {
		t.Fatalf("%d events, %v", len(log.Entries), err)
	}
	tried := 0
	for at := 0; at < len(good); at += step(997) {
		changed := bytes.Clone(good)
		changed[at] ^= 1 << (at % 8)
		got, err := wire.Scan(sessionID, changed)
		if !errors.Is(err, recorder.ErrDamaged) && !errors.Is(err, recorder.ErrNewer) {
			t.Fatalf("byte %d (%q became %q): %v, torn %v, %d events",
				at, good[at], changed[at], err, got.Torn, len(got.Entries))
		}
		tried++
	}
	t.Logf("%d events, %d bytes; %d flipped, all found", len(log.Entries), len(good), tried)
}

// Wherever a crash cuts a file, resuming the session mends it, and every whole line before is as it was. A sector that
// was allocated and never written is a cut too.
func TestAFileThatWasCutAnywhereIsMended(t *testing.T) {
	t.Parallel()
	root, path := large(t, 2)
	names := []string{"events.json"}
	tapes, err := filepath.Glob(inSession(path, "conversations/*.jsonl"))
	if err != nil || len(tapes) != 9 {
		t.Fatal(tapes, err)
	}
	for _, name := range tapes {
		names = append(names, "conversations/"+filepath.Base(name))
	}
	session, err := root.Folder(sessionID)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	cuts := 0
	for _, name := range names {
		good, err := os.ReadFile(inSession(path, name))
		if err != nil {
			t.Fatal(err)
		}
		torn := func(cut []byte, at int) {
			t.Helper()
			write(t, inSession(path, name), string(cut))
			s, err := root.Resume(sessionID, fixed)
			if name == "events.json" && bytes.Count(good[:at], []byte("\n")) < 2 && errors.Is(err, recorder.ErrDamaged) {
				return // not even the first event is whole, and the conversations show that there were more
			}
			if err == nil {
				_, err = s.Ambiguous() // opens every conversation
				err = errors.Join(err, s.Close())
			}
			if err != nil {
				t.Fatalf("%s cut at %d of %d: %v", name, at, len(good), err)
			}
			mended, err := os.ReadFile(inSession(path, name))
			whole := bytes.LastIndexByte(good[:at], '\n')
			if err != nil || !bytes.HasPrefix(mended, good[:max(whole, 0)]) {
				t.Fatalf("%s cut at %d: the lines before are not as they were: %v", name, at, err)
			}
			if lost := len(good) - len(mended); lost < 0 {
				t.Fatalf("%s cut at %d: it grew by %d", name, at, -lost)
			}
			cuts++
		}
		last := bytes.LastIndexByte(good[:len(good)-2], '\n') // the last line is cut at every byte, the rest in steps
		for at := 0; at < len(good); at++ {
			if at < last && at%(97*step(43)) != 0 || at >= last && at%step(193) != 0 {
				continue
			}
			torn(good[:at], at)
		}
		sector := max(len(good)/512*512-1, 0) / 512 * 512
		torn(append(bytes.Clone(good[:sector]), make([]byte, len(good)-sector)...), sector)
		write(t, inSession(path, name), string(good))
		if _, err := conversation.Members(session); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files, %d cuts, all mended", len(names), cuts)
}

// One garbled session among many is named, and hides none.
func TestAGarbledSessionHidesNoOther(t *testing.T) {
	root, path := finished(t)
	garbled := strings.Replace(string(sessionID), "shall-we", "garbled", 1)
	for _, text := range []string{"", "x", "[\n{}\n]", "[\n{\"format\":1}\n]", strings.Repeat("[", 10_000),
		"\xff\xfe\x00"} {
		write(t, filepath.Join(path, "sessions", garbled, "events.json"), text)
		list, err := root.List()
		if err != nil || len(list) != 2 || list[0].ID != sessionID || list[0].Outcome == nil {
			t.Fatalf("%.20q: %+v %v", text, list, err)
		}
		if entries, err := root.Read(sessionID); err != nil || len(entries) != 35 {
			t.Fatalf("%.20q: %d events, %v", text, len(entries), err)
		}
		if _, err := root.Verify(sessionID); err != nil {
			t.Fatalf("%.20q: %v", text, err)
		}
	}
	if diff := cmp.Diff(minutes.StateUnreadable, mustList(t, root)[1].State); diff != "" {
		t.Error(diff)
	}
}

func mustList(t *testing.T, root *recorder.Root) []recorder.Summary {
	t.Helper()
	list, err := root.List()
	if err != nil {
		t.Fatal(err)
	}
	return list
}
