package council

import (
	"fmt"
	"regexp"
	"strings"
)

// MaxRates is how many prices a table or a charter has at most, and maxPerMillion bounds each, in US dollars.
const (
	MaxRates      = 1000
	maxPerMillion = 1e6
)

var (
	day      = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	calendar = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)
	host     = regexp.MustCompile(`^([^\s/:?#@\[\]]+|\[[0-9a-fA-F:.]+\])$`)
)

// MissingPrice is the problem of a price without new tokens or the reply's: they would be taken to cost nothing.
const MissingPrice = "it is missing; write 0 if they cost nothing"

// Problem is what is wrong with one field of a price.
type Problem struct{ Field, Text string }

// Problems lists what is wrong with a price, in the order of its fields.
func (r *Rate) Problems() []Problem {
	var found []Problem
	add := func(field, format string, args ...any) {
		found = append(found, Problem{field, fmt.Sprintf(format, args...)})
	}
	for _, text := range []struct{ field, text string }{{"provider", r.Provider}, {"model", r.Model}} {
		if text.text == "" {
			add(text.field, "it must not be empty")
		}
	}
	for _, d := range []struct{ field, day string }{{"asOf", r.AsOf}, {"from", r.From}, {"until", r.Until}} {
		if !day.MatchString(d.day) && (d.day != "" || d.field == "asOf") {
			add(d.field, "it must be a day, such as 2026-11-21, not %q", d.day)
		}
	}
	for _, m := range []struct {
		field string
		usd   *float64
	}{{"input", &r.Input}, {"cached", r.Cached}, {"cacheWrite", r.CacheWrite}, {"output", &r.Output}, {"reasoning", r.Reasoning}} {
		if m.usd != nil && !(*m.usd >= 0 && *m.usd <= maxPerMillion) {
			add(m.field, "it must lie between 0 and %d US dollars for a million tokens, not %v", int(maxPerMillion), *m.usd)
		}
	}
	if r.MaxPrompt < 0 {
		add("maxPrompt", "it must be 0 (for prompts of any length) or more, not %d", r.MaxPrompt)
	}
	return found
}

// Idle lists what in a sound price makes it hold for no model or on no day, which whoever wrote it did not mean. A record
// keeps such a price all the same.
func (r *Rate) Idle() []Problem {
	var found []Problem
	add := func(field, text string) { found = append(found, Problem{field, text}) }
	for _, d := range []struct{ field, day string }{{"asOf", r.AsOf}, {"from", r.From}, {"until", r.Until}} {
		if d.day != "" && !calendar.MatchString(d.day) {
			add(d.field, "there is no such day as "+d.day)
		}
	}
	if r.From != "" && r.Until != "" && r.Until < r.From {
		add("until", "it must not lie before from")
	}
	if strings.Contains(r.Provider, "*") {
		add("provider", "a * stands only at the end of a model; write a price for each provider")
	}
	if i := strings.IndexByte(r.Model, '*'); i >= 0 && i < len(r.Model)-1 {
		add("model", "a * stands only at its end, for all names that begin so")
	}
	if r.Server != "" && !host.MatchString(r.Server) {
		add("server", "it must be the name of a host alone, such as llm.example.org")
	}
	return found
}
