// Package reading has the verbs that read sessions and ask their members.
package reading

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

type sessionsOptions struct {
	listing.Filter
	everywhere bool
}

// NewSessions returns the command sessions.
func NewSessions(a *cli.Env) *cobra.Command {
	var o sessionsOptions
	var root string
	cmd := cli.PlainVerb(a, &cobra.Command{Use: "sessions", SuggestFor: []string{"ls", "list", "log"},
		Short: "List the sessions, newest first", Annotations: cli.JSONLines,
		Long: `
sessions lists what is recorded: which sessions there are, what they came to, with which vote, how far the approval of
their brief or document has come, and what they cost. OUTCOME also says reopened of a session that was taken up again,
and superseded of one whose decision was replaced. The last word of an id, as it is listed, a unique beginning of one,
or latest, names a session in every command.`,
		Example: `  council sessions --status "awaits approval"
  council sessions --status suspended,interrupted --since 7d`,
	}, func(c *cli.Command) (err error) {
		o.Limit, err = c.Limit()
		_, unknown := o.Keeps(a.Now())
		if err = cmp.Or(err, unknown); err != nil {
			return err
		}
		if o.everywhere {
			return listEverywhere(c, o)
		}
		err = a.InRecord(root, func(r *recorder.Root) error {
			sessions, all, err := listing.List(a.World, c.Ctx, r, o.Filter)
			if err != nil {
				return err
			}
			return tellSessions(c, o, sessions, all, "No council has met here yet.",
				site.CommandLine(r, "council sessions --limit 0"))
		})
		if errors.Is(err, recorder.ErrNoRoot) && !c.AsJSON {
			a.Say("No council has met here yet (there is no folder %s).", root)
			return nil
		}
		return err
	})
	f := cmd.Flags()
	cli.RootFlag(f, &root)
	f.StringSliceVar(&o.Status, "status", nil, "only those whose OUTCOME or APPROVED is one of these, such as suspended")
	f.BoolVar(&o.everywhere, "all-workspaces", false, "list those of all your workspaces (council workspace list)")
	f.StringVar(&o.Since, "since", "", "only those that began since a day (2026-11-01, UTC) or within a time (7d, 12h)")
	cli.LimitFlag(f)
	cmd.MarkFlagsMutuallyExclusive("all-workspaces", "root")
	return cmd
}

// tellSessions prints a list of sessions, of which there are all.
func tellSessions(c *cli.Command, o sessionsOptions, sessions []listing.Listed, all int, none, command string) error {
	heads := []any{"SESSION", "WHEN", "QUESTION", "OUTCOME", "VOTE", "APPROVED", "USD"}
	if o.everywhere {
		heads = slices.Insert(heads, 0, any("WORKSPACE"))
	}
	if o.Since != "" || o.Status != nil {
		none = "No session is like that."
	}
	l := cli.NewList(c.Env, c.AsJSON, heads...)
	for _, s := range sessions {
		vote, cost := "-", "-"
		if s.Vote != nil {
			vote = fmt.Sprintf("%d:%d", s.Vote.Yes, s.Vote.No)
		}
		if s.CostUSD != nil {
			cost = strings.TrimSuffix(council.Dollars(*s.CostUSD).String(), " USD")
		}
		day, _, _ := strings.Cut(s.Started, "T")
		cells := []any{s.Workspace, s.Short, cmp.Or(day, "-"), hostile.Excerpt(s.Topic, 60),
			site.Joined(", ", string(s.State), s.Words()), vote, cmp.Or(s.Approval, "-"), cost}
		l.Add(s, cells[len(cells)-len(heads):]...)
	}
	err := l.Print(none)
	for _, s := range sessions {
		if s.Reason != "" && !c.AsJSON {
			c.Say("%s is %s (%s).", s.Short, s.State, s.Reason)
		}
	}
	l.Rest(all-len(sessions), "session", command)
	return err
}

// listEverywhere lists the newest sessions of all the user's workspaces. Those that cannot be read are named.
func listEverywhere(c *cli.Command, o sessionsOptions) error {
	r, err := registry.Read(c.World)
	if err != nil {
		return err
	}
	var all []listing.Listed
	sum := 0
	for _, w := range r.Workspaces {
		why := registry.WhyMissing(w)
		if why == "" {
			err := c.InRecord(w.Record, func(root *recorder.Root) error {
				sessions, n, err := listing.List(c.World, c.Ctx, root, o.Filter)
				for _, s := range sessions {
					s.Workspace = w.Name
					all = append(all, s)
				}
				sum += n
				return err
			})
			if err == nil {
				continue
			}
			why = err.Error()
		}
		c.Warn("Workspace %s in %s is left out: %s", w.Name, site.PathLine(w.Path), run.EndSentence(why))
	}
	slices.SortStableFunc(all, func(x, y listing.Listed) int {
		return cmp.Or(cmp.Compare(y.Started, x.Started), cmp.Compare(y.ID, x.ID))
	})
	if o.Limit > 0 {
		all = all[:min(len(all), o.Limit)]
	}
	return tellSessions(c, o, all, sum, "No council has met in any of your workspaces yet.",
		"council sessions --all-workspaces --limit 0")
}

