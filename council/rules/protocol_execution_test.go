package rules_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// calls has the leader call for the execution of the brief, naming the given motions.
func (f *floor) calls(motions ...string) council.Brief {
	f.Helper()
	b := brief
	b.Motions = motions
	f.say("summary.ada", council.Summary{SummaryMarkdown: "S", RequiresExecution: true, ExecutionBrief: &b})
	return b
}

// loses has the open turn move a motion that is lost without anybody's YES.
func (f *floor) loses() {
	f.Helper()
	f.moveAndVote("nnn")
}

// unattended has the open turn move a motion whose vote has no quorum.
func (f *floor) unattended() {
	f.Helper()
	f.moveAndVote("y--")
}

func free(c *council.Charter) { c.Execution.RequireHumanApproval = false }

// onward adds a phase "again" that always follows the first.
func onward(c *council.Charter) {
	c.Phases = append(c.Phases, phase("again"))
	c.Phases[0].Transitions = []council.Transition{{To: "again", When: council.TriggerAlways}}
	c.Phases[0].StopConditions.MaxRounds, c.Phases[1].StopConditions.MaxRounds = 1, 1
}

// The first phase carries p1.r1.t1 against one NO, and a second phase follows it.
func TestTheDecidingPhase_ItsLastVisitDecides(t *testing.T) {
	cites(t, 55, 56, 215, 230)
	allPass := (*floor).allPass
	lost := func(f *floor) { f.loses(); f.pass(); f.pass() }
	carried := func(f *floor) { f.carry(); f.pass(); f.pass() }
	for name, c := range map[string]struct {
		decides int // the phase, by its place
		edit    func(*council.Charter)
		then    func(*floor)
		want    council.MotionID
		dissent []string // the questions for one
	}{
		"the second passes":         {1, nil, allPass, "", nil},
		"the second loses":          {1, nil, lost, "", nil},
		"the second lacks a quorum": {1, nil, func(f *floor) { f.unattended(); f.pass(); f.pass() }, "", nil},
		"lost, then no quorum":      {1, nil, func(f *floor) { f.loses(); f.unattended(); f.pass() }, "", nil},
		"lost, then carried":        {1, nil, func(f *floor) { f.loses(); f.carry(); f.pass() }, "p2.r1.t2", nil},
		"carried, then lost":        {1, nil, func(f *floor) { f.carry(); f.loses(); f.pass() }, "p2.r1.t1", nil},
		"the second is not reached": {1, func(c *council.Charter) {
			c.Phases[0].Transitions[0].When = council.TriggerRoundLimit
		}, func(*floor) {}, "", nil},

		"a plan passes":     {0, nil, allPass, "p1.r1.t1", []string{"dissent.cyn"}},
		"a plan loses":      {0, nil, lost, "p1.r1.t1", []string{"dissent.cyn"}},
		"a plan is carried": {0, nil, carried, "p1.r1.t1", []string{"dissent.cyn"}},

		"a second visit passes": {0, back, func(f *floor) { carried(f); f.allPass() }, "", nil},
		"a second visit carries": {0, back, func(f *floor) { allPass(f); f.carry() }, "p3.r1.t1",
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, func(charter *council.Charter) {
				onward(charter)
				charter.Phases[c.decides].Decides = true
				charter.Phases[1].StopConditions.EndOnMajorityVote = false
				if c.edit != nil {
					c.edit(charter)
				}
			})
			f.moveAndVote("yyn")
			c.then(f)
			f.summarise()
			asked := f.open()
			check.Equal(t, "may dissent", c.dissent, asked)
			for _, id := range asked {
				f.say(id, council.Dissent{})
			}
			var by council.MotionID
			o := f.outcome()
			if o.Last() != nil {
				by = o.Last().Motion
			}
			check.That(t, by == c.want && o.Decided == (c.want != ""), "decided %v by %q, want %q", o.Decided, by, c.want)
		})
	}
}

// back leads from the second phase to the first once more.
func back(c *council.Charter) {
	c.SessionPolicy.MaxPhaseTransitions = 2
	c.Phases[1].Transitions = []council.Transition{{To: c.Phases[0].ID, When: council.TriggerAlways}}
}

// Votes on drafts and on the sealed positions go by the phase that decides, whichever is entered first or last.
func TestTheDecidingPhase_ItsGovernanceHoldsForDraftsAndTheBaseline(t *testing.T) {
	cites(t, 50, 218)
	for decides, want := range []int{3, 2} {
		f := convene(t, func(c *council.Charter) {
			onward(c)
			documented(c)
			c.Deliberation.SealedPositions, c.Deliberation.Stances = true, true
			c.Phases[0].Governance.MajorityThreshold = "1"
			c.Phases[decides].Decides = true
		})
		f.seal("yes", "yes", "no")
		check.Is(t, fmt.Sprintf("phase %d decides: a baseline needs", decides), want, last[council.Baseline](f).Needed)
		f.elect("ada", "ada", "ada")
		f.allPass()
		f.allPass()
		f.summarise()
		f.draft("# Doc")
		f.ballots("yyy")
		check.Is(t, fmt.Sprintf("phase %d decides: a draft needs", decides), want, last[council.DraftDecided](f).Needed)
	}
}

