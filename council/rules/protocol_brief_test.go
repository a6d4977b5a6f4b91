package rules_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
)

// rolled is the brief with a step that the first draft lacked.
var rolled = council.Brief{Objective: "Do it", RecommendedExecutorProfile: "engineer", Motions: []string{"p1.r1.t1"},
	Steps: []council.Step{{Step: "One"}, {Step: "Roll back"}}}

// revised plays a session whose second draft comes with the given brief, and has the members vote on it.
func revised(t *testing.T, stated *council.Brief, ballots string) *floor {
	t.Helper()
	f := inRound(t, func(c *council.Charter) { free(c); documented(c) })
	f.carry()
	f.calls("p1.r1.t1")
	f.draft("# Doc")
	f.ballots("ynn")
	for _, id := range f.open() {
		f.say(id, council.Review{CriticalBlockers: []council.Blocker{{Problem: "No way back"}}})
	}
	f.say("d2.draft.ada", council.Draft{Markdown: "# Doc\n\nRoll back.", ExecutionBrief: stated})
	f.ballots(ballots)
	for _, id := range f.open() {
		f.say(id, council.Review{})
	}
	return f
}

func TestBrief_IsThatOfTheApprovedDraft(t *testing.T) {
	cites(t, 58, 232, 233, 234)
	unnamed := rolled
	unnamed.Motions = nil
	for name, c := range map[string]struct {
		stated *council.Brief
		want   council.Brief
	}{
		"stated anew":                 {&rolled, rolled},
		"stated anew, without naming": {&unnamed, rolled},
		"left out":                    {nil, brief},
	} {
		t.Run(name, func(t *testing.T) {
			f := revised(t, c.stated, "yyy")
			f.outcome()
			f.wantExecution(council.ExecutionCleared)
			got, sha := f.s.Handoff().Brief, f.s.Handoff().BriefSHA256
			if diff := cmp.Diff(&c.want, got); diff != "" || sha != c.want.SHA256() {
				t.Errorf("it hands over %s (-want +got):\n%s", sha, diff)
			}
			cast := last[council.BallotCast](f)
			if d := last[council.DraftDecided](f); cast.Draft == nil || cast.Draft.BriefSHA256 != sha ||
				d.BriefSHA256 != sha || d.SHA256 != council.Digest("# Doc\n\nRoll back.") {
				t.Errorf("the ballots are on %+v, and %+v was decided", cast.Draft, d.DraftRef)
			}
		})
	}
}

func TestBrief_WithoutABallotIsLeftToAPerson(t *testing.T) {
	cites(t, 109, 235)
	for name, c := range map[string]struct {
		f   *floor
		why council.Withholding
	}{
		"no document":                 {closed(t, free), council.WithheldUnvoted},
		"a document that was refused": {revised(t, &rolled, "nnn"), council.WithheldDocument},
	} {
		t.Run(name, func(t *testing.T) {
			sha := c.f.s.Handoff().BriefSHA256
			c.f.wantExecution(council.ExecutionAwaitingApproval)
			if h := c.f.s.Handoff(); h.Held() != c.why || h.Held().Why() == "" {
				t.Errorf("it is held as %q: %q", h.Held(), h.Held().Why())
			}
			c.f.refuses(council.ExecutionStarted{By: "bot", BriefSHA256: sha})
			c.f.refuses(council.ExecutionApproved{By: "me", BriefSHA256: sha, InAdvance: true})
			c.f.rule(council.ExecutionApproved{By: "me", BriefSHA256: sha})
			c.f.wantExecution(council.ExecutionPermitted)
		})
	}
}

// A first draft states no brief anew, and neither does one of a session without a brief.
func TestBrief_IsNotStatedWhereNoneIsToBeStatedAnew(t *testing.T) {
	cites(t, 233)
	f := inDraft(t, nil)
	f.say("d1.draft.ada", council.Draft{Markdown: "# Doc", ExecutionBrief: &rolled})
	f.ballots("yyy")
	if o := f.outcome(); last[council.DraftWritten](f).ExecutionBrief != nil || o.Draft.BriefSHA256 != "" ||
		f.s.Handoff().Status != council.ExecutionNotRequired {
		t.Errorf("got %+v", o)
	}
}

func TestBrief_RecordsIDsForWords(t *testing.T) {
	cites(t, 107)
	f := inRound(t, nil)
	f.carry()
	f.calls("we do")
	b := f.s.Handoff().Brief
	if want := []string{"p1.r1.t1"}; b == nil || !slices.Equal(b.Motions, want) {
		t.Errorf("the brief is recorded as %+v, want it to name %q", b, want)
	}
}
