package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

func TestFold_ErasedEventsLeaveNothing(t *testing.T) {
	s := newStore()
	for _, tell := range story {
		session := tell(t, s).hold(t)
		for i := range session.Entries {
			erased := session
			erased.Entries = slices.Clone(session.Entries)
			erased.Entries[i].Payload = nil
			for _, m := range owners() {
				after, _ := memory.FoldSession(s.books[m], erased)
				if i > 0 && len(after.Recent) == 0 {
					t.Errorf("%s without e%d is not folded in", session.ID, i+1)
				}
			}
		}
		erased := session
		erased.Entries = slices.Clone(session.Entries)
		for i := range erased.Entries {
			erased.Entries[i].Payload = council.EditTexts(erased.Entries[i].Payload,
				func(kind council.TextKind, text string) string {
					if kind == council.TextMember || kind == council.TextID {
						return text
					}
					return council.ForgottenMark
				})
		}
		for _, m := range owners() {
			after, _ := memory.FoldSession(memory.Book{Member: m}, erased)
			if text := told(after); strings.Contains(text, "forgotten") {
				t.Errorf("%s, forgotten, leaves\n%s", session.ID, text)
			}
		}
		s.close(session)
	}
}

func TestFold_ErasedCloseStillCounts(t *testing.T) {
	session := script{id: "s1", topic: topic, at: day(0), motion: installing, summary: executing("Install it"),
		rulings: []council.Ruling{
			council.ExecutionRejected{By: "Grace", Reason: "Too dear."},
		}}.hold(t)
	session.Entries[len(session.Entries)-2].Payload = nil
	b, _ := memory.FoldSession(memory.Book{}, session)
	if b.Sessions != 1 || !slices.ContainsFunc(b.Records,
		func(r memory.Record) bool { return strings.HasPrefix(r.Summary, "Grace rejected") }) {
		t.Errorf("the book has %d sessions:\n%s", b.Sessions, told(b))
	}
}

func TestBrief_LeavesNothingUnlessDecidedAndCleared(t *testing.T) {
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

func TestBrief_ApprovalInAdvanceIsNoPreference(t *testing.T) {
	s := held(t, script{motion: installing, summary: executing("Install it"), edit: documented,
		rulings: []council.Ruling{council.ExecutionApproved{By: "Grace", InAdvance: true}}})
	for _, r := range s.books[""].Records {
		if r.Kind == memory.KindPreference {
			t.Errorf("remembered as a preference: %q", r.Summary)
		}
	}
	s.wants(t, "", "What was decided on", memory.StatusResolved)
}
