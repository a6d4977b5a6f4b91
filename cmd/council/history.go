package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/site"
)

// begun notes in the ledger that a command begins to work on a session, before anybody is asked anything. The function
// that it returns notes how it ended: suspended by a fault, with an error, or closed.
func beginRun(a *cli.Env, root *recorder.Root, id council.SessionID, command string) (func(*council.Fault, error),
	error) {
	l, err := a.OpenLedger(root)
	if err != nil {
		return nil, err
	}
	n, err := l.Append(audit.Entry{Type: audit.TypeRun, Action: audit.RunBegun, Session: id, What: command, By: a.By()})
	if err != nil {
		return nil, err
	}
	return func(suspended *council.Fault, err error) {
		e := audit.Entry{Type: audit.TypeRun, Action: audit.RunClosed, Session: id, Of: n}
		switch {
		case errors.Is(err, context.Canceled):
			e.Action, e.Why = audit.RunFailed, "stopped at once"
		case err != nil:
			e.Action, e.Why = audit.RunFailed, hostile.Shorten(cutSecrets(hostile.Line(err.Error())), 200)
		case suspended != nil:
			e.Action, e.Why = audit.RunSuspended, string(suspended.Kind)
		}
		if _, err := l.Append(e); err != nil { // what the session holds is recorded all the same
			a.Warn("council: the end of this run is not in the ledger: %v", err)
		}
	}, nil
}

func newRuns(a *cli.Env) *cobra.Command {
	var limit int
	list := historyVerb(a, "runs list", func(c *command, ix *index.Index) error {
		most, err := listLimit(c.cmd, limit, c.json)
		if err != nil {
			return err
		}
		runs, all, err := ix.Runs(c.ctx, "", most)
		if err != nil {
			return err
		}
		l := listRuns(c, runs)
		err = l.print("No run is recorded here yet.")
		l.rest(all-len(runs), "run", cli.CommandLine(c.root, "council runs list --limit 0"))
		return err
	})
	limitFlag(list.Flags(), &limit)
	show := historyVerb(a, "runs show", func(c *command, ix *index.Index) error {
		id, err := c.root.Find(cli.NameOf(c.args))
		if err != nil {
			return err
		}
		runs, _, err := ix.Runs(c.ctx, id, 0)
		if err == nil {
			err = listRuns(c, runs).print(fmt.Sprintf("No run of session %s is recorded.", id))
		}
		if err != nil || c.json {
			return err
		}
		used, err := ix.Usage(c.ctx, "member", time.Time{}, id)
		if err != nil || len(used) == 0 {
			return err
		}
		c.Say("")
		return tableOfUse(c.Env, "member", used)
	})
	return newGroup("runs", list, show)
}

// historyVerb is verb for a command that reads the database, in step with sessions and ledger. It tells
// what could not be read, after do.
func historyVerb(a *cli.Env, path string, do func(*command, *index.Index) error) *cobra.Command {
	return verb(a, path, func(c *command) error {
		var unread []error
		ix, err := history.Open(c.ctx, c.root, func(err error) { unread = append(unread, err) })
		if err != nil {
			return err
		}
		if err := errors.Join(do(c, ix), ix.Close()); err != nil {
			return err
		}
		return tellUnread(a, unread, "What it holds is not counted.")
	})
}

func listRuns(c *command, runs []index.Run) *listing {
	latest := map[council.SessionID]bool{}
	l := newList(c.Env, c.json, "SESSION", "RUN", "COMMAND", "STARTED", "TOOK", "STATUS")
	for _, run := range runs {
		if run.Status == "" {
			run.Status = string(minutes.StateInterrupted)
			if _, held := c.root.Holder(run.Session); held && !latest[run.Session] {
				run.Status = string(minutes.StateRunning)
			}
		}
		latest[run.Session] = true
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
		l.add(run, run.Session, run.Attempt, run.Command, started, took,
			hostile.Excerpt(status, 80))
	}
	return l
}

func newUsage(a *cli.Env) *cobra.Command {
	var by, since string
	var asCSV bool
	cmd := historyVerb(a, "usage", func(c *command, ix *index.Index) error {
		if !slices.Contains(index.Groups(), by) {
			return site.Refuse("--by is "+strings.Join(index.Groups(), ", ")+", not "+site.Quote(by),
				site.DidYouMean(by, index.Groups(), "Nothing was added up."))
		}
		from, err := sinceTime("since", since, a.Now())
		if err != nil {
			return err
		}
		used, err := ix.Usage(c.ctx, by, from)
		switch {
		case err != nil:
			return err
		case asCSV, c.json:
			return tellUse(a, by, used, asCSV)
		case len(used) == 0:
			a.Say("No call of a model is recorded%s.", map[bool]string{true: " since then"}[since != ""])
			return nil
		}
		all, err := ix.Usage(c.ctx, "", from)
		if err != nil {
			return err
		}
		all[0].Key = "all"
		if err := tableOfUse(a, by, append(used, all...)); err != nil {
			return err
		}
		prices, err := ix.Prices(c.ctx, from)
		tellPrices(a, all[0], prices)
		return err
	})
	f := cmd.Flags()
	f.StringVar(&by, "by", "model", "what to add up by: "+strings.Join(index.Groups(), ", "))
	flags(f, vars{"since": &since, "csv": &asCSV})
	cmd.MarkFlagsMutuallyExclusive("csv", "json")
	return cmd
}

