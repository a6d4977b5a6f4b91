package record

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/site"
)

// NewRuns returns the command runs.
func NewRuns(a *cli.Env) *cobra.Command {
	list := historyVerb(a, &cobra.Command{Use: "list", Short: "List the runs, newest first", Annotations: cli.JSONLines},
		func(c *cli.Command, ix *index.Index) error {
			most, err := c.Limit()
			if err != nil {
				return err
			}
			runs, all, err := reading.Runs(c.Ctx, c.Root, ix, "", most)
			if err != nil {
				return err
			}
			l := listRuns(c, runs)
			err = l.Print("No run is recorded here yet.")
			l.Rest(all-len(runs), "run", site.CommandLine(c.Root, "council record runs list --limit 0"))
			return err
		})
	cli.LimitFlag(list.Flags())
	show := historyVerb(a, &cobra.Command{Use: "show [SESSION]", Annotations: cli.JSONLines,
		Short: "Show the runs of a session, the latest unless one is named"}, func(c *cli.Command, ix *index.Index) error {
		id, err := c.Root.Find(cli.NameOf(c.Args))
		if err != nil {
			return err
		}
		runs, _, err := reading.Runs(c.Ctx, c.Root, ix, id, 0)
		if err == nil {
			err = listRuns(c, runs).Print(fmt.Sprintf("No run of session %s is recorded.", id))
		}
		if err != nil || c.AsJSON {
			return err
		}
		used, err := ix.Usage(c.Ctx, "member", time.Time{}, id)
		if err != nil || len(used) == 0 {
			return err
		}
		c.Say("")
		return tableOfUse(c.Env, "member", used)
	})
	return cli.NewGroup(&cobra.Command{Use: "runs", Short: "Tell when who worked on which session, and how that ended",
		Long: `
A run begins when a command begins to work on a session, and ends when the session is closed or suspended or the
command fails. One that has no end, and whose process is gone, was interrupted: council resume goes on.`,
	}, list, show)
}

// historyVerb is [cli.Verb] for a command that reads the database. After do it prints which files could not be read.
func historyVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *index.Index) error) *cobra.Command {
	return cli.Verb(a, cmd, func(c *cli.Command) error {
		unread, err := reading.WithHistory(c.Ctx, c.Root, func(ix *index.Index) error { return do(c, ix) })
		if err != nil {
			return err
		}
		return cli.TellUnread(a, unread, "What it holds is not counted.")
	})
}

func listRuns(c *cli.Command, runs []index.Run) *cli.Listing {
	l := cli.NewList(c.Env, c.AsJSON, "SESSION", "RUN", "COMMAND", "STARTED", "TOOK", "STATUS")
	for _, run := range runs {
		started, took, status := run.Started, "-", run.Status
		if from, err := time.Parse(time.RFC3339Nano, run.Started); err == nil {
			started = from.Format(time.DateTime)
			if to, err := time.Parse(time.RFC3339Nano, run.Ended); err == nil {
				took = to.Sub(from).Round(100 * time.Millisecond).String()
			}
		}
		if run.Error != "" {
			status += " (" + run.Error + ")"
		}
		l.Add(run, run.Session, run.Attempt, run.Command, started, took, hostile.Excerpt(status, 80))
	}
	return l
}

// NewUsage returns the command usage.
func NewUsage(a *cli.Env) *cobra.Command {
	var by, since string
	var asCSV bool
	cmd := historyVerb(a, &cobra.Command{Use: "usage", Short: "Add up what calls of models took",
		Annotations: cli.JSONLines, Long: `
usage adds up every call that stands in the conversations of the sessions, those too whose answers came too late to
count. A sum of which a part is not known is a lower bound (≥). Costs are those by the prices that were settled when a
session opened, unless the provider said what it billed; docs/costs.md says how to tell council a price.`,
	}, func(c *cli.Command, ix *index.Index) error {
		from, err := reading.CheckUsage(by, since, a.Now())
		if err != nil {
			return err
		}
		used, err := ix.Usage(c.Ctx, by, from)
		switch {
		case err != nil:
			return err
		case asCSV, c.AsJSON:
			return tellUse(a, by, used, asCSV)
		case len(used) == 0:
			a.Say("No call of a model is recorded%s.", map[bool]string{true: " since then"}[since != ""])
			return nil
		}
		all, err := ix.Usage(c.Ctx, "", from)
		if err != nil {
			return err
		}
		all[0].Key = "all"
		if err := tableOfUse(a, by, append(used, all...)); err != nil {
			return err
		}
		prices, err := ix.Prices(c.Ctx, from)
		tellPrices(a, all[0], prices)
		return err
	})
	f := cmd.Flags()
	f.StringVar(&by, "by", "model", "what to add up by: "+strings.Join(index.Groups(), ", "))
	f.StringVar(&since, "since", "", "only calls since a day (2026-11-01, UTC) or within a time (7d, 12h)")
	f.BoolVar(&asCSV, "csv", false, "a table for a spreadsheet")
	cmd.MarkFlagsMutuallyExclusive("csv", "json")
	return cmd
}

