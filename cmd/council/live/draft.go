package live

import (
	"path"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// draftOf returns the name of the file with what was typed of an answer.
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

// KeepDraft keeps what a person typed of an answer that is not finished, in a file that only that person can read: it
// may be a secret ballot. Without a text, what was kept goes.
func KeepDraft(root *recorder.Root, id council.SessionID, ask council.AskID, text []byte) error {
	if err := atomicfile.EnsureFolder(root.Files(), folder); err != nil {
		return err
	}
	return atomicfile.Within(root.Files(), folder, func(files atomicfile.Files) error {
		if text != nil {
			return atomicfile.Write(files, draftOf(id, ask), text)
		}
		return removeOf(files, draftOf(id, ask))
	})
}

// Forget removes what is kept of a session that is over or is forgotten: its state, spooled notes and drafts.
func Forget(root *recorder.Root, id council.SessionID) error {
	return atomicfile.WithinAny(root.Files(), folder, func(files atomicfile.Files) error {
		return removeOf(files, string(id)+".")
	})
}

// removeOf removes the files whose names begin so.
func removeOf(files atomicfile.Files, begin string) error {
	entries, err := files.List()
	for _, e := range entries {
		if err == nil && strings.HasPrefix(e.Name(), begin) {
			err = files.Remove(e.Name())
		}
	}
	return err
}