// Only a decision of the council is carried out, with any summary of the leader.
func TestProtocolExecution_ExecutionFollowsFromADecision(t *testing.T) {
	cites(t, 58, 62, 106, 108)
	for name, c := range map[string]struct {
		play     func(*floor)
		twice    bool // there is a second phase
		withheld council.Withholding
	}{
		"three motions lost": {func(f *floor) { f.loses(); f.loses(); f.loses() }, false,
			council.WithheldUndecided},
		"nothing moved": {func(f *floor) { f.pass(); f.pass(); f.pass() }, false, council.WithheldUndecided},
		"a decision that was undone": {func(f *floor) { f.carry(); f.loses(); f.loses(); f.loses() }, true,
			council.WithheldUndecided},
		"a brief for a motion that lost": {func(f *floor) { f.loses(); f.carry() }, false, council.WithheldMotion},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, func(ch *council.Charter) {
				free(ch)
				if onward(ch); !c.twice {
					ch.Phases, ch.Phases[0].Transitions = ch.Phases[:1], nil
				}
			})
			c.play(f)
			var named []string
			if c.withheld == council.WithheldMotion {
				named = []string{"p1.r1.t1"}
			}
			b := f.calls(named...)
			got := f.outcome()
			check.That(t, !got.RequiresExecution && got.ExecutionWithheld == c.withheld && got.Executes == nil, "got %+v", got)
			said := last[council.SummaryWritten](f)
			check.That(t, said.RequiresExecution && cmp.Equal(said.ExecutionBrief, &b), "the leader's words became %+v", said)
			f.wantExecution(council.ExecutionWithheld)
			f.refusesAll(b, c.withheld.Why())
		})
	}
}

// refusesAll refuses every ruling on the execution, and says why.
func (f *floor) refusesAll(b council.Brief, why string) {
	f.Helper()
	sha := b.SHA256()
	for _, r := range []council.Ruling{
		council.ExecutionApproved{By: "me", BriefSHA256: sha},
		council.ExecutionApproved{By: "me", BriefSHA256: sha, InAdvance: true},
		council.ExecutionRejected{By: "me", BriefSHA256: sha}, council.ExecutionStarted{By: "me", BriefSHA256: sha},
		council.ExecutionFinished{By: "me", Succeeded: true}, council.BriefAmended{By: "me", Brief: brief},
	} {
		f.refuses(r)
		if _, err := f.s.Rule(r); why == "" || !strings.Contains(err.Error(), why) {
			f.Errorf("%T is refused without saying that %q: %v", r, why, err)
		}
	}
}

func TestProtocolExecution_AnUnapprovedDocumentLeavesTheBriefToAPerson(t *testing.T) {
	cites(t, 109, 110)
	for name, close := range map[string]func(*floor){
		"not approved": func(f *floor) {
			for range 2 {
				f.draft("# Doc")
				f.ballots("nnn")
				for _, id := range f.open() {
					f.say(id, council.Review{CriticalBlockers: []council.Blocker{{Problem: "P"}}})
				}
			}
		},
		"never written": func(f *floor) {
			for _, leader := range []string{"ada", "bob", "cyn"} {
				f.fault("d1.draft."+leader, council.FaultRefusal)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, func(c *council.Charter) { free(c); documented(c) })
			f.carry()
			b := f.calls("p1.r1.t1")
			close(f)
			got := f.outcome()
			check.That(t, !got.RequiresExecution && got.ExecutionWithheld == council.WithheldDocument &&
				cmp.Equal(got.Executes, []council.MotionID{"p1.r1.t1"}), "got %+v", got)
			f.wantExecution(council.ExecutionAwaitingApproval)
			f.refuses(council.ExecutionStarted{By: "me", BriefSHA256: b.SHA256()})
			f.refuses(council.ExecutionApproved{By: "me", BriefSHA256: b.SHA256(), InAdvance: true})
			f.rule(council.BriefAmended{By: "me", Brief: brief})
			f.wantExecution(council.ExecutionAwaitingApproval)
			f.rule(council.ExecutionApproved{By: "me", BriefSHA256: brief.SHA256()})
			f.wantExecution(council.ExecutionPermitted)
			f.rule(council.ExecutionStarted{By: "me", BriefSHA256: brief.SHA256()})
		})
	}
}

