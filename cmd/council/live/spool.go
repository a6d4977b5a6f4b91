package live

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// spooled is what leads the part of a spooled note's file name behind the session's id.
const spooled = ".note-"

// Spool keeps a note for members of a session, durably, for the process that drives the session or will. The note gets
// an id. The caller has cleaned it and seen to its length.
func Spool(root *recorder.Root, id council.SessionID, note council.NoteGiven, now time.Time) (council.NoteGiven,
	error) {
	note.ID = now.UTC().Format("20060102-150405.000000") + "-" + strings.ToLower(rand.Text()[:6]) // sorts by time
	text, err := json.Marshal(note)
	if err == nil {
		err = atomicfile.EnsureFolder(root.Files(), folder)
	}
	if err != nil {
		return note, err
	}
	return note, atomicfile.Within(root.Files(), folder, func(files atomicfile.Files) error {
		return atomicfile.Write(files, string(id)+spooled+note.ID+".json", text)
	})
}

// Spooled returns the notes of a session that log does not hold, oldest first, and removes those that it does and those
// that are done with.
func Spooled(root *recorder.Root, id council.SessionID, log []council.Event, done ...council.NoteGiven) (
	notes []council.NoteGiven, err error) {
	err = atomicfile.WithinAny(root.Files(), folder, func(files atomicfile.Files) error {
		entries, err := files.List()
		for _, e := range entries {
			if err != nil || !strings.HasPrefix(e.Name(), string(id)+spooled) {
				continue
			}
			var note council.NoteGiven
			text, failed := atomicfile.Read(files, e.Name())
			if failed == nil {
				failed = json.Unmarshal(text, &note)
			}
			switch {
			case failed != nil:
				err = fmt.Errorf("the note in %s/%s cannot be read: %w", folder, e.Name(), failed)
			case note.In(log) || slices.Contains(done, note):
				err = errors.Join(files.Remove(e.Name()), files.Sync())
			default:
				notes = append(notes, note)
			}
		}
		return err
	})
	return notes, err
}
