package rules_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// closed returns a session that decided to do something.
func closed(t *testing.T, edit func(*council.Charter)) *floor {
	t.Helper()
	f := inRound(t, edit)
	f.carry()
	f.say("summary.ada", council.Summary{SummaryMarkdown: "S", RequiresExecution: true, ExecutionBrief: &brief})
	f.outcome()
	return f
}

// approved returns a closed session whose document and brief were voted on.
func approved(t *testing.T, edit func(*council.Charter)) *floor {
	t.Helper()
	f := inRound(t, func(c *council.Charter) {
		documented(c)
		if edit != nil {
			edit(c)
		}
	})
	f.carry()
	f.calls("p1.r1.t1")
	f.draft("# Doc")
	f.ballots("yyy")
	f.outcome()
	return f
}

func (f *floor) refuses(r council.Ruling) {
	f.Helper()
	before := len(f.s.Events())
	check.ErrorIs(f, "the ruling", rules.ErrBadRuling, check.Err(f.s.Rule(r)))
	check.Is(f, "events after a refused ruling", before, len(f.s.Events()))
}

func (f *floor) wantExecution(want council.ExecutionStatus) {
	f.Helper()
	check.Is(f, "the execution stands at", want, f.s.Handoff().Status)
}

func TestProtocolLimits_ExecutionAwaitsApproval(t *testing.T) {
	cites(t, 58, 59, 61, 62)
	f := closed(t, nil)
	f.wantExecution(council.ExecutionAwaitingApproval)
	f.refuses(council.ExecutionStarted{By: "me", BriefSHA256: brief.SHA256()})
	f.refuses(council.ExecutionApproved{By: "me", BriefSHA256: council.Digest("another")})
	f.refuses(council.ExecutionFinished{By: "me"})
	f.rule(council.ExecutionApproved{By: "me", BriefSHA256: brief.SHA256()})
	f.wantExecution(council.ExecutionPermitted)
	f.rule(council.ExecutionStarted{By: "me", BriefSHA256: brief.SHA256()})
	f.wantExecution(council.ExecutionUnderWay)
	f.refuses(council.BriefAmended{By: "me"})
	f.rule(council.ExecutionFinished{By: "me", Succeeded: true})
	f.wantExecution(council.ExecutionSucceeded)
	f.refuses(council.ExecutionApproved{By: "me", BriefSHA256: brief.SHA256()})
}

func TestProtocolLimits_ACharterMayWaiveApproval(t *testing.T) {
	cites(t, 58, 62)
	f := approved(t, free)
	f.wantExecution(council.ExecutionCleared)
	f.rule(council.ExecutionStarted{By: "bot", BriefSHA256: brief.SHA256()})
	f.rule(council.ExecutionFinished{By: "bot", Note: "it broke"})
	f.wantExecution(council.ExecutionFailed)
}

func TestProtocolLimits_AnAmendedBriefVoidsApprovals(t *testing.T) {
	cites(t, 59, 60)
	f := closed(t, nil)
	f.rule(council.ExecutionApproved{By: "me", BriefSHA256: brief.SHA256()})
	other := brief
	other.Steps = []council.Step{{Step: "One"}, {Step: "Two"}}
	f.rule(council.BriefAmended{By: "me", Brief: other})
	f.wantExecution(council.ExecutionAwaitingApproval)
	f.refuses(council.ExecutionApproved{By: "me", BriefSHA256: brief.SHA256()})
	f.rule(council.ExecutionRejected{By: "me", BriefSHA256: other.SHA256(), Reason: "too much"})
	f.wantExecution(council.ExecutionRefused)
	f.rule(council.ExecutionApproved{By: "me", BriefSHA256: other.SHA256()})
	f.wantExecution(council.ExecutionPermitted)
}

