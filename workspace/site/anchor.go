package site

import (
	"fmt"
	"path/filepath"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
)

// anchorStore returns the store of this machine's key and anchors.
func (w *World) anchorStore() (anchor.Store, error) {
	state, err := w.StateFolder()
	return anchor.Store{Path: state, Random: w.Random}, err
}

// AnchorKey returns the anchor store and its key, which it creates if there is none.
func (w *World) AnchorKey() (store anchor.Store, key anchor.Key, err error) {
	if store, err = w.anchorStore(); err == nil {
		key, err = store.Key()
	}
	return store, key, err
}

// KeyPlace returns the path of this machine's key and anchors, and an error if they cannot be used.
func (w *World) KeyPlace() (string, error) {
	store, err := w.anchorStore()
	if err == nil {
		_, err = store.Verifiers()
	}
	return store.Path, err
}

// TrustIn returns the evidence about a session from outside its folder: its anchors on this machine, and the lengths
// that memory and the episode have recorded.
func (w *World) TrustIn(root *recorder.Root, id council.SessionID) (recorder.Trust, error) {
	t, err := w.Trust(id)
	t.Remembered = func(c *council.Charter) []verify.Remembered { return rememberedIn(root, c, id) }
	return t, err
}

// Trust returns this machine's anchors of a session and its key.
func (w *World) Trust(id council.SessionID) (t recorder.Trust, err error) {
	store, err := w.anchorStore()
	if err != nil {
		return t, nil // nothing is kept here, so there is nothing to compare
	}
	if t.Keys, err = store.Verifiers(); err != nil {
		return t, err
	}
	held, err := store.Held(id)
	t.Anchors = []anchor.Source{held}
	return t, err
}

// rememberedIn returns the lengths of a session's log that memory's journal and the episode have recorded. Unreadable
// sources are left out.
func rememberedIn(root *recorder.Root, c *council.Charter, id council.SessionID) []verify.Remembered {
	var all []verify.Remembered
	dir := curator.MemoryDir(c.Storage, root.Path())
	if memory, err := store.Open(dir); err == nil {
		if to, err := memory.FoldedUpTo(id); err == nil {
			by := "The journal of memory in " + filepath.ToSlash(dir)
			all = append(all, verify.Remembered{By: by, Events: int(to)})
		}
	}
	if e, err := episodes.New(root.Files()).Episode(id); err == nil {
		all = append(all, verify.Remembered{By: "The episode of the session", Events: e.Events})
	}
	return all
}

// SignAnchor signs the state of a log and keeps the note outside the record. It refuses a log that contradicts an
// earlier anchor.
func (w *World) SignAnchor(id council.SessionID, t *anchor.Tree) ([]byte, error) {
	store, key, err := w.AnchorKey()
	if err != nil {
		return nil, err
	}
	held, err := store.Held(id)
	if err != nil {
		return nil, err
	}
	judged, err := t.Judge([]anchor.Source{held}, []string{key.Verifier})
	if err != nil {
		return nil, err
	}
	for _, j := range judged {
		if j.Problem != "" {
			return nil, fmt.Errorf("session %s contradicts an anchor in %s, so it is not vouched for again: %w: %s", id,
				held.Name, recorder.ErrDamaged, j.Problem)
		}
	}
	note, err := key.Sign(t.Checkpoint(t.Size()))
	if err == nil {
		err = store.Keep(id, note)
	}
	return note, err
}

// AnchorSession anchors a closed or suspended session. A failure is only a warning.
func (w *World) AnchorSession(folder *recorder.Session) {
	err := folder.Anchor(func(t *anchor.Tree) ([]byte, error) { return w.SignAnchor(folder.ID(), t) })
	if err != nil {
		w.Warn("council: the session is kept, but not anchored: %v", err)
	}
}