// sinceTime reads the value of a flag that leaves out what is older; the zero time for "".
func sinceTime(flag, since string, now time.Time) (time.Time, error) {
	if since == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, since); err == nil {
		return day, nil
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(since, "d")); err == nil && strings.HasSuffix(since, "d") && n >= 0 {
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(since); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, site.Refuse("--"+flag+" is a day such as 2026-11-01 or a time such as 7d or 12h, not "+
		site.Quote(since), "--"+flag+" 30d means the last thirty days.")
}

// tableOfUse prints what calls took for people.
func tableOfUse(a *cli.Env, by string, used []index.Used) error {
	rows := [][]any{{strings.ToUpper(by), "CALLS", "FAILED", "NEW", "CACHED", "TO CACHE", "OUTPUT", "REASONING", "COST"}}
	for _, u := range used {
		v := u.Usage
		row := []any{hostile.Excerpt(u.Key, 60), atLeast(int64(v.Calls), u.Cut > 0), u.Failed}
		for _, n := range []int64{v.InputTokens, v.CachedTokens, v.CacheWriteTokens, v.OutputTokens, v.ReasoningTokens} {
			row = append(row, atLeast(n, u.Unmeasured > 0))
		}
		cost := u.Cost.String()
		switch {
		case u.Unpriced > 0 && u.Cost == 0:
			cost = "unknown"
		case u.Unpriced > 0:
			cost = "≥ " + cost
		}
		rows = append(rows, append(row, cost))
	}
	return a.Table(rows...)
}

// atLeast returns a number for people. A lower bound says that it is one.
func atLeast(n int64, bound bool) string {
	switch {
	case bound && n == 0:
		return "unknown"
	case bound:
		return "≥ " + plural.Thousands(n)
	}
	return plural.Thousands(n)
}

// tellPrices says by what costs were reckoned, and what is missing from the sums.
func tellPrices(a *cli.Env, all index.Used, prices []index.Priced) {
	prices = slices.DeleteFunc(prices, func(p index.Priced) bool { return p.Price == index.Free })
	for i, p := range prices {
		if i == 0 {
			fmt.Fprintln(a.Out)
		}
		switch p.Price {
		case "":
			a.Say("%s: %s of which the cost is not known", p.Model, plural.Things(p.Calls, "call"))
		default:
			a.Say("%s: priced %s", p.Model, p.Price)
		}
	}
	if all.Cut > 0 {
		a.Say("%s without an answer, which may have been billed.", plural.Things(all.Cut, "question"))
	}
}

// usedColumns are what programs are told of calls. Tokens and cost are lower bounds unless they are said to be known; a
// cost of which nothing is known is null.
var usedColumns = []struct {
	name string
	of   func(index.Used) any
}{
	{"calls", func(u index.Used) any { return u.Usage.Calls }},
	{"failed", func(u index.Used) any { return u.Failed }},
	{"cutOff", func(u index.Used) any { return u.Cut }},
	{"inputTokens", func(u index.Used) any { return u.Usage.InputTokens }},
	{"cachedTokens", func(u index.Used) any { return u.Usage.CachedTokens }},
	{"cacheWriteTokens", func(u index.Used) any { return u.Usage.CacheWriteTokens }},
	{"outputTokens", func(u index.Used) any { return u.Usage.OutputTokens }},
	{"reasoningTokens", func(u index.Used) any { return u.Usage.ReasoningTokens }},
	{"tokensKnown", func(u index.Used) any { return u.Unmeasured == 0 }},
	{"costUsd", func(u index.Used) any {
		if u.Unpriced > 0 && u.Cost == 0 {
			return nil
		}
		return u.Cost
	}},
	{"costKnown", func(u index.Used) any { return u.Unpriced == 0 }},
}

// tellUse prints what calls took for programs: as a table for a spreadsheet, or a JSON object a line.
func tellUse(a *cli.Env, by string, used []index.Used, asCSV bool) error {
	head := []string{by}
	for _, c := range usedColumns {
		head = append(head, c.name)
	}
	rows := [][]string{head}
	for _, u := range used {
		key := hostile.Line(u.Key)
		if strings.ContainsAny(key[:min(1, len(key))], "=+-@") { // a spreadsheet would compute it
			key = "'" + key
		}
		row, object := []string{key}, map[string]any{"by": by, "key": u.Key}
		for _, c := range usedColumns {
			text, err := json.Marshal(c.of(u))
			if err != nil {
				return err
			}
			object[c.name] = json.RawMessage(text)
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
