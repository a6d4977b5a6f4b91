// Package setup has the verbs that set up a workspace: councils, models and their keys, settings, policy.
package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// adopt takes over the record of roundtable in a folder. Killed anywhere, the same command goes on.
func adoptFolder(a *cli.Env, ctx context.Context, folder string) error {
	if folder == "" {
		folder = site.Home()
	}
	if err := takeFolder(a, folder); err != nil {
		return err
	}
	return a.InNewRecord(folder, func(root *recorder.Root) error {
		w, err := seat.RecoverMemory(a.World, ctx, root, "")
		if cli.As[config.Problems](err) { // the record can be taken over before the configuration is mended
			w, err = seat.RecoverMemory(a.World, ctx, root, filepath.Join(folder, "memory"))
		}
		if err != nil {
			return err
		}
		return takeOver(a, ctx, w)
	})
}

// takeFolder puts the files of roundtable in a folder together, unless that was done before.
func takeFolder(a *cli.Env, root string) error {
	opened, err := atomicfile.OpenDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return site.Refuse("there is no folder "+site.Quote(root),
			"--root names the folder in which roundtable keeps its record.")
	}
	if err != nil {
		return err
	}
	files := a.Through(opened)
	defer files.Close()
	_, err = files.Lstat(recorder.VersionFile)
	ours := err == nil
	switch {
	case ours:
		if r, err := roundtable.Open(files); err == nil {
			return r.Close()
		}
		return site.Refuse(site.Quote(root)+" is a workspace of council already, and holds nothing of roundtable",
			"--adopt takes over a folder in which council has no record yet. --root names another.")
	case !roundtable.Found(files):
		return site.Refuse(site.Quote(root)+" holds no record of roundtable",
			"Its sessions, memory/COUNCIL.json or credentials.json would be there. --root names another folder.")
	}
	if err := os.Chmod(root, 0o700); err != nil { // what is recorded is its owner's alone, keys above all
		return err
	}
	keys := filepath.Join(root, roundtable.Credentials)
	if info, err := os.Lstat(keys); err == nil && info.Mode().IsRegular() {
		if err := os.Chmod(keys, 0o600); err != nil {
			return err
		}
	}
	return roundtable.Move(files, func(name string) bool {
		return name != "memory" && recorder.ByHand(name) || atomicfile.Temporary(name)
	})
}

// takeOver writes the episodes and turns of the sessions, and imports the memory records. A record that members were
// given counts as used in the session that closed here last; a faded record has faded here.
func takeOver(a *cli.Env, ctx context.Context, w *curator.Curator) error {
	r, err := roundtable.Open(w.Root.Files())
	if err != nil {
		return err
	}
	defer r.Close()
	var unread []error
	sessions, turns, err := w.Adopted(func(err error) { unread = append(unread, err) })
	if err != nil {
		return err
	}
	named, _ := r.Sessions()
	theirs, failed := r.Books(named)
	for _, err := range failed {
		unread = append(unread, errors.New(err.Error())) // a bad record of theirs is not wrong use of this command
	}
	books := make([]memories.ExportedBook, len(theirs))
	for i, b := range theirs {
		books[i].Member = b.Member
		for _, one := range b.Records {
			books[i].Records = append(books[i].Records, memories.ExportedRecord{Faded: !b.Fresh[one.ID], Record: one})
		}
	}
	records := 0
	if err := memories.Import(a.World, ctx, w, books, false, "of roundtable",
		func(_ memories.ExportedBook, n int) { records += n }); err != nil {
		return err
	}
	if _, _, _, err := w.Reindex(ctx, func(error) {}); err != nil {
		return err
	}
	a.Say("Took over %s with %s, and %s that memory did not have. The files of roundtable are kept in %s.",
		plural.Things(sessions, "session"), plural.Things(turns, "turn"), plural.Things(records, "record"),
		w.Root.Path()+"/"+roundtable.Folder)
	a.Say("council sessions lists them; council recall and council memory list find what was said and remembered.")
	if _, err := w.Root.Files().Lstat(roundtable.Folder + "/" + roundtable.Credentials); err == nil {
		a.Say("Its credentials are there too: council onboard moves them to where keys are kept.")
	}
	return cli.TellUnread(a, unread, "It is kept as it was, and not taken over.")
}
