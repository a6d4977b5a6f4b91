package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
)

func newAnchor(a *app) *cobra.Command {
	var key bool
	cmd := sessionVerb(a, "anchor", func(c *command, id council.SessionID) error {
		entries, err := c.root.Read(id)
		if err != nil {
			return err
		}
		note, err := signAnchor(a, id, anchor.NewTree(id, entries))
		if err == nil {
			_, err = a.Out.Write(note)
		}
		return err
	})
	inRecord := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case !key:
			return inRecord(cmd, args)
		case len(args) > 0:
			return cli.Usage(cmd, errors.New("--key is this machine's and takes no session"))
		}
		_, own, err := anchorKey(a)
		if err == nil {
			fmt.Fprintln(a.Out, own.Verifier)
		}
		return err
	}
	flags(cmd.Flags(), vars{"key": &key})
	return cmd
}

// anchorStore returns where this machine keeps its key and its anchors.
func anchorStore(a *app) (anchor.Store, error) {
	state, err := a.StateFolder()
	return anchor.Store{Path: state, Random: a.Random}, err
}

// anchorKey is anchorStore with the key, which is made where there is none.
func anchorKey(a *app) (store anchor.Store, key anchor.Key, err error) {
	if store, err = anchorStore(a); err == nil {
		key, err = store.Key()
	}
	return store, key, err
}

// keyPlace returns where this machine keeps its key and its anchors, and why they cannot be used, if they cannot.
func keyPlace(a *app) (string, error) {
	store, err := anchorStore(a)
	if err == nil {
		_, err = store.Verifiers()
	}
	return store.Path, err
}

// trustIn returns what is known of a session from outside its folder: its anchors that this machine keeps, and how far
// memory and the episode know it.
func trustIn(a *app, root *recorder.Root, id council.SessionID) (recorder.Trust, error) {
	t, err := trustHere(a, id)
	t.Remembered = func(c *council.Charter) []verify.Remembered { return rememberedIn(root, c, id) }
	return t, err
}

// trustHere returns the anchors of a session that this machine keeps, and its key.
func trustHere(a *app, id council.SessionID) (t recorder.Trust, err error) {
	store, err := anchorStore(a)
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

// rememberedIn returns how far the journal of memory and the episode know a session. What cannot be read is left out.
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

// signAnchor signs the state of a log, and keeps the note outside the record. A log that contradicts an earlier anchor
// is not signed: what was rewritten must not be vouched for.
func signAnchor(a *app, id council.SessionID, t *anchor.Tree) ([]byte, error) {
	store, key, err := anchorKey(a)
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

// vouch anchors a session that has come to rest. That it cannot is worth a warning and no more: the record is as good
// as without.
func anchorSession(a *app, folder *recorder.Session) {
	err := folder.Anchor(func(t *anchor.Tree) ([]byte, error) { return signAnchor(a, folder.ID(), t) })
	if err != nil {
		a.Warn("council: the session is kept, but not anchored: %v", err)
	}
}