func TestProtocolExecution_AnApprovalInAdvanceIsRecordedAsSuch(t *testing.T) {
	cites(t, 110)
	f := approved(t, nil)
	f.rule(council.ExecutionApproved{By: "me", BriefSHA256: brief.SHA256(), InAdvance: true})
	f.wantExecution(council.ExecutionPermitted)
	check.That(t, last[council.ExecutionApproved](f).InAdvance && f.s.Handoff().Approval.InAdvance,
		"it is recorded as one of a brief that was read")
}

func TestProtocolExecution_ABriefNamesTheMotionsItCarriesOut(t *testing.T) {
	cites(t, 107, 108, 231)
	resolved, unvoted := []council.MotionID{"p2.r1.t1"}, council.WithheldUnvoted
	made := map[council.MotionID]string{}
	for name, c := range map[string]struct {
		names []string
		want  []council.MotionID
		why   council.Withholding
	}{
		"none":                          {nil, nil, council.WithheldUnnamed},
		"a finding of the phase before": {[]string{"p1.r1.t1"}, nil, council.WithheldUnnamed},
		"both, of which one twice":      {[]string{"p2.r1.t1", " [P1.r1.t1]", "p2.r1.t1"}, resolved, unvoted},
		"what is not a motion":          {[]string{"the motion", "e1", ""}, nil, council.WithheldUnnamed},
		"by event":                      {[]string{"made", "decided"}, resolved, unvoted},
		"with other words":              {[]string{"Motion p2.r1.t1: that we do"}, resolved, unvoted},
		"by what it decides":            {[]string{"“we do”"}, resolved, unvoted},
		"one that carried, one not":     {[]string{"p2.r1.t1", "p2.r1.t2"}, nil, council.WithheldMotion},
		"one that died":                 {[]string{"p1.r1.t2"}, nil, council.WithheldMotion},
	} {
		t.Run(name, func(t *testing.T) {
			f := inRound(t, func(c *council.Charter) {
				onward(c)
				for i := range c.Phases {
					c.Phases[i].StopConditions.EndOnMajorityVote = false
				}
			})
			f.carry()
			f.move()
			f.second("nn")
			f.pass()
			f.carry()
			f.loses()
			f.pass()
			names := append([]string{}, c.names...)
			for _, e := range f.s.Events() {
				switch p := e.Payload.(type) {
				case council.MotionMade:
					made[p.Motion] = e.Seq.ID()
				case council.MotionDecided:
					if len(names) == 2 && names[1] == "decided" && p.Motion == "p2.r1.t1" {
						names = []string{made["p1.r1.t1"], e.Seq.ID()}
					}
				}
			}
			f.calls(names...)
			for _, id := range f.open() {
				f.say(id, council.Dissent{})
			}
			if got := f.outcome(); !cmp.Equal(got.Executes, c.want) || got.ExecutionWithheld != c.why {
				t.Errorf("it carries out %v, withheld %q", got.Executes, got.ExecutionWithheld)
			}
		})
	}
}

func TestProtocolExecution_AnAmendedBriefNamesWhatCarried(t *testing.T) {
	cites(t, 107, 111)
	f := inRound(t, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 1 })
	f.loses()
	f.carry()
	f.calls("p1.r1.t2")
	for _, name := range []string{"p1.r1.t1", "p9.r1.t1", "whatever"} {
		other := brief
		other.Motions = []string{name}
		f.refuses(council.BriefAmended{By: "me", Brief: other})
	}
	other := brief
	other.Motions = []string{"p1.r1.t2"}
	f.rule(council.BriefAmended{By: "me", Brief: other})
	if got := f.s.Handoff(); !cmp.Equal(got.Executes, []council.MotionID{"p1.r1.t2"}) ||
		got.BriefSHA256 != other.SHA256() {
		t.Errorf("got %+v", got)
	}
}

// A refusal of a ruling names the state of the execution.
func TestProtocolExecution_ARulingIsRefusedInWordsThatSayHowTheExecutionStands(t *testing.T) {
	cites(t, 61, 62)
	sha := brief.SHA256()
	open := inRound(t, nil)
	unbriefed := inRound(t, nil)
	unbriefed.carry()
	unbriefed.summarise()
	permitted := closed(t, nil)
	permitted.rule(council.ExecutionApproved{By: "me", BriefSHA256: sha})
	for want, refused := range map[string]struct {
		f *floor
		r council.Ruling
	}{
		"not closed yet":          {open, council.ExecutionApproved{By: "me"}},
		"called for no execution": {unbriefed, council.ExecutionApproved{By: "me"}},
		"is cleared":              {approved(t, free), council.ExecutionApproved{By: "me", BriefSHA256: sha}},
		"awaits approval":         {closed(t, nil), council.ExecutionStarted{By: "me", BriefSHA256: sha}},
		"approved already":        {permitted, council.ExecutionApproved{By: "me", BriefSHA256: sha}},
	} {
		if _, err := refused.f.s.Rule(refused.r); !errors.Is(err, rules.ErrBadRuling) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%T is refused with %v, which does not say %q", refused.r, err, want)
		}
	}
}
