package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

const maxHits = 200

type recallOptions struct {
	query, since   string
	members, kinds []string
	limit          int
	all            bool
}

// NewRecall returns the command. open opens the index of the record.
func NewRecall(a *cli.Env, open func(*cli.Command) (*index.Index, error)) *cobra.Command {
	var o recallOptions
	cmd := cli.Verb(a, &cobra.Command{Use: "recall QUERY...",
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
	}, func(c *cli.Command) error {
		o.query = strings.Join(c.Args, " ")
		return recall(c, o, open)
	})
	cmd.Flags().Bool("json", false, "one JSON object a line, best first")
	f := cmd.Flags()
	f.IntVar(&o.limit, "limit", 10, fmt.Sprintf("how many hits to show, at most %d", maxHits))
	f.BoolVar(&o.all, "all-hits", false, "every hit of a session, not only the one that stands for it")
	f.StringArrayVar(&o.members, "member", nil, "only what the member with this id said or remembers (repeatable)")
	f.StringArrayVar(&o.kinds, "kind", nil, "only this kind (repeatable): "+strings.Join(recallKinds(), ", "))
	f.StringVar(&o.since, "since", "", "only what was said since a day (2026-11-01, UTC) or within a time (90d, 12h)")
	return cmd
}

// recallKinds lists what --kind takes: kinds of documents, of records and of turns.
func recallKinds() []string {
	all := site.Join(index.Kinds()) + ", " + site.Join(memory.Kinds()) + ", " + site.Join(chronicle.Kinds())
	return strings.Split(all, ", ")
}

func recall(c *cli.Command, o recallOptions, open func(*cli.Command) (*index.Index, error)) error {
	if o.limit < 1 || o.limit > maxHits {
		return cli.Usage(c.Cmd, fmt.Errorf("--limit is a number from 1 to %d, not %d", maxHits, o.limit))
	}
	for _, kind := range o.kinds {
		if err := site.KnownWord("kind", kind, recallKinds()); err != nil {
			return err
		}
	}
	q := index.Query{Text: o.query, Limit: o.limit, Kinds: o.kinds, AllHits: o.all}
	for _, m := range o.members {
		q.Members = append(q.Members, council.MemberID(m))
	}
	var err error
	if q.Since, err = cli.SinceTime("since", o.since, c.Now()); err != nil {
		return err
	}
	ix, err := open(c)
	if err != nil {
		return err
	}
	found, err := ix.Search(c.Ctx, q)
	if err = errors.Join(err, ix.Close()); err == nil {
		err = recallNotes(c.Env, c.Ctx, c.Root.Path(), q, &found)
	}
	if err != nil {
		return err
	}
	if !c.Json {
		return printHits(c.Env, found, o)
	}
	for _, h := range found.Hits {
		c.JSON(h)
	}
	return nil
}

func printHits(a *cli.Env, found index.Found, o recallOptions) error {
	if len(found.Hits) == 0 {
		_, err := fmt.Fprint(a.Out, nothingFound(found, o))
		return err
	}
	page := struct {
		Hits    []shownHit
		Nowhere string
	}{Nowhere: nowhereWords(found)}
	for _, h := range found.Hits {
		page.Hits = append(page.Hits, shownHit{h, age(a.Now().Sub(h.At))})
	}
	cli.SayPage(a, "hits", page)
	return nil
}

// shownHit is a hit as the template "hits" shows it.
type shownHit struct {
	index.Hit
	Age string
}

// Verb returns the command that shows what was found; "" for a note, which is a file.
func (h shownHit) Verb() string {
	return map[index.Kind]string{index.KindTurn: "turns", index.KindEpisode: "episodes",
		index.KindRecord: "memory"}[h.Kind]
}

// nothingFound explains that nothing was found, and what to try.
func nothingFound(found index.Found, o recallOptions) string {
	if len(found.Asked) == 0 {
		return "There is no word in " + site.Quote(o.query) + " to look for.\n"
	}
	try := "fewer words, or part of one. Sessions can be recalled once they are closed"
	switch {
	case len(o.members) > 0:
		try = "it without --member; council members are named by their ids"
	case len(o.kinds) > 0:
		try = "it without --kind"
	case o.since != "":
		try = "it without --since"
	case strings.ContainsRune(o.query, '"'):
		try = "it without quotation marks"
	}
	return fmt.Sprintf("Nothing was found for %s%s.\nTry %s.\n", site.Quote(o.query), nowhereWords(found), try)
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

// recallNotes adds to what was found the notes of a person that a query finds: where they have all words, before what
// has only some. They are read as they are now, and indexed for this search alone, because they change without council.
func recallNotes(a *cli.Env, ctx context.Context, root string, q index.Query, found *index.Found) error {
	dir, err := seat.MemoryDir(a.World, root, "")
	if err != nil {
		return err
	}
	notes, _, err := documents.Notes(ctx, dir)
	if err != nil || len(notes) == 0 {
		return err
	}
	var docs []index.Doc
	for _, n := range notes {
		id := filepath.Base(n.Name)
		if folder := filepath.Base(filepath.Dir(n.Name)); folder == "items" || folder == "daily" && id != "MEMORY.md" {
			id = folder + "/" + id
		}
		d := index.Doc{ID: id, Kind: index.KindNote, Name: n.Name, Text: site.CutSecrets(n.Text)}
		if info, err := os.Stat(n.Name); err == nil {
			d.At = info.ModTime()
		}
		if day, err := time.Parse("2006-01-02.md", filepath.Base(n.Name)); err == nil {
			d.At = day
		}
		docs = append(docs, d)
	}
	ix, err := index.OpenCopy(ctx, "")
	if err != nil {
		return err
	}
	err = ix.Put(ctx, docs...)
	var own index.Found
	if err == nil {
		own, err = ix.Search(ctx, q)
	}
	if err = errors.Join(err, ix.Close()); err != nil {
		return err
	}
	if len(found.Asked) == 0 {
		found.Asked = own.Asked
	}
	found.Nowhere = slices.DeleteFunc(found.Nowhere, func(word string) bool { return !slices.Contains(own.Nowhere, word) })
	found.Hits = append(found.Hits, own.Hits...)
	slices.SortStableFunc(found.Hits, func(a, b index.Hit) int {
		partly := map[bool]int{true: 1}
		return partly[a.Match == index.MatchSome] - partly[b.Match == index.MatchSome]
	})
	found.Hits = found.Hits[:min(len(found.Hits), q.Limit)]
	return nil
}
