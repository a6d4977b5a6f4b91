package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

// What a brief says is remembered only where the council decided that it be carried out, and a person or the charter
// cleared it.
func TestABriefThatNobodyDecidedLeavesNothing(t *testing.T) {
	free := func(c *council.Charter) { c.Execution.RequireHumanApproval = false }
	unapproved := blocked()
	unapproved.motion, unapproved.summary, unapproved.edit = installing, executing("Install it"),
		func(c *council.Charter) {
			free(c)
			documented(c)
		}
	approved := unapproved
	approved.rulings = []council.Ruling{council.ExecutionApproved{By: "Grace"}}
	lost := script{motion: installing, summary: executing("Install it"), edit: free,
		lines: no("p1.r1.t1.ballot.boole", "p1.r1.t1.ballot.curie")}
	const risk, criterion, awaits = "It may burn.", "It does not burn.", "What was decided on"
	for name, c := range map[string]struct {
		script     script
		leaves     []string
		leavesNone []string
	}{
		"a lost motion": {lost, nil, []string{risk, criterion, awaits, "Install it"}},
		"no motion": {script{summary: executing("Install it"), edit: free}, nil,
			[]string{risk, criterion, awaits, "Install it"}},
		"a motion that carried, and a document": {script{motion: installing, summary: executing("Install it"),
			edit: func(c *council.Charter) { free(c); documented(c) }}, []string{risk, criterion}, []string{awaits}},
		"a brief that nobody voted on": {script{motion: installing, summary: executing("Install it"), edit: free},
			[]string{risk, awaits}, []string{criterion}},
		"a document that is not approved":         {unapproved, []string{risk, awaits}, []string{criterion}},
		"a document not approved, and a person's": {approved, []string{risk, criterion}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := held(t, c.script)
			has := func(words string) bool {
				return slices.ContainsFunc(s.books[""].Records, func(r memory.Record) bool {
					return strings.HasPrefix(r.Summary, words) && (r.Kind != memory.KindOutcome)
				})
			}
			for _, words := range c.leaves {
				if !has(words) {
					t.Errorf("%q is not remembered:\n%s", words, told(s.books[""]))
				}
			}
			for _, words := range c.leavesNone {
				if has(words) {
					t.Errorf("%q is remembered:\n%s", words, told(s.books[""]))
				}
			}
		})
	}
}

// An approval in advance says nothing that a person prefers.
func TestAnApprovalInAdvanceIsNoPreference(t *testing.T) {
	s := held(t, script{motion: installing, summary: executing("Install it"), edit: documented,
		rulings: []council.Ruling{council.ExecutionApproved{By: "Grace", InAdvance: true}}})
	for _, r := range s.books[""].Records {
		if r.Kind == memory.KindPreference {
			t.Errorf("remembered as a preference: %q", r.Summary)
		}
	}
	s.wants(t, "", "What was decided on", memory.StatusResolved)
}
