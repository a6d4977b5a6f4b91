package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/workspace/site"
)

// How many characters of who says something, and of why, are kept as evidence.
const (
	maxBy      = 40
	maxBecause = 150
)

// putRecord makes the change of one record that the command is named after, with the person's word added to its
// evidence, and prints the record. more are put with it.
func putRecord(c *cli.Command, w *curator.Curator, member council.MemberID, why string, r memory.Record,
	more ...memory.Record) error {
	if n := utf8.RuneCountInString(why); n > maxBecause {
		return site.Refuse(fmt.Sprintf("--because has %d characters, and at most %d are kept", n, maxBecause),
			"Nothing was changed.")
	}
	b, err := w.Store.Book(member)
	if err != nil {
		return err
	}
	site.CutRecord(&r)
	now, verb, added := cli.Instant(c.Env), c.Cmd.Name(), r.ID == ""
	if added {
		r.ID = memory.NewID(string(member), now.Format(time.RFC3339Nano), r.Summary)
		r.CreatedAt = now
	}
	r.UpdatedAt = now
	word := personalEvidence(b, c.By(), verb, site.CutSecrets(why))
	if added && (r.Kind == memory.KindConstraint || r.Kind == memory.KindPreference) {
		word.SessionID = "" // a person's rule belongs to no session
	}
	r.Evidence = memory.WithEvidence(r.Evidence, word)
	for i := range more {
		more[i].UpdatedAt = now
	}
	err = changeMemory(c.Env, c.Ctx, w, memory.Change{By: c.By(), Verb: verb, Member: member, Put: append(more, r)}, now)
	if err != nil {
		return err
	}
	if held, _ := w.Store.Record(r.ID); held.ID == r.ID { // it may have expired
		r = held.Record
	}
	tellRecord(c.Env, r)
	return nil
}

func tellRecord(a *cli.Env, r memory.Record) {
	a.Say("%s: %s, %s. %s", r.ID, r.Kind.Words(), r.Status, r.Told())
}

