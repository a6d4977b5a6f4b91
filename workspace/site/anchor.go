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

// Anchors are this machine's key and anchors.
type Anchors struct {
	store  anchor.Store
	failed error // why nothing is kept here
}

// Anchors returns this machine's key and anchors.
func (w *World) Anchors() Anchors {
	state, err := w.User().StateFolder()
	return Anchors{anchor.Store{Path: state, Random: w.Random}, err}
}

// Key returns the key, which it creates if there is none.
func (a Anchors) Key() (anchor.Key, error) {
	if a.failed != nil {
		return anchor.Key{}, a.failed
	}
	return a.store.Key()
}

// Place returns the path of the key and anchors, and an error if they cannot be used.
func (a Anchors) Place() (string, error) {
	err := a.failed
	if err == nil {
		_, err = a.store.Verifiers()
	}
	return a.store.Path, err
}

// TrustIn returns the evidence about a session from outside its folder: its anchors on this machine, and the lengths
// that memory and the episode have recorded.
func (a Anchors) TrustIn(root *recorder.Root, id council.SessionID) (recorder.Trust, error) {
	t, err := a.Trust(id)
	t.Remembered = func(c *council.Charter) []verify.Remembered { return rememberedIn(root, c, id) }
	return t, err
}

// Trust returns the anchors of a session and the key.
func (a Anchors) Trust(id council.SessionID) (t recorder.Trust, err error) {
	if a.failed != nil {
		return t, nil // there is nothing to compare
	}
	if t.Keys, err = a.store.Verifiers(); err != nil {
		return t, err
	}
	held, err := a.store.Held(id)
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

// Sign signs the state of a log and keeps the note outside the record. It refuses a log that contradicts an
// earlier anchor.
func (a Anchors) Sign(id council.SessionID, t *anchor.Tree) ([]byte, error) {
	key, err := a.Key()
	if err != nil {
		return nil, err
	}
	held, err := a.store.Held(id)
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
		err = a.store.Keep(id, note)
	}
	return note, err
}

// AnchorSession anchors a closed or suspended session. A failure is only a warning.
func (w *World) AnchorSession(folder *recorder.Session) {
	err := folder.Anchor(func(t *anchor.Tree) ([]byte, error) { return w.Anchors().Sign(folder.ID(), t) })
	if err != nil {
		w.Warn("council: the session is kept, but not anchored: %v", err)
	}
}