func TestProtocolLimits_OnlyExecutionIsRuledOnAfterTheEnd(t *testing.T) {
	cites(t, 61, 69, 70)
	f := closed(t, nil)
	f.refuses(council.SessionAdjourned{By: "me"})
	f.refuses(council.NoteGiven{By: "me", Text: "It is late."})
	f.refuses(council.BudgetAmended{By: "me"})
	f.refuses(council.ServerMoved{By: "me", Member: "ada", BaseURL: "http://10.0.0.7:8000"})
	f.refuses(council.SessionResumed{By: "me"})
	f.refuses(council.SessionSuspended{Fault: council.Fault{Kind: council.FaultCancelled}})
	open := inRound(t, nil)
	open.refuses(council.ExecutionApproved{By: "me"})
	open.refuses(council.BriefAmended{By: "me"})
}

func TestProtocolLimits_ACurableFaultSuspends(t *testing.T) {
	cites(t, 63, 66)
	for _, kind := range council.FaultKinds() {
		if !kind.Curable() {
			continue
		}
		f := inRound(t, nil)
		before := f.s.View(f.ask("p1.r1.t1.turn.ada"))
		f.fault("p1.r1.t1.turn.ada", kind)
		got := f.s.Suspended()
		check.That(t, got != nil && got.Kind == kind, "%s: suspended is %v", kind, got)
		f.wantOpen("p1.r1.t1.turn.ada")
		f.rule(council.SessionResumed{By: "me"})
		check.Is(t, string(kind)+": still suspended", false, f.s.Suspended() != nil)
		check.Equal(t, fmt.Sprintf("%s: the view changed", kind), before, f.s.View(f.ask("p1.r1.t1.turn.ada")))
		f.contribute()
	}
}

func TestProtocolLimits_AnIncurableFaultIsAnAbsenceOrASpoiltBallot(t *testing.T) {
	cites(t, 64, 28)
	for kind, want := range map[council.FaultKind]council.Standing{
		council.FaultRefusal:        council.StandingAbsent,
		council.FaultEmpty:          council.StandingAbsent,
		council.FaultContextTooLong: council.StandingAbsent,
		council.FaultTruncated:      council.StandingInvalid,
		council.FaultUnparsable:     council.StandingInvalid,
	} {
		f := inRound(t, nil)
		f.move()
		f.second("y")
		f.fault("p1.r1.t1.ballot.ada", kind)
		got := last[council.MemberFaulted](f)
		check.That(t, got.Standing == want && got.Fault.Kind == kind && got.Fault.Message == "in a test", "%s: %+v", kind,
			got)
		f.ballots("yy")
		decided := last[council.MotionDecided](f)
		check.That(t, decided.Count.Yes == 2 && decided.Count.No+decided.Count.Abstain == 0, "%s: %+v", kind, decided.Count)
	}
}

func TestProtocolLimits_NobodySpeaksForAnother(t *testing.T) {
	cites(t, 65)
	f := inRound(t, nil)
	for name, r := range map[string]council.Reply{
		"neither body nor fault": {Ask: "p1.r1.t1.turn.ada"},
		"both": {Ask: "p1.r1.t1.turn.ada", Body: council.Turn{Action: council.ActionPass, Reason: "r"},
			Fault: &council.Fault{Kind: council.FaultRefusal}},
		"another contract": {Ask: "p1.r1.t1.turn.ada", Body: council.Ballot{Ballot: council.ChoiceYes}},
		"unknown fault":    {Ask: "p1.r1.t1.turn.ada", Fault: &council.Fault{Kind: "mood"}},
	} {
		check.ErrorIs(t, name, council.ErrBadReply, check.Err(f.s.Answer(r)))
	}
	f.fault("p1.r1.t1.turn.ada", council.FaultRefusal)
	e := f.s.Events()[len(f.s.Events())-1]
	e.Seq++
	e.Actor = "bob" // bob's turn is open, but the event speaks as cyn
	e.Turn, e.Payload = 2, council.ContributionMade{
		Answered: council.Answered{Ask: "p1.r1.t3.turn.cyn"},
		Message:  "As cyn.",
	}
	check.ErrorIs(t, "a forged event gave", rules.ErrBadEvent, f.s.Apply(e))
}

func withUsage(tokens, ms int64) council.Usage {
	return council.Usage{Calls: 1, InputTokens: tokens, ElapsedMS: ms}
}

