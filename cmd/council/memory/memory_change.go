package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/site"
)

// tellRecord prints a record that was changed, unless that failed.
func tellRecord(a *cli.Env, r memory.Record, err error) error {
	if err == nil {
		a.Say("%s", cli.RecordLine(r))
	}
	return err
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
			a.Notices().Report(report)
			return err
		}
		edited := false
		err := memories.Accept(c.World, c.Ctx, w, dry, func(records []memory.Record) {
			edited = true
			for _, r := range records {
				a.Say("%s", cli.RecordLine(r))
			}
			if dry {
				a.Say("Nothing was changed.")
			}
		})
		if err == nil && !edited {
			a.Say("No file of memory was edited.")
		}
		return err
	})
	f := cmd.Flags()
	f.BoolVar(&dry, "dry-run", false, "only show what would be taken in")
	f.BoolVar(&discard, "discard", false, "write the files as they were, and keep the edited ones beside them")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "discard")
	return cmd
}

type memoryExport struct {
	Format int                     `json:"format"`
	Books  []memories.ExportedBook `json:"books"`
}

const exportFormat = 1

const maxImport = 256 << 20

func newMemoryExport(a *cli.Env) *cobra.Command {
	return memoryFolderVerb(a, &cobra.Command{Use: "export",
		Short: "Write every record to standard output, as one JSON file", Long: `
export writes all records, those of the archives included, for another workspace or another tool. council memory
import reads it.`,
	}, func(c *cli.Command, dir string) error {
		books, unread, err := c.Workspace.ExportMemory(c.Ctx, dir)
		if err != nil {
			return err
		}
		doc, err := json.MarshalIndent(memoryExport{Format: exportFormat, Books: books}, "", "  ")
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
	cmd := memoryFolderVerb(a, &cobra.Command{Use: "import FILE", Short: "Take in records that were exported elsewhere",
		Long: `
import takes in what council memory export wrote; - is standard input. Each record keeps its status, dates and
evidence, and what had faded stays faded; the rest fades 25 sessions from now. A record that is here already is replaced
only by a newer one. Nothing that is here goes.`,
	}, func(c *cli.Command, dir string) error {
		verb := "taken in"
		if dry {
			verb = "to be taken in"
		}
		return c.Workspace.ImportMemory(c.Ctx, dir, all.Books, dry, func(b memories.ExportedBook, n int) {
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