func tableOfUse(a *cli.Env, by string, used []index.Used) error {
	rows := [][]any{{strings.ToUpper(by), "CALLS", "FAILED", "NEW", "CACHED", "TO CACHE", "OUTPUT", "REASONING", "COST"}}
	for _, u := range used {
		v := u.Usage
		row := []any{hostile.Excerpt(u.Key, 60), atLeast(plural.Thousands(v.Calls), v.Calls == 0, u.Cut > 0), u.Failed}
		cached := len(row) + 1
		for _, n := range []int64{v.InputTokens, v.CachedTokens, v.CacheWriteTokens, v.OutputTokens, v.ReasoningTokens} {
			row = append(row, atLeast(plural.Thousands(n), n == 0, u.Unmeasured > 0))
		}
		if all := v.PromptTokens(); all > 0 {
			row[cached] = fmt.Sprintf("%v (%.0f %%)", row[cached], 100*float64(v.CachedTokens)/float64(all))
		}
		rows = append(rows, append(row, atLeast(u.Cost.String(), u.Cost == 0, u.Unpriced > 0)))
	}
	return a.Table(rows...)
}

// atLeast returns a sum in words for people. A lower bound says that it is one.
func atLeast(words string, zero, bound bool) string {
	switch {
	case bound && zero:
		return "unknown"
	case bound:
		return "≥ " + words
	}
	return words
}

// tellPrices prints the prices of the costs, and the calls that are missing from the sums.
func tellPrices(a *cli.Env, all index.Used, prices []index.Priced) {
	prices = slices.DeleteFunc(prices, func(p index.Priced) bool { return p.Price == index.Free })
	for i, p := range prices {
		if i == 0 {
			fmt.Fprintln(a.Out)
		}
		if p.Price == "" {
			a.Say("%s: %s of which the cost is not known", p.Model, plural.Things(p.Calls, "call"))
		} else {
			a.Say("%s: priced %s", p.Model, p.Price)
		}
	}
	if all.Cut > 0 {
		a.Say("%s without an answer, which may have been billed.", plural.Things(all.Cut, "question"))
	}
}

// usedColumns are the columns of usage for programs. Tokens and cost are lower bounds unless known, and may be null.
var usedColumns = []string{"calls", "failed", "cutOff", "inputTokens", "cachedTokens", "cachedShare",
	"cacheWriteTokens", "outputTokens", "reasoningTokens", "tokensKnown", "costUsd", "costKnown"}

// columnsOf returns the values of usedColumns. The share is of the tokens of prompts; null where none are counted.
func columnsOf(u index.Used) []any {
	v := u.Usage
	var share, cost any
	if all := v.PromptTokens(); all > 0 {
		share = float64(v.CachedTokens) / float64(all)
	}
	if u.Unpriced == 0 || u.Cost != 0 {
		cost = u.Cost
	}
	return []any{v.Calls, u.Failed, u.Cut, v.InputTokens, v.CachedTokens, share, v.CacheWriteTokens, v.OutputTokens,
		v.ReasoningTokens, u.Unmeasured == 0, cost, u.Unpriced == 0}
}

// tellUse prints usage for programs: as CSV, or a JSON object a line.
func tellUse(a *cli.Env, by string, used []index.Used, asCSV bool) error {
	rows := [][]string{append([]string{by}, usedColumns...)}
	for _, u := range used {
		key := hostile.Line(u.Key)
		if strings.ContainsAny(key[:min(1, len(key))], "=+-@") { // a spreadsheet would compute it
			key = "'" + key
		}
		row, object := []string{key}, map[string]any{"by": by, "key": u.Key}
		for i, value := range columnsOf(u) {
			text, err := json.Marshal(value)
			if err != nil {
				return err
			}
			object[usedColumns[i]] = json.RawMessage(text)
			row = append(row, strings.TrimPrefix(string(text), "null"))
		}
		if rows = append(rows, row); !asCSV {
			a.JSON(object)
		}
	}
	if !asCSV {
		return nil
	}
	return csv.NewWriter(a.Out).WriteAll(rows)
}