// NewDiff returns the command diff.
func NewDiff(a *cli.Env) *cobra.Command {
	var o cli.PageOptions
	cmd := cli.Verb(a, &cobra.Command{Use: "diff [SESSION] [DRAFT DRAFT]",
		Short: "Compare two drafts of a session's document, word by word",
		Long: `
diff shows what a revision changed in the document of a session (the latest, unless one is named): the last draft beside
the one before it, or the two that are named by their numbers. What went stands in [-…-] and what came in {+…+}, at a
terminal in colours.`,
		Example: `  council record diff
  council record diff a6rzfx 1 3`,
	}, func(c *cli.Command) error {
		var versions []int
		if n := len(c.Args); n > 1 {
			versions = []int{draftNumber(c.Args[n-2]), draftNumber(c.Args[n-1])}
			if c.Args = c.Args[:n-2]; slices.Contains(versions, 0) {
				return cli.Usage(c.Cmd, errors.New("diff takes a session, and two numbers of drafts such as 1 2"))
			}
		}
		id, err := c.Root.Find(cli.NameOf(c.Args))
		if err != nil {
			return err
		}
		d, err := reading.Diff(c.Root, id, versions...)
		if err != nil || d.Before == nil {
			return c.SayUnless(err, "Session %s has %s of its document, so there is nothing to compare.", c.Root.Short(id),
				plural.Things(d.Readable, "draft"))
		}
		return cli.Paged(c.Env, c.Ctx, o, func(w io.Writer) error {
			return compareDrafts(c, w, d.Minutes, d.Before, d.After, cli.UseColours(c.Env, o.NoColour))
		})
	})
	o.AddFlags(cmd.Flags())
	return cmd
}

// draftNumber reads the number of a draft, such as 2 or v2; 0 where it is none.
func draftNumber(s string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(s, "v"))
	return max(0, n)
}

func compareDrafts(c *cli.Command, w io.Writer, m *minutes.Minutes, before, after *minutes.Draft, colour bool) error {
	var b strings.Builder
	for _, d := range []*minutes.Draft{before, after} {
		fmt.Fprintf(&b, "Draft %d by %s", d.Version, terminal.Name(&m.Started.Charter, d.By))
		if d.Vote != nil {
			b.WriteString(": " + terminal.Verdict(*d.Vote))
		}
		b.WriteByte('\n')
	}
	for _, r := range after.Responses {
		fmt.Fprintf(&b, "  %s: %s\n", hostile.Line(r.BlockerID),
			hostile.Line(hostile.Terminal(site.Joined(" - ", string(r.Answer), r.Note))))
	}
	b.WriteByte('\n')
	lines := func(d *minutes.Draft) []string { return strings.SplitAfter(hostile.Terminal(d.Markdown)+"\n", "\n") }
	for _, change := range render.Changes(lines(before), lines(after)) {
		tellChange(&b, render.Changes(wordsIn(change.Gone), wordsIn(change.Come)), colour)
		if kept, most := change.Kept, 2*around; len(kept) <= most {
			b.WriteString(strings.Join(kept, ""))
		} else {
			fmt.Fprintf(&b, "%s%s\n%s", strings.Join(kept[:around], ""),
				terminal.Dim("… "+plural.Things(len(kept)-most, "line")+" unchanged …", colour),
				strings.Join(kept[len(kept)-around:], ""))
		}
	}
	_, err := io.WriteString(w, c.Fold(b.String()))
	return err
}

// around is how many lines that did not change are shown before and after those that did.
const around = 3

// wordsIn returns the words of lines, each with the space or the line end after it.
func wordsIn(lines []string) (words []string) {
	for _, line := range lines {
		words = append(words, strings.SplitAfter(line, " ")...)
	}
	return words
}

// tellChange writes removed and added words, marked line by line, among the unchanged ones.
func tellChange(b *strings.Builder, changes []render.Change, colour bool) {
	tell := func(words []string, mark func(string, bool) string) {
		for line := range strings.Lines(strings.Join(words, "")) {
			bare := strings.TrimRight(line, " \n")
			if bare != "" {
				b.WriteString(mark(bare, colour))
			}
			b.WriteString(line[len(bare):])
		}
	}
	for _, c := range changes {
		tell(c.Gone, terminal.Gone)
		tell(c.Come, terminal.Come)
		tell(c.Kept, func(text string, _ bool) string { return text })
	}
}
