package memories

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// How many characters of who says something, and of why, are kept as evidence.
const (
	maxBy      = 40
	maxBecause = 150
)

// Change enters a person's change to memory in the ledger, makes it, and prints what was set aside for it. That
// recall does not find it yet is told and is no error: the next command tries again.
func Change(world *site.World, ctx context.Context, w *curator.Curator, c memory.Change, now time.Time,
	taken ...store.Edit) error {
	text, err := json.Marshal(c.Put)
	if err != nil {
		return err
	}
	e := audit.Entry{Type: audit.TypeMemory, By: c.By, Member: c.Member, Action: c.Verb,
		What: plural.Things(len(c.Put), "record"), Digest: fmt.Sprintf("%x", sha256.Sum256(text))}
	// Of two the one that is changed comes after the one that it replaces.
	if n := len(c.Put); n == 1 || n == 2 && len(c.Before) == 0 {
		e.What = c.Put[n-1].ID
	}
	if err := world.Enter(w.Root, e); err != nil {
		return err
	}
	report, err := w.Change(ctx, c, now, taken...)
	world.NoticeReport(report)
	if errors.Is(err, curator.ErrNotIndexed) {
		world.Notice("council: %v. The next command tries again.", err)
		return nil
	}
	return err
}

// personalEvidence returns a person's change as evidence, dated by the session that closed last before it.
func personalEvidence(b memory.Book, by, verb, why string) memory.Evidence {
	e := memory.Evidence{Note: hostile.Line(pastForms[verb] + " by " + hostile.Excerpt(by, maxBy))}
	if why = hostile.Line(why); why != "" {
		e.Note += ": " + why
	}
	if n := len(b.Recent); n > 0 {
		e.SessionID = b.Recent[n-1].Session
	}
	return e
}

var pastForms = map[string]string{
	"add": "added", "edit": "edited", "resolve": "resolved", "supersede": "superseded", "import": "imported",
	"accept": "edited in a file", "remove": "removed from a file",
}

// ExportedBook is a book of memory in an export.
type ExportedBook struct {
	Member  council.MemberID `json:"member,omitempty"`
	Records []Shown          `json:"records"` // oldest first
}

// Export returns all books with all records, those of the archives too. unread are the files that cannot be read, whose
// records are missing.
func Export(w *curator.Curator) (all []ExportedBook, unread []error, err error) {
	books, err := w.Store.Books()
	all = []ExportedBook{}
	for _, b := range books {
		records, failed := w.Store.All(b.Member)
		unread = append(unread, failed...)
		shown := append([]Shown{}, council.Map(records, func(r memory.Record) Shown {
			return Shown{Faded: b.Err != nil || b.Book.Faded(r), Record: r}
		})...)
		slices.SortStableFunc(shown, func(a, b Shown) int { return a.CreatedAt.Compare(b.CreatedAt) })
		all = append(all, ExportedBook{b.Member, shown})
	}
	return all, unread, err
}

// Import puts the records of books that are new or newer than here into memory, unless it is dry, and tells how many
// they were of each. It looks at all books before it changes any. why is kept as evidence.
func Import(world *site.World, ctx context.Context, w *curator.Curator, books []ExportedBook, dry bool, why string,
	tell func(ExportedBook, int)) error {
	now := memory.Precise(world.Now())
	changes := make([]memory.Change, len(books))
	for i, b := range books {
		if slices.ContainsFunc(books[:i], func(other ExportedBook) bool { return other.Member == b.Member }) {
			return site.Refuse("the book of "+site.Quote(BookOwner(b.Member))+" stands in the file twice",
				"Nothing was changed.")
		}
		var err error
		if changes[i], err = importChange(world, w, b, why, now); err != nil {
			return err
		}
	}
	for i, c := range changes {
		if len(c.Put) > 0 && !dry {
			if err := Change(world, ctx, w, c, now); err != nil {
				return err
			}
		}
		tell(books[i], len(c.Put))
	}
	return nil
}

// importChange returns the change that takes in what a book has beyond the book here. The change can be made.
func importChange(world *site.World, w *curator.Curator, b ExportedBook, why string, now time.Time) (memory.Change,
	error) {
	c := memory.Change{By: world.User().Name(), Verb: "import", Member: b.Member}
	here := map[string]memory.Record{}
	all, failed := w.Store.All(b.Member)
	if len(failed) > 0 {
		return c, failed[0]
	}
	for _, r := range all {
		here[r.ID] = r
	}
	book, err := w.Store.Book(b.Member)
	if err != nil {
		return c, err
	}
	for _, one := range b.Records {
		r := one.Record
		if old, ok := here[r.ID]; !ok || old.UpdatedAt.Before(r.UpdatedAt) {
			site.CutRecord(&r)
			if !one.Faded { // or it would have faded here, where its sessions are unknown
				r.Evidence = memory.WithEvidence(r.Evidence, personalEvidence(book, world.User().Name(), c.Verb, why))
			}
			c.Put = append(c.Put, r)
		}
	}
	_, _, err = memory.FoldChange(book, c, now)
	return c, err
}

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
		if _, err := files.Lstat(roundtable.Folder); err == nil {
			return nil
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
	done.Kept = w.Root.Path() + "/" + roundtable.Folder
	done.Sessions, done.Turns, err = w.Adopted(func(err error) { done.Unread = append(done.Unread, err) })
	var theirs []roundtable.Book
	if err == nil {
		err = roundtable.In(w.Root.Files(), func(r *roundtable.Record) error {
			named, _ := r.Sessions()
			var failed []error
			theirs, failed = r.Books(named)
			for _, err := range failed {
				done.Unread = append(done.Unread, errors.New(err.Error())) // a bad record of theirs is no wrong use
			}
			return nil
		})
	}
	if err != nil {
		return done, err
	}
	books := make([]ExportedBook, len(theirs))
	for i, b := range theirs {
		books[i] = ExportedBook{b.Member,
			council.Map(b.Records, func(r memory.Record) Shown { return Shown{Faded: !b.Fresh[r.ID], Record: r} })}
	}
	err = Import(world, ctx, w, books, false, "of roundtable", func(_ ExportedBook, n int) { done.Records += n })
	if err == nil {
		_, _, _, err = w.Reindex(ctx, func(error) {})
	}
	_, missing := w.Root.Files().Lstat(roundtable.Folder + "/" + roundtable.Credentials)
	done.Credentials = missing == nil
	return done, err
}
