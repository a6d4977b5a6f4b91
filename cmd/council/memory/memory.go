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
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
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
		newMemoryList(a), newMemoryShow(a), newMemoryPrompt(a), newMemoryAdd(a), newMemoryEdit(a), newMemoryAccept(a),
		newMemoryForget(a), newMemoryExport(a), newMemoryImport(a), newMemoryRebuild(a), newMemoryCheck(a))
}

// memoryVerb is verb for a command that does something in memory, which is open.
func memoryVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *curator.Curator) error) *cobra.Command {
	return memoryFolderVerb(a, cmd, func(c *cli.Command, dir string) error {
		w, err := seat.RecoverMemory(a.World, c.Ctx, c.Root, dir)
		if err != nil {
			return err
		}
		if err = do(c, w); errors.Is(err, store.ErrRebuilding) && a.Noticed(err) { // when memory was opened
			_, hint := cli.Explain(err)
			err = cli.TellUnread(a, []error{err}, hint)
		}
		return err
	})
}

// memoryFolderVerb adds a flag that says where memory is, and passes its value.
func memoryFolderVerb(a *cli.Env, cmd *cobra.Command, do func(c *cli.Command, dir string) error) *cobra.Command {
	var dir string
	open := func(_ *cli.Command, folder string, do func(*recorder.Root) error) error {
		if cmd.Name() == "add" || cmd.Name() == "import" { // they begin a record where there is none
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
		Annotations: cli.JSONLines, Long: `
list shows the records in the books of the council and its members, the newest first. --all adds what has left them
for the archives of their years.`,
	}, func(c *cli.Command, w *curator.Curator) error {
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
			books, err := w.Store.Books()
			if err != nil {
				return err
			}
			of := council.Map(books, func(b store.Owned) string { return memories.BookOwner(b.Member) })
			other := func(m string) bool { return len(of) > 0 && !slices.Contains(of, m) }
			if i := slices.IndexFunc(o.Members, other); i >= 0 {
				none = "Nothing is remembered of " + site.Quote(o.Members[i]) + ". " +
					site.DidYouMean(o.Members[i], of, "There are books of: "+strings.Join(of, ", ")+".")
			}
		}
		return cmp.Or(l.Print(none), cli.TellUnread(c.Env, unread, ""))
	})
	f := cmd.Flags()
	f.StringArrayVar(&o.Members, "member", nil, "only this member's book, or council for the council's (repeatable)")
	f.StringArrayVar(&o.Kinds, "kind", nil, "only this kind: "+site.Join(memory.Kinds())+" (repeatable)")
	f.StringArrayVar(&o.Statuses, "status", nil, "only this status: "+site.Join(memory.Statuses())+" (repeatable)")
	f.BoolVar(&o.Archives, "all", false, "also what has moved to the archives")
	return cmd
}

