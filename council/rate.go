package council

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// BytesPerToken is how many bytes of a prompt are taken for a token until a provider has reported how many there were.
// English has four and a half, code and most other languages three or fewer.
const BytesPerToken = 3

// Rate is the price of a model's tokens, in US dollars for a million of each kind. Days are YYYY-MM-DD.
type Rate struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`            // a name, or the beginning of names with * at its end
	Server   string `json:"server,omitempty"` // the host it holds for: a model with another baseUrl is another's to bill
	AsOf     string `json:"asOf"`             // the day on which it was read
	From     string `json:"from,omitempty"`   // the first day on which it holds
	Until    string `json:"until,omitempty"`  // the last day on which it holds
	Source   string `json:"source,omitempty"` // where it was read

	Input      float64  `json:"input"`                // new tokens
	Cached     *float64 `json:"cached,omitempty"`     // read from the prompt cache; absent: as input
	CacheWrite *float64 `json:"cacheWrite,omitempty"` // written to it; absent: as input
	Output     float64  `json:"output"`
	Reasoning  *float64 `json:"reasoning,omitempty"` // absent: as output
	MaxPrompt  int64    `json:"maxPrompt,omitempty"` // tokens of a prompt up to which it holds; 0: any
}

// Matches reports whether the price is that of m. A price without a server is for all servers; one with a server is for
// models with it in their address, and for those without an address.
func (r *Rate) Matches(m PricedModel) bool {
	if r.Provider != m.Provider {
		return false
	}
	if begin, ok := strings.CutSuffix(r.Model, "*"); r.Model != m.Name && !(ok && strings.HasPrefix(m.Name, begin)) {
		return false
	}
	return r.Server == "" || m.Address == "" ||
		strings.EqualFold(r.Server, addressHost.FindStringSubmatch(m.Address)[1])
}

// isCloser reports whether r is for fewer models than q. The closer of two that match one model counts.
func (r *Rate) isCloser(q *Rate) bool {
	rank := func(r *Rate) []int { // -1: with a star
		return []int{len(strings.TrimSuffix(r.Model, "*")) - len(r.Model), len(r.Model), min(1, len(r.Server))}
	}
	return cmp.Or(slices.Compare(rank(r), rank(q)), cmp.Compare(r.From, q.From)) > 0
}

// Holds reports whether the price holds on a day.
func (r *Rate) Holds(day string) bool { return r.From <= day && (r.Until == "" || day <= r.Until) }

// RateFor returns the closest of the prices that match a model, or nil. Days do not matter here: prices that do not
// hold on the day are to be left out before.
func RateFor(rates []Rate, m PricedModel) *Rate {
	var best *Rate
	for i := range rates {
		if r := &rates[i]; r.Matches(m) && (best == nil || r.isCloser(best)) {
			best = r
		}
	}
	return best
}

// Free reports whether no token costs anything.
func (r *Rate) Free() bool { return r.kinds() == [5]Money{} }

// kinds returns the prices of one token: new, cached, written to the cache, of the reply, of reasoning.
func (r *Rate) kinds() [5]Money {
	each := func(perMillion float64, own *float64) Money {
		if own != nil {
			perMillion = *own
		}
		return Dollars(perMillion / 1e6)
	}
	return [5]Money{each(r.Input, nil), each(r.Input, r.Cached), each(r.Input, r.CacheWrite), each(r.Output, nil),
		each(r.Output, r.Reasoning)}
}

// Cost returns the cost of a usage. It is not known when the prompts were longer than the price holds for.
func (r *Rate) Cost(u Usage) (cost Money, known bool) {
	if r.MaxPrompt > 0 && u.PromptTokens() > r.MaxPrompt*int64(max(1, u.Calls)) {
		return 0, false
	}
	each := r.kinds()
	for i, n := range [5]int64{u.InputTokens, u.CachedTokens, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens} {
		cost = cost.Plus(each[i].times(max(0, n)))
	}
	return cost, true
}

// PricesAsOf returns the day on which the oldest of the prices was read that cost anything, or "".
func PricesAsOf(rates []Rate) string {
	oldest := ""
	for _, r := range rates {
		if !r.Free() && (oldest == "" || r.AsOf < oldest) {
			oldest = r.AsOf
		}
	}
	return oldest
}

// addressHost finds the host in an address that package charter accepts, without its port. The core parses no URLs.
var addressHost = regexp.MustCompile(`^(?:.*?://)?(\[[^\]/?#]*\]|[^:/?#]*)`)

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

// Problem is an error in one field of a price.
type Problem struct{ Field, Text string }

type problems []Problem

func (p *problems) refuse(wrong bool, field, format string, args ...any) {
	if wrong {
		*p = append(*p, Problem{field, fmt.Sprintf(format, args...)})
	}
}

// days are the days of a price with the names of their fields.
func (r *Rate) days() [3]struct{ field, day string } {
	return [...]struct{ field, day string }{{"asOf", r.AsOf}, {"from", r.From}, {"until", r.Until}}
}

// Problems lists the problems of a price, in the order of its fields.
func (r *Rate) Problems() []Problem {
	var found problems
	found.refuse(r.Provider == "", "provider", "it must not be empty")
	found.refuse(r.Model == "", "model", "it must not be empty")
	for _, d := range r.days() {
		found.refuse(!day.MatchString(d.day) && (d.day != "" || d.field == "asOf"), d.field,
			"it must be a day, such as 2026-11-21, not %q", d.day)
	}
	for _, m := range []struct {
		field string
		usd   *float64
	}{{"input", &r.Input}, {"cached", r.Cached}, {"cacheWrite", r.CacheWrite}, {"output", &r.Output},
		{"reasoning", r.Reasoning}} {
		if m.usd != nil {
			found.refuse(!(*m.usd >= 0 && *m.usd <= maxPerMillion), m.field,
				"it must lie between 0 and %d US dollars for a million tokens, not %v", int(maxPerMillion), *m.usd)
		}
	}
	found.refuse(r.MaxPrompt < 0, "maxPrompt", "it must be 0 (for prompts of any length) or more, not %d", r.MaxPrompt)
	return found
}

// Idle lists the reasons for which a sound price holds for no model or on no day. A record keeps it.
func (r *Rate) Idle() []Problem {
	var found problems
	for _, d := range r.days() {
		found.refuse(d.day != "" && !calendar.MatchString(d.day), d.field, "there is no such day as %s", d.day)
	}
	found.refuse(r.From != "" && r.Until != "" && r.Until < r.From, "until", "it must not lie before from")
	found.refuse(strings.Contains(r.Provider, "*"), "provider",
		"a * stands only at the end of a model; write a price for each provider")
	found.refuse(strings.Contains(strings.TrimSuffix(r.Model, "*"), "*"), "model",
		"a * stands only at its end, for all names that begin so")
	found.refuse(r.Server != "" && !host.MatchString(r.Server), "server",
		"it must be the name of a host alone, such as llm.example.org")
	return found
}