func TestProtocolLimits_ABudgetBelongsToTheSession(t *testing.T) {
	cites(t, 67, 68, 69)
	f := convene(t, func(c *council.Charter) { c.Budget.Tokens = 100 })
	for i, m := range []council.MemberID{"ada", "bob", "cyn"} {
		f.answer(council.Reply{Ask: council.AskID("nominate." + m), Usage: withUsage(int64(30*i+20), 0),
			Body: council.Nomination{CandidateID: "ada"}})
		suspended := f.s.Suspended() != nil
		check.That(t, suspended == (m == "cyn"), "after %s: suspended is %v", m, suspended)
	}
	check.Is(t, "tokens are spent", 150, f.s.Spent().Tokens())
	f.rule(council.SessionResumed{By: "me"})
	check.Is(t, "suspended after a resume", true, f.s.Suspended() != nil)
	f.rule(council.BudgetAmended{By: "me", Budget: council.Budget{Tokens: 151}})
	f.rule(council.SessionResumed{By: "me"})
	f.wantOpen("p1.r1.t1.turn.ada")
	check.Is(t, "suspended within the new budget", false, f.s.Suspended() != nil)
	f.refuses(council.BudgetAmended{By: "me", Budget: council.Budget{Tokens: -1}})
}

func TestProtocolLimits_AMovedServerIsNamedByARuling(t *testing.T) {
	cites(t, 69)
	const was, is = "http://10.0.0.7:8000/v1", "http://10.0.0.8:8000/v1"
	f := convene(t, func(c *council.Charter) {
		c.Members[0].Model = council.Model{Provider: "vllm", Model: "m", BaseURL: was, APIKeyEnv: "GPU_KEY",
			Fallbacks: []council.Model{
				{Provider: "vllm", Model: "n", BaseURL: was}, {Provider: "ollama", Model: "o", BaseURL: was},
				{Provider: "vllm", Model: "p"}}}
		c.Members[1].Model = council.Model{Provider: "human"}
	})
	const ada = council.MemberID("ada")
	for _, wrong := range []council.ServerMoved{
		{Member: "nobody", BaseURL: is}, {Member: "bob", BaseURL: is}, {Member: ada}, {Member: ada, BaseURL: "10.0.0.8:8000"},
		{Member: ada, BaseURL: "http://me:secret@10.0.0.8"}, {Member: ada, BaseURL: "http://10.0.0.8/?api_key=x"},
	} {
		f.refuses(wrong)
	}
	shown := f.s.Reached()
	before := shown.Members[0].Model.Fallbacks[0]
	f.rule(council.ServerMoved{By: "me", Member: ada, BaseURL: is})
	now := f.s.Reached().Member(ada).Model
	check.That(t, now.BaseURL == is && now.APIKeyEnv == "GPU_KEY" && now.Fallbacks[0].BaseURL == is &&
		now.Fallbacks[1].BaseURL == was && now.Fallbacks[2].BaseURL == "", "it is asked at %+v", now)
	if frozen := f.s.Charter().
		Member(ada).
		Model; frozen.BaseURL != was || frozen.Fallbacks[0].BaseURL != was || before.BaseURL != was {
		t.Errorf("the frozen charter says %+v", frozen)
	}
	again := check.Get(rules.Replay(rules.Log(f.s.Events()...)))(t)
	check.Is(t, "after a replay", is, again.Reached().Member(ada).Model.BaseURL)
}

func TestProtocolLimits_TimeOfParallelAsksCountsOnce(t *testing.T) {
	cites(t, 67, 68)
	f := convene(t, func(c *council.Charter) { c.Budget.Minutes = 1 })
	for i, m := range []council.MemberID{"ada", "bob", "cyn"} {
		f.answer(council.Reply{Ask: council.AskID("nominate." + m), Usage: withUsage(0, int64(10_000+i*20_000)),
			Body: council.Nomination{CandidateID: "ada"}})
	}
	check.Is(t, "ms are spent", 50_000, f.s.Spent().ElapsedMS)
	f.answer(council.Reply{Ask: "p1.r1.t1.turn.ada", Usage: withUsage(0, 10_000),
		Body: council.Turn{Action: council.ActionPass, Reason: "r"}})
	got := f.s.Suspended()
	check.That(t, got != nil && got.Kind == council.FaultBudget, "suspended is %v", got)
}

