package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

type recordFlags struct {
	kind, summary, detail, expires, status string
	tags                                   []string
	importance                             int
	confidence                             float64
}

func (o *recordFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&o.detail, "detail", "", fmt.Sprintf("what else to say, at most %d characters", memory.MaxDetail))
	f.StringArrayVar(&o.tags, "tag", nil, "tag (repeatable)")
	f.IntVar(&o.importance, "importance", 3, "1 to 5; the most important is told first")
	f.Float64Var(&o.confidence, "confidence", 1, "0 to 1: how sure it is")
	f.StringVar(&o.expires, "expires", "",
		"day from which it does not hold any more, such as 2027-01-31; none takes it away")
}

// apply puts the flags that were given into a record.
func (o *recordFlags) apply(f *pflag.FlagSet, r *memory.Record) error {
	if f.Changed("kind") {
		if err := site.KnownWord("kind", o.kind, memory.Kinds()); err != nil {
			return err
		}
		r.Kind = memory.Kind(o.kind)
	}
	for name, put := range map[string]func(){
		"summary":    func() { r.Summary = hostile.Line(o.summary) },
		"detail":     func() { r.Detail = hostile.Line(o.detail) },
		"tag":        func() { r.Tags = slices.Compact(slices.Sorted(slices.Values(o.tags))) },
		"importance": func() { r.Importance = o.importance },
		"confidence": func() { r.Confidence = o.confidence },
		"expires":    func() { r.ExpiresAt = nil },
	} {
		if f.Changed(name) {
			put()
		}
	}
	if !f.Changed("expires") || o.expires == "none" {
		return nil
	}
	t, err := time.Parse(time.DateOnly, o.expires)
	if err != nil {
		return site.Refuse("--expires is a day such as 2027-01-31, not "+site.Quote(o.expires), "Nothing was changed.")
	}
	r.ExpiresAt = &t
	return nil
}

func newMemoryAdd(a *cli.Env) *cobra.Command {
	var o recordFlags
	var member string
	cmd := memoryVerb(a, &cobra.Command{Use: "add SUMMARY", Short: "Add a record in your own words",
		Long: `
add puts a record into the council's book, or into a member's with --member. Members are told it like any other, until
it has faded: 25 sessions later, unless it is borne out or edited again.`,
		Example: `  council memory add "All data stays in the EU." --kind constraint --importance 5`,
	}, func(c *cli.Command, w *curator.Curator) error {
		if err := memories.KnownMember(a.World, w, memories.BookOf(member)); err != nil {
			return err
		}
		r := memory.Record{Kind: memory.KindPreference, Status: memory.StatusActive, Summary: hostile.Line(c.Args[0]),
			Tags: []string{}, Confidence: o.confidence, Importance: o.importance, Supersedes: []string{}}
		if err := o.apply(c.Cmd.Flags(), &r); err != nil {
			return err
		}
		if r.HasExpired(a.Now()) {
			return site.Refuse("--expires "+o.expires+" is over already", "Nothing was changed.")
		}
		r, err := memories.Put(a.World, c.Ctx, w, "add", memories.BookOf(member), "", r)
		return tellRecord(a, r, err)
	})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := cli.AsUsed(cmd, args)
		if err == nil && hostile.Line(args[0]) == "" {
			err = site.Refuse("the summary is empty", "Say in one line what is to be remembered.")
		}
		return err
	}
	f := cmd.Flags()
	o.flags(f)
	f.StringVar(&o.kind, "kind", string(memory.KindPreference), "kind: "+site.Join(memory.Kinds()))
	f.StringVar(&member, "member", "", "whose book (default: the council's)")
	return cmd
}

func newMemoryEdit(a *cli.Env) *cobra.Command {
	var o recordFlags
	var resolve bool
	var supersede, by, because string
	cmd := memoryVerb(a, &cobra.Command{Use: "edit RECORD", SuggestFor: []string{"resolve", "supersede"},
		Short: "Change a record, resolve it, or put another in its place",
		Long: `
edit changes the parts of a record that are given as flags. Your word counts as evidence of today, so a record that has
faded is told again.

With --resolve a record needs no more attention, such as an open matter that is settled. With --supersede a new record
takes its place, with --by another that there is. The old one is kept, and members are no longer told it.`,
		Example: `  council memory edit r-4k2m --summary "We use NATS for events, and nothing else." --importance 5
  council memory edit r-9qx7 --status active
  council memory edit r-9qx7 --resolve --because "The licence was paid."
  council memory edit r-4k2m --supersede "From March on events go over NATS JetStream."
  council memory edit r-4k2m --by r-9qx7`,
	}, func(c *cli.Command, w *curator.Curator) error {
		held, err := memories.Held(w, c.Args[0])
		if err != nil {
			return err
		}
		given := false
		c.Cmd.Flags().Visit(func(f *pflag.Flag) {
			given = given || !slices.Contains([]string{"root", "memory", "because"}, f.Name)
		})
		if !given {
			return site.Refuse("nothing was given to change", "Name it: council memory edit --help lists the flags.")
		}
		var r memory.Record
		switch {
		case resolve:
			r, err = memories.Resolve(a.World, c.Ctx, w, held, because)
		case supersede != "" || by != "":
			r, err = memories.Supersede(a.World, c.Ctx, w, held, supersede, by, because)
		default:
			r, err = memories.Edit(a.World, c.Ctx, w, held, o.status, because,
				func(r *memory.Record) error { return o.apply(c.Cmd.Flags(), r) })
		}
		return tellRecord(c.Env, r, err)
	})
	f := cmd.Flags()
	o.flags(f)
	f.StringVar(&o.summary, "summary", "",
		fmt.Sprintf("what it says, on one line, at most %d characters", memory.MaxSummary))
	f.StringVar(&o.kind, "kind", "", "kind: "+site.Join(memory.Kinds()))
	f.StringVar(&o.status, "status", "", "status: "+site.Join(memory.Statuses()))
	f.BoolVar(&resolve, "resolve", false, "it is settled, and needs no more attention")
	f.StringVar(&supersede, "supersede", "", "summary of a new record that takes its place")
	f.StringVar(&by, "by", "", "id of the record that takes its place")
	f.StringVar(&because, "because", "", "why, to be kept with it")
	cmd.MarkFlagsMutuallyExclusive("resolve", "supersede", "by", "status")
	for _, part := range []string{"summary", "kind", "detail", "tag", "importance", "confidence", "expires"} {
		cmd.MarkFlagsMutuallyExclusive(part, "resolve")
		cmd.MarkFlagsMutuallyExclusive(part, "supersede")
		cmd.MarkFlagsMutuallyExclusive(part, "by")
	}
	return cmd
}

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
			a.NoticeReport(report)
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

const exportFormat, maxImport = 1, 256 << 20

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
