package price

import (
	"fmt"
	"regexp"
)

// MaxRates is how many prices a table or a charter has at most, and maxPerMillion bounds each, in US dollars.
const (
	MaxRates      = 1000
	maxPerMillion = 1e6
)

var day = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

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
