package memories

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Adopted says how much of a record of roundtable was taken over.
type Adopted struct {
	Sessions, Turns int
	Records         int     // that memory did not have
	Kept            string  // the folder that keeps the files of roundtable
	Credentials     bool    // are among them
	Unread          []error // why files were left out
}

// Adopt takes over the record of roundtable in a folder. Killed anywhere, another call goes on.
func Adopt(world *site.World, ctx context.Context, folder string) (done Adopted, err error) {
	if err := adoptFiles(world, folder); err != nil {
		return done, err
	}
	err = world.InNewRecord(folder, func(root *recorder.Root) error {
		w, err := seat.RecoverMemory(world, ctx, root, "")
		if errors.As(err, new(config.Problems)) { // the record can be taken over before the configuration is mended
			w, err = seat.RecoverMemory(world, ctx, root, filepath.Join(folder, "memory"))
		}
		if err == nil {
			done, err = adoptRecord(world, ctx, w)
		}
		return err
	})
	return done, err
}

// adoptFiles moves the files of roundtable into a folder of their own, unless that was done before.
func adoptFiles(world *site.World, root string) error {
	opened, err := atomicfile.OpenDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return site.Refuse("there is no folder "+site.Quote(root),
			"--root names the folder in which roundtable keeps its record.")
	}
	if err != nil {
		return err
	}
	files := world.Through(opened)
	defer files.Close()
	if _, err := files.Lstat(recorder.VersionFile); err == nil {
		if r, err := roundtable.Open(files); err == nil {
			return r.Close()
		}
		return site.Refuse(site.Quote(root)+" is a workspace of council already, and holds nothing of roundtable",
			"--adopt takes over a folder in which council has no record yet. --root names another.")
	}
	if !roundtable.Found(files) {
		return site.Refuse(site.Quote(root)+" holds no record of roundtable",
			"Its sessions, memory/COUNCIL.json or credentials.json would be there. --root names another folder.")
	}
	if err := os.Chmod(root, 0o700); err != nil { // the record is private, keys above all
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

// adoptRecord writes the episodes and turns of the sessions, and imports the memory records. A record that members were
// given counts as used in the session that closed here last; a faded record has faded here.
func adoptRecord(world *site.World, ctx context.Context, w *curator.Curator) (done Adopted, err error) {
	r, err := roundtable.Open(w.Root.Files())
	if err != nil {
		return done, err
	}
	defer r.Close()
	done.Kept = w.Root.Path() + "/" + roundtable.Folder
	done.Sessions, done.Turns, err = w.Adopted(func(err error) { done.Unread = append(done.Unread, err) })
	if err != nil {
		return done, err
	}
	named, _ := r.Sessions()
	theirs, failed := r.Books(named)
	for _, err := range failed {
		done.Unread = append(done.Unread, errors.New(err.Error())) // a bad record of theirs is not wrong use of this command
	}
	books := make([]ExportedBook, len(theirs))
	for i, b := range theirs {
		books[i].Member = b.Member
		for _, one := range b.Records {
			books[i].Records = append(books[i].Records, Shown{Faded: !b.Fresh[one.ID], Record: one})
		}
	}
	err = Import(world, ctx, w, books, false, "of roundtable", func(_ ExportedBook, n int) { done.Records += n })
	if err == nil {
		_, _, _, err = w.Reindex(ctx, func(error) {})
	}
	_, missing := w.Root.Files().Lstat(roundtable.Folder + "/" + roundtable.Credentials)
	done.Credentials = missing == nil
	return done, err
}
