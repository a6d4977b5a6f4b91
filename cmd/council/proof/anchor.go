package proof

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/closing"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
)

func (d Desk) newAnchor() *cobra.Command {
	var root string
	var key bool
	cmd := &cobra.Command{
		Use:   "anchor [SESSION]",
		Short: "Print a signed note that vouches for a session as it stands",
		Long: `anchor prints a note that says how many events a session has (the latest, unless one is named) and what they hash
to, signed with this machine's key. Paste it into a commit or send it to a friend: council verify --anchor FILE holds
the record against it later, and finds every change to these events.

The record is tamper-evident with it, not tamper-proof: whoever owns the key and every copy of the anchors can rewrite
all of them, and nothing vouches for what happens after the last anchor. The key and a copy of every anchor are kept
outside the record, in $XDG_STATE_HOME/council (~/.local/state/council).`,
		Args: desk.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if key && len(args) > 0 {
				return desk.Usage(cmd, errors.New("--key is this machine's and takes no session"))
			}
			if key {
				return d.printKey()
			}
			return d.InSession(root, args, d.printAnchor)
		},
	}
	desk.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&key, "key", false, "print the verifier key, which others need to check the signature")
	return cmd
}

// anchorStore is where this machine keeps its key and its anchors.
func (d Desk) anchorStore() (anchor.Store, error) {
	state, err := desk.StateFolder(d.Getenv)
	return anchor.Store{Path: state, Random: d.Random}, err
}

// KeyPlace is where this machine keeps its key and its anchors, and why they cannot be used, if they cannot.
func (d Desk) KeyPlace() (string, error) {
	store, err := d.anchorStore()
	if err != nil {
		return "", err
	}
	_, err = store.Verifiers()
	return store.Path, err
}

// trust is what is known of a session from outside its folder: its anchors that this machine keeps, and how far memory
// and the episode know it.
func (d Desk) trust(root *recorder.Root, id council.SessionID) (recorder.Trust, error) {
	t := recorder.Trust{Remembered: func(c *council.Charter) []verify.Remembered { return remembered(root, c, id) }}
	store, err := d.anchorStore()
	if err != nil {
		return t, nil // nothing is kept here, so there is nothing to compare
	}
	if t.Keys, err = store.Verifiers(); err != nil {
		return recorder.Trust{}, err
	}
	held, err := store.Held(id)
	if err != nil {
		return recorder.Trust{}, err
	}
	t.Anchors = []anchor.Source{held}
	return t, nil
}

// remembered says how far the journal of memory and the episode know a session. What cannot be read says nothing.
func remembered(root *recorder.Root, c *council.Charter, id council.SessionID) []verify.Remembered {
	var all []verify.Remembered
	dir := closing.MemoryDir(c.Storage, root.Path())
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

func (d Desk) printKey() error {
	store, err := d.anchorStore()
	if err != nil {
		return err
	}
	key, err := store.Key()
	if err != nil {
		return err
	}
	fmt.Fprintln(d.Out, key.Verifier)
	return nil
}

func (d Desk) printAnchor(r *recorder.Root, id council.SessionID) error {
	entries, err := r.Read(id)
	if err != nil {
		return err
	}
	note, err := d.vouch(id, anchor.NewTree(id, entries))
	if err == nil {
		_, err = d.Out.Write(note)
	}
	return err
}

// vouch signs how a log stands, and keeps the note outside the record. A log that contradicts an earlier anchor is not
// signed: nobody should vouch for what was rewritten.
func (d Desk) vouch(id council.SessionID, t *anchor.Tree) ([]byte, error) {
	store, err := d.anchorStore()
	if err != nil {
		return nil, err
	}
	key, err := store.Key()
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
			return nil, fmt.Errorf("session %s contradicts an anchor in %s, so it is not vouched for again: %w: %s", id, held.Name, recorder.ErrDamaged, j.Problem)
		}
	}
	note, err := key.Sign(t.Checkpoint(t.Size()))
	if err == nil {
		err = store.Keep(id, note)
	}
	return note, err
}

// Vouch anchors a session that has come to rest. That it cannot is worth a warning and no more: the record is as good as
// without.
func (d Desk) Vouch(folder *recorder.Session) {
	err := folder.Anchor(func(t *anchor.Tree) ([]byte, error) { return d.vouch(folder.ID(), t) })
	if err != nil {
		fmt.Fprintln(d.Errs, terminal.Sprintf("council: the session is kept, but not anchored: %v", err))
	}
}
