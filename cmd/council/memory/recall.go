package memory

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/site"
)

// NewRecall returns the command recall.
func NewRecall(a *cli.Env) *cobra.Command {
	var q index.Query
	var since string
	var members []string
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
	}, func(c *cli.Command) (err error) {
		q.Text = strings.Join(c.Args, " ")
		for _, m := range members {
			q.Members = append(q.Members, council.MemberID(m))
		}
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
		if !c.AsJSON {
			return printHits(c.Env, found, q)
		}
		for _, h := range found.Hits {
			c.JSON(h)
		}
		return nil
	})
	cmd.Flags().Bool("json", false, "one JSON object a line, best first")
	f := cmd.Flags()
	f.IntVar(&q.Limit, "limit", memories.UsualHits,
		fmt.Sprintf("how many hits to show, at most %d", memories.MaxHits))
	f.BoolVar(&q.AllHits, "all-hits", false, "every hit of a session, not only the one that stands for it")
	f.StringArrayVar(&members, "member", nil, "only what the member with this id said or remembers (repeatable)")
	f.StringArrayVar(&q.Kinds, "kind", nil, "only this kind (repeatable): "+strings.Join(memories.RecallKinds(), ", "))
	f.StringVar(&since, "since", "", "only what was said since a day (2026-11-01, UTC) or within a time (90d, 12h)")
	return cmd
}

func printHits(a *cli.Env, found index.Found, q index.Query) error {
	if len(found.Hits) == 0 {
		_, err := fmt.Fprint(a.Out, nothingFound(found, q))
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
