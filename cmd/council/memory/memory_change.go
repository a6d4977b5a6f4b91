package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/site"
)

// putRecord makes the change of one record that the command is named after, with the person's word added to its
// evidence, and prints the record. more are put with it.
func putRecord(c *cli.Command, w *curator.Curator, member council.MemberID, why string, r memory.Record,
	more ...memory.Record) error {
	if n := utf8.RuneCountInString(why); n > memories.MaxBecause {
		return site.Refuse(fmt.Sprintf("--because has %d characters, and at most %d are kept", n, memories.MaxBecause),
			"Nothing was changed.")
	}
	b, err := w.Store.Book(member)
	if err != nil {
		return err
	}
	site.CutRecord(&r)
	now, verb, added := c.Instant(), c.Cmd.Name(), r.ID == ""
	if added {
		r.ID = memory.NewID(string(member), now.Format(time.RFC3339Nano), r.Summary)
		r.CreatedAt = now
	}
	r.UpdatedAt = now
	word := memories.PersonalEvidence(b, c.By(), verb, site.CutSecrets(why))
	if added && (r.Kind == memory.KindConstraint || r.Kind == memory.KindPreference) {
		word.SessionID = "" // a person's rule belongs to no session
	}
	r.Evidence = memory.WithEvidence(r.Evidence, word)
	for i := range more {
		more[i].UpdatedAt = now
	}
	err = memories.Change(c.World, c.Ctx, w, memory.Change{By: c.By(), Verb: verb, Member: member, Put: append(more, r)},
		now)
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

func newMemoryAccept(a *cli.Env) *cobra.Command {
	var dry, discard bool
	cmd := memoryVerb(a, &cobra.Command{Use: "accept", Short: "Take in what you changed in the files of memory",
		Long: `
accept takes in what you changed in COUNCIL.md or COUNCIL.json, or in the MEMORY.md or MEMORY.json of a member. It is a
change made by you: the journal keeps what stood before and after. A record that you removed is resolved; nothing is
deleted. Until it is accepted nobody is told the change, and the next session that closes sets the file aside.

In Markdown change the quoted words of a record, its status or its importance, or remove the record; in JSON also its
kind, tags, confidence and expiry. If a file has any other change, its line is named and nothing is taken in.`,
	}, func(c *cli.Command, w *curator.Curator) error {
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
	f := cmd.Flags()
	f.BoolVar(&dry, "dry-run", false, "only show what would be taken in")
	f.BoolVar(&discard, "discard", false, "write the files as they were, and keep the edited ones beside them")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "discard")
	return cmd
}

// acceptEdits makes each edit a change by whoever runs the command.
func acceptEdits(c *cli.Command, w *curator.Curator, edits []store.Edit, dry bool) error {
	if len(edits) == 0 {
		c.Say("No file of memory was edited.")
	}
	for _, e := range edits {
		now := c.Instant()
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
			r.Evidence = memory.WithEvidence(r.Evidence, memories.PersonalEvidence(b, c.By(), verb, ""))
			change.Put, change.Before = append(change.Put, r), append(change.Before, one.Before)
			tellRecord(c.Env, r)
		}
		if dry {
			c.Say("Nothing was changed.")
			continue
		}
		if err := memories.Change(c.World, c.Ctx, w, change, now, e); err != nil {
			return err
		}
	}
	return nil
}

type memoryExport struct {
	Format int                     `json:"format"`
	Books  []memories.ExportedBook `json:"books"`
}

const exportFormat = 1

const maxImport = 256 << 20

func newMemoryExport(a *cli.Env) *cobra.Command {
	return memoryVerb(a, &cobra.Command{Use: "export", Short: "Write every record to standard output, as one JSON file",
		Long: `
export writes all records, those of the archives included, for another workspace or another tool. council memory
import reads it.`,
	}, func(_ *cli.Command, w *curator.Curator) error {
		books, err := w.Store.Books()
		if err != nil {
			return err
		}
		all := memoryExport{Format: exportFormat, Books: []memories.ExportedBook{}}
		var unread []error
		for _, b := range books {
			one := memories.ExportedBook{Member: b.Member, Records: []memories.ExportedRecord{}}
			records, failed := w.Store.All(b.Member)
			unread = append(unread, failed...)
			for _, r := range records {
				one.Records = append(one.Records, memories.ExportedRecord{Faded: b.Err != nil || b.Book.Faded(r), Record: r})
			}
			slices.SortStableFunc(one.Records,
				func(a, b memories.ExportedRecord) int { return a.CreatedAt.Compare(b.CreatedAt) })
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
	cmd := memoryVerb(a, &cobra.Command{Use: "import FILE", Short: "Take in records that were exported elsewhere",
		Long: `
import takes in what council memory export wrote; - is standard input. Each record keeps its status, dates and
evidence, and what had faded stays faded; the rest fades 25 sessions from now. A record that is here already is replaced
only by a newer one. Nothing that is here goes.`,
	}, func(c *cli.Command, w *curator.Curator) error {
		verb := "taken in"
		if dry {
			verb = "to be taken in"
		}
		return memories.Import(a.World, c.Ctx, w, all.Books, dry, "", func(b memories.ExportedBook, n int) {
			a.Say("%s: %s %s, %d as new or newer here.", memories.BookOwner(b.Member), plural.Things(n, "record"), verb,
				len(b.Records)-n)
		})
	})
	cmd.Args = func(cmd *cobra.Command, args []string) (err error) {
		if err = cli.AsUsed(cmd, args); err == nil {
			all, err = readExport(a, args[0])
		}
		return err
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be taken in")
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
