package recorder_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
)

// Wherever a crash cuts a file, resuming the session mends it, and every whole line before is as it was. A sector that
// was allocated and never written is a cut too.
func TestResume_MendsAFileCutAnywhere(t *testing.T) {
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
	session := check.Get(root.Folder(sessionID))(t)
	defer session.Close()
	cuts := 0
	for _, name := range names {
		good := check.Get(os.ReadFile(inSession(path, name)))(t)
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
		check.Get(conversation.Members(session))(t)
	}
	t.Logf("%d files, %d cuts, all mended", len(names), cuts)
}
