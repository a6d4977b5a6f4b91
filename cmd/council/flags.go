package main

import (
	"context"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/plural"
)

type contextFlags struct {
	contexts []string
	diffs    []string
}

func (o *contextFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.contexts, "context", nil,
		"file, folder or glob that members are given, or - for standard input (repeatable)")
	f.StringArrayVar(&o.diffs, "diff", nil, "give members what has changed since a revision: git diff REV (repeatable)")
}

// load reads what was named into a topic. Its error is a [*documents.Error], or that of the context.
func (o *contextFlags) load(ctx context.Context, stdin io.Reader, topic *council.Topic) error {
	var err error
	topic.Documents, topic.Skipped, err = documents.Load(ctx,
		documents.Request{Paths: o.contexts, Diffs: o.diffs, Stdin: stdin})
	return err
}

// The bounds of what is told; the record has more. Listed is how many documents are told one by one, shown how many
// names of what was left out for one reason.
const (
	maxDocuments = 12
	maxNames     = 3
)

// contextWords lists what members are given and what was left out, one sentence each.
func contextWords(t council.Topic) []string {
	var out []string
	more, bytes := 0, int64(0)
	for i, d := range t.Documents {
		secret := documents.Secret(d.Name)
		if i >= maxDocuments && len(t.Documents) > maxDocuments+1 && !secret {
			more, bytes = more+1, bytes+int64(len(d.Text))
			continue
		}
		words := terminal.Sprintf("Document: %s (%s).", d.Name, plural.Things(len(d.Text), "byte"))
		if d.Note != nil {
			words = "Your note" + strings.TrimPrefix(words, "Document")
			if d.Note.Left > 0 {
				words += " Cut: its last " + plural.Things(d.Note.Left, "character") + " had no room."
			}
		}
		if secret {
			words += " It is named like a file of keys, and members are sent it."
		}
		out = append(out, words)
	}
	if more > 0 {
		out = append(out, terminal.Sprintf("Documents: %s more (%s).", plural.Thousands(more), plural.Things(bytes, "byte")))
	}
	crowded := false
	for _, s := range t.Skipped {
		names := s.Names[:min(len(s.Names), maxNames)]
		what := strings.Join(names, ", ")
		if more := s.Count - len(names); more > 0 {
			what += " and " + plural.Thousands(more) + " more"
		}
		if s.Bytes > 0 {
			what += " (" + plural.Things(s.Bytes, "byte") + ")"
		}
		out = append(out, terminal.Sprintf("Left out: %s, %s.", what, s.Reason))
		crowded = crowded || documents.Crowded(s)
	}
	if crowded {
		out = append(out, "Files were taken in the order of their names. To choose, name a smaller folder or a pattern: "+
			"--context 'docs/**/*.md'")
	}
	return out
}

// budgetFlags are the flags that cap what a session may spend over its whole life.
type budgetFlags struct {
	set    *pflag.FlagSet
	tokens int64
	usd    float64
	time   time.Duration
}

// The names of the flags.
const (
	tokensFlag = "budget-tokens"
	usdFlag    = "budget-usd"
	timeFlag   = "budget-time"
)

// flags adds the flags. scope says what they cap, such as "the whole session".
func (c *budgetFlags) flags(f *pflag.FlagSet, scope string) {
	c.set = f
	f.Int64Var(&c.tokens, tokensFlag, 0, "most tokens for "+scope+"; 0 is no limit")
	f.Float64Var(&c.usd, usdFlag, 0, "most US dollars for "+scope+", by known prices; 0 is no limit")
	f.DurationVar(&c.time, timeFlag, 0, "longest time to wait for members in "+scope+
		", such as 30m or 1h30m; 0 is no limit")
}

func (c *budgetFlags) given() bool {
	return c.changed(tokensFlag) || c.changed(usdFlag) || c.changed(timeFlag)
}

func (c *budgetFlags) changed(name string) bool { return c.set != nil && c.set.Changed(name) }

// over returns the budget b with what was given in the place of what it said. An invalid cap is a usage error.
func (c *budgetFlags) over(b council.Budget) (council.Budget, error) {
	for _, given := range []struct {
		name  string
		value float64
	}{{tokensFlag, float64(c.tokens)}, {usdFlag, c.usd}, {timeFlag, float64(c.time)}} {
		if c.changed(given.name) && !(given.value >= 0 && given.value <= math.MaxFloat64) {
			return b, cli.Refuse("--"+given.name+" is 0, for no limit, or more, not "+c.set.Lookup(given.name).Value.String(),
				"Nothing was done.")
		}
	}
	if c.changed(tokensFlag) {
		b.Tokens = c.tokens
	}
	if c.changed(usdFlag) {
		b.USD = c.usd
	}
	if c.changed(timeFlag) {
		b.Minutes = c.time.Minutes()
	}
	return b, nil
}
