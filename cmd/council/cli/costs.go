package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// CostWords returns what a session took by its log, in words.
func CostWords(s *rules.Session) string {
	if len(s.Charter().Models()) == 0 {
		return "none; no model was asked."
	}
	u := s.Spent()
	spent := terminal.Tell("spent", struct {
		council.Usage
		Waited time.Duration
	}{u, time.Duration(u.ElapsedMS) * time.Millisecond})
	return spent + "; " + moneyWords(minutes.Of(s.Events()).Usage().Cost)
}

// moneyWords returns the cost in US dollars with the date of the prices, unless no price is known.
func moneyWords(r *minutes.CostReport) string {
	if r == nil || !slices.ContainsFunc(r.Members, func(m minutes.MemberCost) bool { return m.Cost != nil }) {
		return "what that is in money is not known: docs/costs.md says how to tell council the prices"
	}
	return r.Words(func(m council.MemberID) string { return string(m) })
}

// BillLines returns the cost of a session so far: by its log, and what was paid for that is not in it.
func BillLines(root *recorder.Root, s *rules.Session) []string {
	lines := []string{"Cost:   " + CostWords(s)}
	b, err := site.ReadBeside(root, s)
	if err != nil {
		return append(lines, fmt.Sprintf("Also paid for: unknown: %v", err))
	}
	return append(lines, b.Words()...)
}
