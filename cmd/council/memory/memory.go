// Package memory has the verbs that read and change memory.
package memory

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewMemory returns the command memory.
func NewMemory(a *cli.Env) *cobra.Command {
	return cli.NewGroup(&cobra.Command{Use: "memory", Short: "Show and correct what the council remembers",
		Long: `
memory shows what a council and its members keep of closed sessions, and corrects it. What members are told of it
fades after 25 sessions; nothing is deleted but by forget.

A record is named by its id, such as r-4k2m9qx7w3ab, or by a beginning that only it has.`,
		Example: `  council memory list --kind decision
  council memory prompt skeptic
  council memory edit r-4k2m --summary "We use NATS for events, and nothing else."
  council memory edit r-9qx7 --resolve --because "The runbook was written in May."`,
	},
		newMemoryList(a), newMemoryShow(a), newMemoryPrompt(a), newMemoryAdd(a), newMemoryEdit(a),
		newMemoryAccept(a), newMemoryForget(a),
		newMemoryExport(a), newMemoryImport(a), newMemoryRebuild(a), newMemoryCheck(a))
}

// begetting are the commands that begin a record where there is none.
var begetting = []string{"add", "import"}

// memoryVerb is verb for a command that does something in memory, which is open.
func memoryVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *curator.Curator) error) *cobra.Command {
	return memoryFolderVerb(a, cmd, func(c *cli.Command, dir string) error {
		w, err := seat.RecoverMemory(a.World, c.Ctx, c.Root, dir)
		if err != nil {
			return err
		}
		return do(c, w)
	})
}

// memoryFolderVerb adds a flag that says where memory is, and passes its value.
func memoryFolderVerb(a *cli.Env, cmd *cobra.Command, do func(c *cli.Command, dir string) error) *cobra.Command {
	var dir string
	begets := slices.Contains(begetting, cmd.Name())
	open := func(folder string, do func(*recorder.Root) error) error {
		if begets {
			return a.InNewRecord(folder, do)
		}
		if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
			return site.Refuse("there is no folder "+site.Quote(dir),
				"Nothing is remembered there. --memory names the folder of memory.")
		}
		return a.InRecord(folder, do)
	}
	cmd.Flags().StringVar(&dir, "memory", "",
		"folder of memory (default: what the configuration says, else memory in the folder of the record)")
	return cli.VerbIn(a, cmd, open, func(c *cli.Command) error { return do(c, dir) })
}

func newMemoryList(a *cli.Env) *cobra.Command {
	var o memories.Filter
	cmd := memoryVerb(a, &cobra.Command{Use: "list", Short: "List records, the newest first",
		Long: `
list shows the records in the books of the council and its members, the newest first. --all adds what has left them
for the archives of their years.`,
	}, func(c *cli.Command, w *curator.Curator) error {
		return listMemory(c, w, o)
	})
	cmd.Flags().Bool("json", false, "one JSON object a line")
	f := cmd.Flags()
	f.StringArrayVar(&o.Members, "member", nil, "only this member's book, or council for the council's (repeatable)")
	f.StringArrayVar(&o.Kinds, "kind", nil, "only this kind: "+site.Join(memory.Kinds())+" (repeatable)")
	f.StringArrayVar(&o.Statuses, "status", nil, "only this status: "+site.Join(memory.Statuses())+" (repeatable)")
	f.BoolVar(&o.Archives, "all", false, "also what has moved to the archives")
	return cmd
}

func listMemory(c *cli.Command, w *curator.Curator, o memories.Filter) error {
	records, unread, err := memories.List(w, o)
	if err != nil {
		return err
	}
	l := cli.NewList(c.Env, c.AsJSON, "RECORD", "OF", "KIND", "STATUS", "DATE", "SUMMARY")
	for _, r := range records {
		l.Add(r, r.ID, memories.BookOwner(r.Member), r.Kind.Words(), r.Standing(), cli.Day(r.UpdatedAt),
			hostile.Excerpt(r.Told(), 90))
	}
	none := "Nothing is remembered that fits. Memory grows when sessions close."
	if len(records) == 0 && !c.AsJSON {
		if none, err = nothing(w, o.Members, none); err != nil {
			return err
		}
	}
	return cmp.Or(l.Print(none), cli.TellUnread(c.Env, unread, ""))
}

// nothing explains an empty list, and lists the books for a member that has none.
func nothing(w *curator.Curator, members []string, usual string) (string, error) {
	books, err := w.Store.Books()
	var of []string
	for _, b := range books {
		of = append(of, memories.BookOwner(b.Member))
	}
	for _, m := range members {
		if len(of) > 0 && !slices.Contains(of, m) {
			return "Nothing is remembered of " + site.Quote(m) + ". " +
				site.DidYouMean(m, of, "There are books of: "+strings.Join(of, ", ")+"."), err
		}
	}
	return usual, err
}

func newMemoryShow(a *cli.Env) *cobra.Command {
	cmd := memoryVerb(a, &cobra.Command{Use: "show RECORD", Short: "Show one record, with what bears it out"},
		func(c *cli.Command, w *curator.Curator) error {
			held, err := w.Store.Record(c.Args[0])
			if held.ID == "" {
				return err
			}
			one := memories.Shown{Member: held.Member, Year: held.Year, Record: held.Record}
			if b, err := w.Store.Book(held.Member); err == nil {
				one.Faded = b.Faded(held.Record)
			}
			c.Show(one, func() { cli.SayPage(a, "record", one) })
			return cli.TellUnread(a, cli.Unjoin(err), "")
		})
	cmd.Flags().Bool("json", false, "as JSON")
	return cmd
}

func newMemoryPrompt(a *cli.Env) *cobra.Command {
	var o memories.Preview
	cmd := memoryVerb(a,
		&cobra.Command{Use: "prompt MEMBER", Short: "Show what a member would be reminded of now, and what not",
			Long: `
prompt prints what a member would be told of memory if a council were convened now, in the very words, and lists what it
would not be told and why: it has faded, is settled, or found no room. council in the place of MEMBER shows what all are
told. What rehearsals left is told to rehearsals only: --rehearsal shows what those would be told.

What a session is told depends on its topic: --topic shows it for one. Without it nothing is left out as off topic.
--why says of each record that is told why it was chosen.`,
		}, func(c *cli.Command, w *curator.Curator) error {
			o := o
			if o.Of = c.Args[0]; c.Cmd.Flags().Changed("root") {
				o.Charter.Root = c.Root.Path()
			}
			text, unread, err := o.Text(a.World, w)
			if err != nil {
				return err
			}
			fmt.Fprint(a.Out, text)
			return cli.TellUnread(a, unread, "")
		})
	f := cmd.Flags()
	cli.CharterFlags(f, &o.Charter, "config", "council")
	f.BoolVar(&o.Rehearsal, "rehearsal", false, "show what a rehearsal would be told")
	f.StringVar(&o.Topic, "topic", "", "show what a session on this topic would be told")
	f.BoolVar(&o.Why, "why", false, "say why each record that is told was chosen")
	return cmd
}