// NewEpisodes returns the command episodes.
func NewEpisodes(a *cli.Env) *cobra.Command {
	show := cli.Verb(a, &cobra.Command{Use: "show [SESSION]", Annotations: cli.JSON("the episode as its file has it"),
		Short: "Show the episode of a closed session, the latest unless one is named"}, func(c *cli.Command) error {
		e, err := reading.Episode(c.Root, cli.NameOf(c.Args))
		if err == nil {
			c.Show(e, func() { cli.SayPage(a, "episode", e) })
		}
		return err
	})
	list := cli.Verb(a, &cobra.Command{Use: "list", Short: "List the episodes, newest first",
		Annotations: cli.JSON("one episode a line, as its file has it")}, func(c *cli.Command) error {
		most, err := c.Limit()
		if err != nil {
			return err
		}
		var unread []error
		n := 0
		for e, err := range chronicleOf(c).All() {
			if n == most && most > 0 {
				if !c.AsJSON {
					c.Say("There are more. All are listed by: %s", site.CommandLine(c.Root, "council record episodes list --limit 0"))
				}
				break
			}
			if err != nil {
				unread = append(unread, err)
				continue
			}
			c.Show(e, func() {
				c.Say("%s  %s\n            %s", cli.Day(e.CreatedAt), e.ID, hostile.Excerpt(e.Summary.KeyOutcome, 80))
			})
			n++
		}
		if n == 0 && len(unread) == 0 && !c.AsJSON {
			c.Say("No session has been closed here yet.")
		}
		return cli.TellUnread(c.Env, unread, remadeFromSessions)
	})
	cli.LimitFlag(list.Flags())
	return cli.NewGroup(&cobra.Command{Use: "episodes", Short: "Show in a few words what closed sessions came to"}, show,
		list)
}

// NewTurns returns the command turns.
func NewTurns(a *cli.Env) *cobra.Command {
	show := cli.Verb(a, &cobra.Command{Use: "show ID", Short: "Show one turn in full",
		Annotations: cli.JSON("the turn as its file has it")}, func(c *cli.Command) error {
		name := c.Args[0] // in full, or by a beginning of the session's id
		t, err := chronicleOf(c).Turn(name)
		if end := strings.LastIndex(name, ".e"); errors.Is(err, episodes.ErrUnknown) && end > 0 {
			var id council.SessionID
			if id, err = reading.ClosedSession(c.Root, name[:end]); err == nil {
				t, err = chronicleOf(c).Turn(string(id) + name[end:])
			}
		}
		if err == nil {
			c.Show(t, func() { cli.SayPage(a, "turn", t) })
		}
		return err
	})
	list := cli.Verb(a, &cobra.Command{Use: "list [SESSION]", Annotations: cli.JSON("one turn a line, as its file has it"),
		Short: "List the turns of a closed session, the latest unless one is named"}, func(c *cli.Command) error {
		e, err := reading.Episode(c.Root, cli.NameOf(c.Args))
		if err != nil {
			return err
		}
		all, unread := chronicleOf(c).Turns(e)
		for _, t := range all {
			_, event, _ := strings.Cut(t.ID, ".")
			c.Show(t, func() {
				a.Say("%-6s %-12s %-16s %s", event, t.Kind, hostile.Line(t.Speaker), hostile.Excerpt(t.Text, 80))
			})
		}
		return cli.TellUnread(a, cli.Unjoin(unread), remadeFromSessions)
	})
	return cli.NewGroup(&cobra.Command{Use: "turns", Short: "Show single things that were said, of any closed session",
		Long: `
turns reads what was said in closed sessions one thing at a time, without the session's log. A turn is named by its
session and its event: 20261121-081500-shall-we-7f3k2a.e12, or a unique beginning of the session's id, or latest.e12.`,
	}, show, list)
}

func chronicleOf(c *cli.Command) *episodes.Files { return episodes.New(c.Root.Files()) }

// remadeFromSessions is the hint for an episode or turn that cannot be read.
const remadeFromSessions = "It can be made again from the sessions: council memory rebuild"
