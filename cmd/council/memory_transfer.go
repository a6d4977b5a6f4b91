package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/workspace"
	"github.com/council-engine/council/recorder/chain"
)

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

func (a *app) newMemoryExport() *cobra.Command {
	return a.memoryVerb(&cobra.Command{
		Use:   "export",
		Short: "Write every record to standard output, as one JSON file",
		Long: "export writes all records, those of the archives included, for another workspace or another tool. council " +
			"memory\nimport reads it.",
		Args: cli.NoArgs,
	}, "", func(_ *command, w *workspace.Workspace) error {
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
		return errors.Join(err, a.tellUnread(unread, ""))
	})
}

func (a *app) newMemoryImport() *cobra.Command {
	var dry bool
	var all memoryExport
	cmd := a.memoryVerb(&cobra.Command{
		Use:   "import FILE",
		Short: "Take in records that were exported elsewhere",
		Long: `import takes in what council memory export wrote; - is standard input. Each record keeps its status, dates and
evidence, and what had faded stays faded; the rest fades 25 sessions from now. A record that is here already is replaced
only by a newer one. Nothing that is here goes.`,
		Args: func(cmd *cobra.Command, args []string) (err error) {
			if err = cli.One("a file")(cmd, args); err == nil {
				all, err = a.readExport(args[0])
			}
			return err
		},
	}, "", func(c *command, w *workspace.Workspace) error {
		verb := "taken in"
		if dry {
			verb = "to be taken in"
		}
		return a.takeIn(c.ctx, w, all.Books, dry, "", func(b exportedBook, n int) {
			a.Say("%s: %s %s, %d as new or newer here.", bookOwner(b.Member), plural.Things(n, "record"), verb,
				len(b.Records)-n)
		})
	})
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be taken in")
	return cmd
}

func (a *app) readExport(name string) (memoryExport, error) {
	var all memoryExport
	doc, err := a.readInput("the records cannot be read", name, maxImport+1)
	switch {
	case err != nil:
		return all, err
	case len(bytes.TrimSpace(doc)) == 0:
		return all, cli.Refuse(cli.Quote(name)+" is empty", "Name the file that council memory export wrote.")
	case len(doc) > maxImport:
		return all, cli.Refuse(name+" is too large to be taken in", fmt.Sprintf("At most %d MiB.", maxImport>>20))
	}
	var version struct{ Format int }
	if err := json.Unmarshal(doc, &version); err == nil && version.Format > exportFormat {
		return all, fmt.Errorf("%w: %s has format %d", chain.ErrNewer, name, version.Format)
	}
	strict := json.NewDecoder(bytes.NewReader(doc))
	strict.DisallowUnknownFields()
	err = strict.Decode(&all)
	if err == nil && strict.More() {
		err = errors.New("something follows its end")
	}
	if err == nil && all.Format < 1 {
		err = errors.New("it says no format")
	}
	if err != nil {
		return all, cli.Refuse(cli.Quote(name)+" is not what council memory export writes",
			fmt.Sprintf("Nothing was changed: %v.", atomicfile.Explain(err)))
	}
	return all, nil
}

// takeIn puts the records of books that are new or newer than here into memory, unless it is dry, and tells how many
// they were of each. It looks at all books before it changes any. why is kept as evidence.
func (a *app) takeIn(ctx context.Context, w *workspace.Workspace, books []exportedBook, dry bool, why string,
	tell func(exportedBook, int)) error {
	now := a.instant()
	changes := make([]memory.Change, len(books))
	for i, b := range books {
		if slices.ContainsFunc(books[:i], func(other exportedBook) bool { return other.Member == b.Member }) {
			return cli.Refuse("the book of "+cli.Quote(bookOwner(b.Member))+" stands in the file twice", "Nothing was changed.")
		}
		var err error
		if changes[i], err = a.importChange(w, b, why, now); err != nil {
			return err
		}
	}
	for i, c := range changes {
		if len(c.Put) > 0 && !dry {
			if err := a.changeMemory(ctx, w, c, now); err != nil {
				return err
			}
		}
		tell(books[i], len(c.Put))
	}
	return nil
}

// importChange returns the change that takes in what a book has beyond the book here. The change can be made.
func (a *app) importChange(w *workspace.Workspace, b exportedBook, why string, now time.Time) (memory.Change, error) {
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
			cutRecord(&r)
			if !one.Faded { // or it would have faded here, where its sessions are unknown
				r.Evidence = memory.WithEvidence(r.Evidence, personalEvidence(book, a.By(), c.Verb, why))
			}
			c.Put = append(c.Put, r)
		}
	}
	_, _, err = memory.FoldChange(book, c, now)
	return c, err
}
