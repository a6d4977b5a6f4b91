package live

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// notes is the folder of spooled notes: it is empty most of the time, and looked into before every question, while
// folder has a file of every session that runs. spooled leads the part of a note's file name behind the session's id.
const (
	notes   = folder + "/notes"
	spooled = ".note-"
)

// Spool keeps a note for members of a session, durably, for the process that drives the session or will. The note gets
// an id. The caller has cleaned it and seen to its length.
func Spool(root *recorder.Root, id council.SessionID, note council.NoteGiven, now time.Time) (council.NoteGiven,
	error) {
	note.ID = now.UTC().Format("20060102-150405.000000") + "-" + strings.ToLower(rand.Text()[:6]) // sorts by time
	text, err := json.Marshal(note)
	if err != nil {
		return note, err
	}
	return note, atomicfile.WithinMade(root.Files(), notes, func(files atomicfile.Files) error {
		return atomicfile.Write(files, string(id)+spooled+note.ID+".json", text)
	})
}

// Spooled returns the notes of a session that log does not hold, oldest first, and removes those that it does and those
// that are done with.
func Spooled(root *recorder.Root, id council.SessionID, log []council.Event, done ...council.NoteGiven) (
	found []council.NoteGiven, err error) {
	err = atomicfile.WithinAny(root.Files(), notes, func(files atomicfile.Files) error {
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
				err = fmt.Errorf("the note in %s/%s cannot be read: %w", notes, e.Name(), failed)
			case note.In(log) || slices.Contains(done, note):
				err = errors.Join(files.Remove(e.Name()), files.Sync())
			default:
				found = append(found, note)
			}
		}
		return err
	})
	return found, err
}

// draftOf returns the name of the file for an unfinished answer.
func draftOf(id council.SessionID, ask council.AskID) string {
	return string(id) + ".draft-" + string(ask) + ".json"
}

// Draft returns what [KeepDraft] kept, or nil.
func Draft(root *recorder.Root, id council.SessionID, ask council.AskID) []byte {
	text, err := atomicfile.Read(root.Files(), path.Join(folder, draftOf(id, ask)))
	if err != nil {
		return nil // what cannot be read is typed again
	}
	return text
}

// KeepDraft saves an unfinished answer in a file that only its author can read: it may be a secret ballot. A nil text
// removes the draft.
func KeepDraft(root *recorder.Root, id council.SessionID, ask council.AskID, text []byte) error {
	return atomicfile.WithinMade(root.Files(), folder, func(files atomicfile.Files) error {
		if text != nil {
			return atomicfile.Write(files, draftOf(id, ask), text)
		}
		return removeOf(files, draftOf(id, ask))
	})
}

// Forget removes the state, spooled notes and drafts of a session.
func Forget(root *recorder.Root, id council.SessionID) error {
	remove := func(files atomicfile.Files) error { return removeOf(files, string(id)+".") }
	return errors.Join(atomicfile.WithinAny(root.Files(), folder, remove),
		atomicfile.WithinAny(root.Files(), notes, remove))
}

// removeOf removes the files whose names have the given prefix.
func removeOf(files atomicfile.Files, begin string) error {
	return atomicfile.Sweep(files, func(name string) bool { return strings.HasPrefix(name, begin) })
}
