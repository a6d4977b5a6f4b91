package render

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// writeCost lists what members took. Reasoning and money have columns where there is something to say.
func (t *Transcript) writeCost(p *page) {
	s := &t.session
	r := s.Usage()
	heads := []string{"Member", ">Calls", ">New tokens", ">From cache", ">Written to cache", ">Output"}
	if r.Total.ReasoningTokens > 0 {
		heads = append(heads, ">Reasoning")
	}
	heads = append(heads, ">Seconds")
	if r.Cost != nil {
		heads = append(heads, ">Cost")
	}
	row := func(name string, u minutes.Usage, cost *float64) []string {
		cells := []string{name, plural.Thousands(u.Calls), plural.Thousands(u.InputTokens), plural.Thousands(u.CachedTokens),
			plural.Thousands(u.CacheWriteTokens), plural.Thousands(u.OutputTokens)}
		if r.Total.ReasoningTokens > 0 {
			cells = append(cells, plural.Thousands(u.ReasoningTokens))
		}
		cells = append(cells, fmt.Sprintf("%.1f", float64(u.ElapsedMS)/1000))
		if r.Cost != nil {
			cells = append(cells, usd(cost))
		}
		return cells
	}
	var rows [][]string
	for i, m := range r.Members {
		var cost *float64
		if r.Cost != nil {
			cost = r.Cost.Members[i].Cost
		}
		rows = append(rows, row(s.name(m.Member), m.Usage, cost))
	}
	var total *float64
	if r.Cost != nil {
		total = r.Cost.Total
	}
	p.table(heads, append(rows, row("**All**", r.Total, total)))
	if words := s.costWords(r.Cost); words != "" {
		p.block(words)
	}
	for _, words := range s.modelWords() {
		p.block(words)
	}
}

// writeReceipt says what deliberating changed, where that can be told.
func (s *session) writeReceipt(p *page, level int) {
	if r := s.Receipt(); r != nil {
		p.heading(level, "What deliberating changed", 0)
		p.list(receiptWords(r, s.name))
		p.block(receiptLimits)
	}
}

// writeCostLine ends a report with what the session cost, once it is closed.
func (s *session) writeCostLine(p *page) {
	if s.Outcome == nil {
		return
	}
	if words := s.costWords(s.Usage().Cost); words != "" {
		p.heading(2, "What the session cost", council.Seq(0))
		p.block(words)
	}
}

// usd is an amount for people; nil is one that is not known.
func usd(amount *float64) string {
	if amount == nil {
		return "unknown"
	}
	return council.Dollars(*amount).String()
}

// costWords says in a sentence what the session cost in money and by which prices; empty where no prices are known.
func (s *session) costWords(r *minutes.CostReport) string {
	if r == nil {
		return ""
	}
	by := ""
	switch {
	case r.PricesAsOf != "" && r.Billed > 0:
		by = ", as the provider said, or else by prices that were read on " + r.PricesAsOf + " or later"
	case r.PricesAsOf != "":
		by = ", by prices that were read on " + r.PricesAsOf + " or later"
	case r.Billed > 0:
		by = ", as the provider said"
	}
	if r.Total != nil {
		return "In money: " + usd(r.Total) + by + "."
	}
	var unknown []string
	var known council.Money
	for _, m := range r.Members {
		if m.Cost == nil {
			unknown = append(unknown, s.name(m.Member))
		} else {
			known = known.Plus(council.Dollars(*m.Cost))
		}
	}
	return fmt.Sprintf("In money: %s%s, and what %s took, of which the cost is not known.",
		known, by, strings.Join(unknown, ", "))
}

// modelWords says in sentences which models stood in for others, which were not shown all of their prompts, and how
// related all of them are.
func (s *session) modelWords() []string {
	var words []string
	for _, id := range s.Seats() {
		for _, other := range s.StoodIn(id) {
			words = append(words, fmt.Sprintf("The model of %s was missing or down for a time: %s/%s answered in its place (%d).",
				s.name(id), hostile.Inline(other.Provider), hostile.Inline(other.Model), other.Replies))
		}
	}
	for _, id := range s.Seats() {
		if at := s.PromptCut(id); at != "" {
			words = append(words, fmt.Sprintf("The server of %s seems to have left out a part of the prompt of %s and of later ones: "+
				"it counted fewer tokens than of a shorter one before.", s.name(id), at))
		}
	}
	if d := s.Diversity(); d != nil {
		of := "one family"
		if n := len(d.Families); n > 1 {
			of = fmt.Sprintf("%d families", n)
		}
		words = append(words, fmt.Sprintf("The council had %d models of %s: %s.", d.Models, of, hostile.Inline(strings.Join(d.Families, ", "))))
	}
	return words
}
