package run

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/site"
)

// Said is a note that all members of a session get.
type Said struct {
	Cut   council.Topic // with the secrets that were cut out of the note
	Event council.Seq   // that holds the note; 0: the process that drives the session records it
	GoOn  string        // the command line that goes on with the session
}

// Say gives all members of an open session a note: with its next question each gets it. While another process drives
// the session, the note is kept for that one.
func Say(w *site.World, root *recorder.Root, id council.SessionID, text string) (said Said, err error) {
	if text, said.Cut, err = site.ComposeNote(w, root, "note", text, council.MaxNote); err != nil {
		return said, err
	}
	said.GoOn = site.CommandLine(root, "council resume "+string(id))
	note := council.NoteGiven{By: w.User().Name(), Text: text}
	if _, running := root.Locks().Holder(id); running {
		return said, handNote(w, root, id, note)
	}
	damaged := site.CheckIntact(w, root, id) // before anything of the session is mended
	folder, session, err := site.OpenUnfinished(w, root, id)
	if errors.Is(err, recorder.ErrLocked) {
		return said, handNote(w, root, id, note)
	}
	if err != nil {
		return said, err
	}
	defer folder.Close()
	if session.Ready().Outcome != nil {
		return said, errTooLate(id)
	}
	if damaged != nil {
		w.Warn("Warning: %v. council verify says more.", damaged)
	}
	kept, err := live.Spooled(root, id, session.Events())
	if err != nil {
		return said, err
	}
	for _, n := range append(kept, note) {
		if err := site.Rule(session, folder, n); err != nil {
			return said, err
		}
	}
	if _, err := live.Spooled(root, id, session.Events()); err != nil { // which removes what is recorded
		return said, err
	}
	if err := folder.Finalize(); err != nil {
		return said, err
	}
	w.AnchorSession(folder)
	said.Event = council.Seq(len(session.Events()))
	return said, nil
}

func errTooLate(id council.SessionID) error {
	return fmt.Errorf("session %s is closed: no member is asked any more, so none would be told the note", id)
}

// handNote keeps a note for the process that drives a session.
func handNote(w *site.World, root *recorder.Root, id council.SessionID, note council.NoteGiven) error {
	note, err := live.Spool(root, id, note, w.Now())
	if err != nil {
		return err
	}
	// The driver looks for notes after it has closed the session; so either it or this process sees that one came late.
	var log []council.Event
	closed, err := root.Closed(id)
	for e := range site.Events(closed) {
		log = append(log, e)
	}
	if err == nil && len(log) > 0 && !note.In(log) {
		_, err := live.Spooled(root, id, log, note)
		return errors.Join(errTooLate(id), err)
	}
	return nil
}
