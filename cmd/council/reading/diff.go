package reading

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/site"
)

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
		if err == nil && d.Before == nil {
			c.Say("Session %s has %s of its document, so there is nothing to compare.", c.Root.Short(id),
				plural.Things(d.Readable, "draft"))
		}
		if err != nil || d.Before == nil {
			return err
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

// compareDrafts writes the differences between two drafts.
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
