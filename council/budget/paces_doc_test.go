package budget_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/plural"
)

var rewrite = flag.Bool("rewrite", false, "write the table of paces in docs/costs.md again")

// The table of paces in docs/costs.md is the usual case of their forecasts.
func TestTheTableOfPaces(t *testing.T) {
	const path, head = "../../docs/costs.md", "| pace | members | rounds |"
	var b strings.Builder
	b.WriteString(head + " calls | tokens | of these new | calls that wait for one another | time |\n" +
		"|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, pace := range []council.Pace{council.PaceQuick, council.PaceStandard, council.PaceThorough} {
		for _, members := range []int{5} {
			for _, rounds := range []int{2, 5} {
				c := counciltest.Charter(members, rounds, "http://127.0.0.1:1")
				c.Deliberation.Pace = pace
				charter.SetPace(&c)
				if pace != council.PaceThorough && rounds > 2 {
					continue // they have as many rounds as the pace says
				}
				systems := make([]int64, members)
				for i := range systems {
					systems[i] = 8_000
				}
				f := budget.ForecastOf(&c, systems).Usual
				shown := "1"
				if n := c.Phases[len(c.Phases)-1].StopConditions.MaxRounds; pace == council.PaceThorough {
					shown = fmt.Sprintf("%d and %d", n, n)
				} else if pace == council.PaceStandard {
					shown = fmt.Sprintf("1 and %d", n)
				}
				fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %d | %d s |\n", pace, members, shown,
					plural.Thousands(f.Total.Usage.Calls), plural.Thousands(f.Total.Usage.Tokens()),
					plural.Thousands(f.Total.Usage.InputTokens+f.Total.Usage.OutputTokens), f.Steps, f.Seconds)
			}
		}
	}
	doc := check.Get(os.ReadFile(path))(t)
	before, rest, found := strings.Cut(string(doc), head)
	_, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table of paces", path)
	}
	want := before + b.String() + "\n" + after
	if *rewrite {
		check.OK(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	check.Equal(t, "write it again with -rewrite", want, string(doc))
}
