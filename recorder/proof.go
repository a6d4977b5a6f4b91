package recorder

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
)

// Trust is what a verification knows from outside the session's folder.
type Trust = verify.Trust

// Verify recomputes everything that a session's folder holds and changes nothing; package verify says what. The error
// wraps [ErrDamaged] when the report is not OK; without a report it says why nothing could be verified:
// [ErrUnknownSession], [ErrNotBegun], [ErrNewer] or the disk's.
func (r *Root) Verify(id council.SessionID, trust ...Trust) (verify.Report, error) {
	return r.prove(id, verify.Session, trust)
}

// Replay runs the rules again from the facts of a session's log and from the replies in its conversations, and
// compares the log and every derived file with what that yields, byte for byte. Errors are those of Verify.
func (r *Root) Replay(id council.SessionID) (verify.Report, error) {
	return r.prove(id, verify.Replay, nil)
}

func (r *Root) prove(
	id council.SessionID, how func(verify.Subject) (verify.Report, error), trust []Trust,
) (verify.Report, error) {
	files, err := r.folder(id)
	if err != nil {
		return verify.Report{}, err
	}
	defer files.Close()
	s := verify.Subject{ID: id, Files: files, Render: r.render, Writer: func() string {
		if h, running := r.Holder(id); running {
			return h.String()
		}
		return ""
	}}
	report, err := judged(how, s, trust)
	if err != nil && r.moved(id, files) {
		return r.prove(id, how, trust)
	}
	return report, plain(files.Path(), err)
}

// judged proves a session by what is known from outside.
func judged(how func(verify.Subject) (verify.Report, error), s verify.Subject, trust []Trust) (verify.Report, error) {
	for _, t := range trust {
		s.Anchors, s.Keys = append(s.Anchors, t.Anchors...), append(s.Keys, t.Keys...)
		if t.Remembered != nil {
			s.Remembered = t.Remembered
		}
	}
	report, err := how(s)
	if errors.Is(err, verify.ErrEmpty) {
		err = fmt.Errorf("%w: %s", ErrNotBegun, s.ID)
	}
	return report, err
}

// Folder opens a session's folder for reading. The caller closes it. [ErrUnknownSession]: there is none.
func (r *Root) Folder(id council.SessionID) (atomicfile.Files, error) { return r.folder(id) }

// Anchor has the log as it stands signed, and puts the note into the session's folder unless it is there already. When
// it fails the session is as good as before.
func (s *Session) Anchor(sign func(*anchor.Tree) ([]byte, error)) error {
	if s.err != nil {
		return s.err
	}
	note, err := sign(anchor.NewTree(s.id, s.entries))
	if err != nil {
		return err
	}
	return plain(s.files.Path(), anchor.Add(s.files, anchor.File, note))
}