func newMemoryShow(a *cli.Env) *cobra.Command {
	return memoryVerb(a, &cobra.Command{Use: "show RECORD", Short: "Show one record, with what bears it out",
		Annotations: cli.JSON("as JSON")}, func(c *cli.Command, w *curator.Curator) error {
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

// NewRecall returns the command recall.
func NewRecall(a *cli.Env) *cobra.Command {
	var q index.Query
	var since string
	var members []string
	cmd := cli.Verb(a, &cobra.Command{Use: "recall QUERY...", Annotations: cli.JSON("one JSON object a line, best first"),
		Short: "Find what was said, decided and remembered, however long ago",
		Long: `
recall searches every turn, episode and record of all sessions that have closed, and your own notes. All words of the
query are looked for; words in quotation marks stand side by side. Case, accents and English endings do not matter. A
word that no text has finds longer ones that begin with it, and in writing without spaces any part is found.

First come sessions that have all the words in one text, those with the words one after the other before the others,
then the order is by the rank of a session's three best texts. If fewer than three sessions have all, those with some of
the words follow. A decision is found by the question of its session too. A session is shown by one hit, its decision
where that answers; --all-hits shows the others. A record that another has superseded comes after that one, and says so.

These are words from long ago, which nobody has checked since. Nothing found is not an error: the exit code is 0.`,
		Example: `  council recall NATS messaging
  council recall '"exactly once"' --member skeptic --since 90d
  council recall Migration --kind decision --kind constraint`,
	}, func(c *cli.Command) (err error) {
		q.Text = strings.Join(c.Args, " ")
		q.Members = council.Map(members, func(m string) council.MemberID { return council.MemberID(m) })
		if q.Limit < 1 || q.Limit > memories.MaxHits {
			return cli.Usage(c.Cmd, fmt.Errorf("--limit is a number from 1 to %d, not %d", memories.MaxHits, q.Limit))
		}
		if q.Since, err = site.Since("since", since, c.Now()); err != nil {
			return err
		}
		found, err := memories.Recall(c.World, c.Ctx, c.Root, q)
		if err != nil {
			return err
		}
		switch {
		case c.AsJSON:
			for _, h := range found.Hits {
				c.JSON(h)
			}
		case len(found.Hits) == 0:
			_, err = fmt.Fprint(a.Out, nothingFound(found, q))
		default:
			hit := func(h index.Hit) shownHit { return shownHit{h, age(a.Now().Sub(h.At))} }
			cli.SayPage(a, "hits", struct {
				Hits    []shownHit
				Nowhere string
			}{council.Map(found.Hits, hit), nowhereWords(found)})
		}
		return err
	})
	f := cmd.Flags()
	f.IntVar(&q.Limit, "limit", memories.UsualHits, fmt.Sprintf("how many hits to show, at most %d", memories.MaxHits))
	f.BoolVar(&q.AllHits, "all-hits", false, "every hit of a session, not only the one that stands for it")
	f.StringArrayVar(&members, "member", nil, "only what the member with this id said or remembers (repeatable)")
	f.StringArrayVar(&q.Kinds, "kind", nil, "only this kind (repeatable): "+strings.Join(memories.RecallKinds(), ", "))
	f.StringVar(&since, "since", "", "only what was said since a day (2026-11-01, UTC) or within a time (90d, 12h)")
	return cmd
}

// shownHit is a hit as the template "hits" shows it.
type shownHit struct {
	index.Hit
	Age string
}

// Verb returns the command that shows the hit; "" for a note, which is a file.
func (h shownHit) Verb() string {
	return map[index.Kind]string{index.KindTurn: "record turns", index.KindEpisode: "record episodes",
		index.KindRecord: "memory"}[h.Kind]
}

// nothingFound explains an empty result, and suggests another query.
func nothingFound(found index.Found, q index.Query) string {
	if len(found.Asked) == 0 {
		return "There is no word in " + site.Quote(q.Text) + " to look for.\n"
	}
	try := "fewer words, or part of one. Sessions can be recalled once they are closed"
	switch {
	case len(q.Members) > 0:
		try = "it without --member; council members are named by their ids"
	case len(q.Kinds) > 0:
		try = "it without --kind"
	case !q.Since.IsZero():
		try = "it without --since"
	case strings.ContainsRune(q.Text, '"'):
		try = "it without quotation marks"
	}
	return fmt.Sprintf("Nothing was found for %s%s.\nTry %s.\n", site.Quote(q.Text), nowhereWords(found), try)
}

func nowhereWords(found index.Found) string {
	if len(found.Nowhere) == 0 {
		return ""
	}
	return "; nowhere is there " + hostile.Excerpt(strings.Join(found.Nowhere, ", "), 100)
}

func age(d time.Duration) string {
	days := int(d.Hours() / 24)
	switch {
	case days < 0 || d < 0: // a clock was wrong
		return ""
	case days == 0:
		return "within a day"
	case days < 14:
		return plural.Things(days, "day") + " ago"
	case days < 60:
		return plural.Things(days/7, "week") + " ago"
	case days < 730:
		return plural.Things(int(float64(days)/30.44+0.5), "month") + " ago"
	}
	return plural.Things(int(float64(days)/365.25+0.5), "year") + " ago"
}