// changeMemory enters a person's change to memory in the ledger, makes it, and prints what was set aside for it. That
// recall does not find it yet is told and is no error: the next command tries again.
func changeMemory(a *cli.Env, ctx context.Context, w *curator.Curator, c memory.Change, now time.Time,
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
	if err := a.Enter(w.Root, e); err != nil {
		return err
	}
	report, err := w.Change(ctx, c, now, taken...)
	a.ReportMemory(report)
	if errors.Is(err, curator.ErrNotIndexed) {
		a.WarnOnce("council: %v. The next command tries again.", err)
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

func newMemoryAccept(a *cli.Env) *cobra.Command {
	var dry, discard bool
	cmd := memoryVerb(a, "memory accept", func(c *cli.Command, w *curator.Curator) error {
		if discard {
			report, err := w.Store.Discard()
			a.ReportMemory(report)
			return err
		}
		report, err := w.Store.Recover()
		for _, left := range report.Left {
			err = errors.Join(err, left.Err)
		}
		for _, e := range report.Edits {
			err = errors.Join(err, e.Err)
		}
		if err != nil {
			return err
		}
		return acceptEdits(c, w, report.Edits, dry)
	})
	cli.AddFlags(cmd.Flags(), cli.Flags{"dry-run": &dry, "discard": &discard})
	cmd.MarkFlagsMutuallyExclusive("dry-run", "discard")
	return cmd
}

// acceptEdits makes each edit a change by whoever runs the command.
func acceptEdits(c *cli.Command, w *curator.Curator, edits []store.Edit, dry bool) error {
	if len(edits) == 0 {
		c.Say("No file of memory was edited.")
	}
	for _, e := range edits {
		now := cli.Instant(c.Env)
		change := memory.Change{By: c.By(), Verb: "accept", Member: e.Member}
		b, err := w.Store.Book(e.Member)
		if err != nil {
			return err
		}
		for _, one := range e.Corrections {
			r, verb := one.After, "accept"
			if one.Removed {
				verb = "remove"
			}
			site.CutRecord(&r)
			r.UpdatedAt = now
			r.Evidence = memory.WithEvidence(r.Evidence, personalEvidence(b, c.By(), verb, ""))
			change.Put, change.Before = append(change.Put, r), append(change.Before, one.Before)
			tellRecord(c.Env, r)
		}
		if dry {
			c.Say("Nothing was changed.")
			continue
		}
		if err := changeMemory(c.Env, c.Ctx, w, change, now, e); err != nil {
			return err
		}
	}
	return nil
}

type memoryExport struct {
	Format int            `json:"format"`
	Books  []exportedBook `json:"books"`
}

type exportedBook struct {
	Member  council.MemberID `json:"member,omitempty"`
	Records []exportedRecord `json:"records"` // oldest first
}

// exportedRecord is a record with what only its own workspace can tell: another does not know the order in which the
// sessions closed.
type exportedRecord struct {
	Faded bool `json:"faded,omitempty"`
	memory.Record
}

const exportFormat = 1

const maxImport = 256 << 20

func newMemoryExport(a *cli.Env) *cobra.Command {
	return memoryVerb(a, "memory export", func(_ *cli.Command, w *curator.Curator) error {
		books, err := w.Store.Books()
		if err != nil {
			return err
		}
		all := memoryExport{Format: exportFormat, Books: []exportedBook{}}
		var unread []error
		for _, b := range books {
			one := exportedBook{Member: b.Member, Records: []exportedRecord{}}
			for r, err := range w.Store.All(b.Member) {
				if err != nil {
					unread = append(unread, err)
					continue
				}
				one.Records = append(one.Records, exportedRecord{b.Err != nil || b.Book.Faded(r), r})
			}
			slices.SortStableFunc(one.Records, func(a, b exportedRecord) int { return a.CreatedAt.Compare(b.CreatedAt) })
			all.Books = append(all.Books, one)
		}
		doc, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		_, err = a.Out.Write(append(hostile.JSON(doc), '\n'))
		return errors.Join(err, cli.TellUnread(a, unread, ""))
	})
}

func newMemoryImport(a *cli.Env) *cobra.Command {
	var dry bool
	var all memoryExport
	cmd := memoryVerb(a, "memory import", func(c *cli.Command, w *curator.Curator) error {
		verb := "taken in"
		if dry {
			verb = "to be taken in"
		}
		return takeIn(a, c.Ctx, w, all.Books, dry, "", func(b exportedBook, n int) {
			a.Say("%s: %s %s, %d as new or newer here.", bookOwner(b.Member), plural.Things(n, "record"), verb,
				len(b.Records)-n)
		})
	})
	cmd.Args = func(cmd *cobra.Command, args []string) (err error) {
		if err = cli.AsUsed(cmd, args); err == nil {
			all, err = readExport(a, args[0])
		}
		return err
	}
	cli.AddFlags(cmd.Flags(), cli.Flags{"dry-run": &dry})
	return cmd
}

func readExport(a *cli.Env, name string) (memoryExport, error) {
	var all memoryExport
	doc, err := cli.ReadInput(a, "the records cannot be read", name, maxImport+1)
	switch {
	case err != nil:
		return all, err
	case len(bytes.TrimSpace(doc)) == 0:
		return all, site.Refuse(site.Quote(name)+" is empty", "Name the file that council memory export wrote.")
	case len(doc) > maxImport:
		return all, site.Refuse(name+" is too large to be taken in", fmt.Sprintf("At most %d MiB.", maxImport>>20))
	}
	var version struct{ Format int }
	if err := json.Unmarshal(doc, &version); err == nil && version.Format > exportFormat {
		return all, fmt.Errorf("%w: %s has format %d", chain.ErrNewer, name, version.Format)
	}
	err = council.ReadJSON(doc, &all)
	if err == nil && all.Format < 1 {
		err = errors.New("it says no format")
	}
	if err != nil {
		return all, site.Refuse(site.Quote(name)+" is not what council memory export writes",
			fmt.Sprintf("Nothing was changed: %v.", atomicfile.Explain(err)))
	}
	return all, nil
}

// takeIn puts the records of books that are new or newer than here into memory, unless it is dry, and tells how many
// they were of each. It looks at all books before it changes any. why is kept as evidence.
func takeIn(a *cli.Env, ctx context.Context, w *curator.Curator, books []exportedBook, dry bool, why string,
	tell func(exportedBook, int)) error {
	now := cli.Instant(a)
	changes := make([]memory.Change, len(books))
	for i, b := range books {
		if slices.ContainsFunc(books[:i], func(other exportedBook) bool { return other.Member == b.Member }) {
			return site.Refuse("the book of "+site.Quote(bookOwner(b.Member))+" stands in the file twice",
				"Nothing was changed.")
		}
		var err error
		if changes[i], err = importChange(a, w, b, why, now); err != nil {
			return err
		}
	}
	for i, c := range changes {
		if len(c.Put) > 0 && !dry {
			if err := changeMemory(a, ctx, w, c, now); err != nil {
				return err
			}
		}
		tell(books[i], len(c.Put))
	}
	return nil
}

// importChange returns the change that takes in what a book has beyond the book here. The change can be made.
func importChange(a *cli.Env, w *curator.Curator, b exportedBook, why string, now time.Time) (memory.Change, error) {
	c := memory.Change{By: a.By(), Verb: "import", Member: b.Member}
	here := map[string]memory.Record{}
	for r, err := range w.Store.All(b.Member) {
		if err != nil {
			return c, err
		}
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
				r.Evidence = memory.WithEvidence(r.Evidence, personalEvidence(book, a.By(), c.Verb, why))
			}
			c.Put = append(c.Put, r)
		}
	}
	_, _, err = memory.FoldChange(book, c, now)
	return c, err
}