func TestProtocolLimits_AFaultyTryIsPaidForToo(t *testing.T) {
	cites(t, 67)
	f := inRound(t, nil)
	f.answer(
		council.Reply{Ask: "p1.r1.t1.turn.ada", Usage: withUsage(7, 0), Fault: &council.Fault{Kind: council.FaultRate}},
	)
	f.answer(
		council.Reply{Ask: "p1.r1.t1.turn.ada", Usage: withUsage(5, 0), Fault: &council.Fault{Kind: council.FaultRefusal}},
	)
	check.Is(t, "tokens are spent", 12, f.s.Spent().Tokens())
}

func TestProtocolLimits_AnAdjournedSessionClosesWithWhatItHas(t *testing.T) {
	cites(t, 70)
	f := inRound(t, documented)
	f.move()
	f.rule(council.SessionAdjourned{By: "me", Reason: "lunch"})
	got := f.outcome()
	check.That(t, got.Ended == council.SessionCutShort && !got.Decided &&
		got.Documentation == council.DocumentationMissing, "got %+v", got)
	_, err := f.s.Answer(council.Reply{Ask: "p1.r1.t1.second.bob", Body: council.Second{Second: true}})
	check.ErrorIs(t, "a moot reply gave", rules.ErrNotPending, err)
}

func TestProtocolLimits_LateAndDuplicateRepliesAreHarmless(t *testing.T) {
	cites(t, 71)
	f := inRound(t, nil)
	f.contribute()
	before := f.s.Ready()
	_, err := f.s.Answer(
		council.Reply{Ask: "p1.r1.t1.turn.ada", Body: council.Turn{Action: council.ActionPass, Reason: "r"}},
	)
	check.ErrorIs(t, "a duplicate gave", rules.ErrNotPending, err)
	check.Equal(t, "it", before, f.s.Ready())
}

func TestProtocolLimits_OnlyWhatFollowsIsApplied(t *testing.T) {
	cites(t, 72)
	f := convene(t, nil)
	f.say("nominate.ada", council.Nomination{CandidateID: "ada"})
	f.say("nominate.bob", council.Nomination{CandidateID: "ada"})
	e := check.Get(f.s.Answer(council.Reply{Ask: "nominate.cyn", Body: council.Nomination{CandidateID: "ada"}}))(t)
	check.OK(t, f.s.Apply(e))
	due := *f.s.Ready().Event
	for name, change := range map[string]func(*council.Event){
		"another leader": func(e *council.Event) {
			p := e.Payload.(council.LeaderElected)
			p.Leader = "bob"
			e.Payload = p
		},
		"another sequence":    func(e *council.Event) { e.Seq++ },
		"another consequence": func(e *council.Event) { e.Payload = council.PositionsOpened{} },
		"a speaker":           func(e *council.Event) { e.Actor = "ada" },
		"a phase":             func(e *council.Event) { e.Phase = "decide" },
		"no payload":          func(e *council.Event) { e.Payload = nil },
		"a ruling first":      func(e *council.Event) { e.Payload = council.SessionAdjourned{By: "me"} },
	} {
		forged := due
		change(&forged)
		check.ErrorIs(t, name, rules.ErrBadEvent, f.s.Apply(forged))
		check.Equal(t, fmt.Sprintf("%s changed what is due", name), due, *f.s.Ready().Event)
	}
	f.refuses(council.SessionAdjourned{})
	check.OK(t, f.s.Apply(due))
}

func TestProtocolLimits_AnEmptyLogIsNoSession(t *testing.T) {
	cites(t, 72)
	check.ErrorIs(t, "it", rules.ErrBadEvent, check.Err(rules.Replay(rules.Log())))
	broken := errors.New("the disk")
	_, err := rules.Replay(func(yield func(council.Event, error) bool) { yield(council.Event{}, broken) })
	check.ErrorIs(t, "it", broken, err)
}
