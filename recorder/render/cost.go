package render

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/render/receipt"
	"github.com/council-engine/council/recorder/render/story"
)

// writeCost lists what members took. Reasoning and money have columns where there is something to say.
func (t *Transcript) writeCost(p *page) {
	s := &t.session
	r := s.Spent.Report(s.Seats())
	heads := []string{"Member", ">Calls", ">New tokens", ">From cache", ">Written to cache", ">Output"}
	if r.Total.ReasoningTokens > 0 {
		heads = append(heads, ">Reasoning")
	}
	heads = append(heads, ">Seconds")
	if r.Cost != nil {
		heads = append(heads, ">Cost")
	}
	row := func(name string, u artifact.Usage, cost *float64) []string {
		cells := []string{name, plural.Thousands(u.Calls), plural.Thousands(u.InputTokens), plural.Thousands(u.CachedTokens),
			plural.Thousands(u.CacheWriteTokens), plural.Thousands(u.OutputTokens)}
		if r.Total.ReasoningTokens > 0 {
			cells = append(cells, plural.Thousands(u.ReasoningTokens))
		}
		cells = append(cells, fmt.Sprintf("%.1f", float64(u.ElapsedMS)/1000))
		if r.Cost != nil {
			cells = append(cells, story.USD(cost))
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
	if words := story.CostWords(r.Cost, s.name); words != "" {
		p.block(words)
	}
	for _, words := range s.Spent.ModelWords(s.Seats(), s.name) {
		p.block(words)
	}
}

// writeReceipt says what deliberating changed, where that can be told.
func (s *session) writeReceipt(p *page, level int) {
	if r := s.receipt.Receipt(); r != nil {
		p.heading(level, "What deliberating changed", 0)
		p.list(receipt.Words(r, s.name))
		p.block(receipt.Limits)
	}
}

// writeCostLine ends a report with what the session cost, once it is closed.
func (s *session) writeCostLine(p *page) {
	if s.Outcome == nil {
		return
	}
	if words := story.CostWords(s.Spent.Report(s.Seats()).Cost, s.name); words != "" {
		p.heading(2, "What the session cost", council.Seq(0))
		p.block(words)
	}
}
