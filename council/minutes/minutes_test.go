package minutes

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

func TestState(t *testing.T) {
	stop := council.SessionSuspended{Fault: council.Fault{Kind: council.FaultRate}}
	adjourned := council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCutShort}}
	cases := []struct {
		name string
		log  []council.Payload
		want State
	}{
		{"open", []council.Payload{council.SessionStarted{}}, StateRunning},
		{"stopped", []council.Payload{council.SessionStarted{}, stop}, StateSuspended},
		{"resumed", []council.Payload{council.SessionStarted{}, stop, council.SessionResumed{}}, StateRunning},
		{
			"adjourned and not closed yet",
			[]council.Payload{council.SessionStarted{}, stop, council.SessionAdjourned{}},
			StateRunning,
		},
		{"adjourned", []council.Payload{council.SessionStarted{}, council.SessionAdjourned{}, adjourned}, StateAdjourned},
		{"closed", []council.Payload{council.SessionStarted{}, council.SessionClosed{}}, StateUndecided},
		{
			"decided",
			[]council.Payload{council.SessionStarted{}, council.SessionClosed{Outcome: council.Outcome{Decided: true}}},
			StateDecided,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			check.Is(t, "state", c.want, told(c.log...).State())
		})
	}
}

// Every event that has a price is counted once, for its member and for its kind of ask, suspensions included.
func TestMinutes_SpendingCountsEveryAnswer(t *testing.T) {
	a := council.Answered{
		Ask:   "p1.r1.t1.turn.ada",
		Usage: council.Usage{Calls: 1, InputTokens: 2, OutputTokens: 3, Model: "m"},
	}
	log := []council.Payload{
		council.PositionSealed{Answered: a}, council.LeaderBallotCast{Answered: a}, council.ContributionMade{Answered: a},
		council.TurnPassed{Answered: a}, council.QuestionPut{Answered: a}, council.QuestionAnswered{Answered: a},
		council.MotionMade{Answered: a}, council.SecondAnswered{Answered: a}, council.AmendmentsAnswered{Answered: a},
		council.BallotCast{Answered: a}, council.RankingCast{Answered: a},
		council.PhaseAssessed{Answered: a}, council.SummaryWritten{Answered: a},
		council.DraftWritten{Answered: a}, council.ReviewGiven{Answered: a}, council.DissentWritten{Answered: a},
		council.MemberFaulted{Answered: a}, council.SessionSuspended{Ask: a.Ask, Usage: a.Usage},
		council.AnswersProposed{Answered: a},
		council.SessionSuspended{Fault: council.Fault{Kind: council.FaultCancelled}},
	}
	s := told(log...)
	r := s.Replies().Usage()
	want := Usage{Calls: 19, InputTokens: 38, OutputTokens: 57}
	check.That(t, r.Total == want && r.Members[0].Usage == want && len(r.Asks) == 1 && r.Asks[0].Usage == want,
		"report %+v, want %+v everywhere", r, want)
	check.Is(t, "reported model", "m", s.Replies().Reported["ada"])
	priced := 0
	for _, typ := range council.EventTypes() {
		v := reflect.ValueOf(council.NewPayload(typ)).Elem()
		if v.FieldByName("Usage").IsValid() {
			priced++
		}
	}
	check.Is(t, "types of event have a price, and are counted", len(log)-1, priced)
}

// told folds payloads by ada.
// A spare has no seat; once it was asked, its usage and cost are listed and part of the sums.
func TestMinutes_SpendingListsASpareThatWasAsked(t *testing.T) {
	model := council.Model{Provider: "openai", Model: "gpt"}
	answered := council.PositionSealed{Answered: council.Answered{Ask: "position.ada",
		Usage: council.Usage{Calls: 1, OutputTokens: 1_000_000}}}
	for _, asked := range []bool{false, true} {
		log := []council.Payload{council.SessionStarted{Charter: council.Charter{
			Members:      []council.Member{{ID: "bob", Model: model}, {ID: "ada", Model: model}},
			Deliberation: council.Deliberation{Spares: []council.MemberID{"ada"}},
			Prices:       []council.Rate{{Provider: "openai", Model: "gpt", AsOf: "2026-11-27", Output: 2}}}}}
		wantUsage, wantCost := []MemberUsage{{Member: "bob"}}, []MemberCost{{Member: "bob", Cost: new(0.0)}}
		if asked {
			log = append(log, answered)
			wantUsage = append(wantUsage, MemberUsage{Member: "ada", Usage: Usage{Calls: 1, OutputTokens: 1_000_000}})
			wantCost = append(wantCost, MemberCost{Member: "ada", Cost: new(2.0)})
		}
		r := told(log...).Replies().Usage()
		want := UsageReport{Members: wantUsage, Cost: &CostReport{Members: wantCost, Total: wantCost[len(wantCost)-1].Cost}}
		got := UsageReport{Members: r.Members, Cost: &CostReport{Members: r.Cost.Members, Total: r.Cost.Total}}
		check.Equal(t, "usage and cost", want, got)
	}
}

func told(log ...council.Payload) *Minutes {
	s := &Minutes{}
	for i, p := range log {
		s.Take(council.Event{Seq: council.Seq(i + 1), Actor: "ada", Payload: p}, Recorded{At: time.Unix(int64(i), 0)})
	}
	return s
}

// Who stood in for a model that never answered counts among those that did.
func TestMinutes_DiversityCountsWhoAlwaysStoodIn(t *testing.T) {
	var s Minutes
	take := func(who council.MemberID, p council.Payload) {
		s.Take(council.Event{Actor: who, Payload: p}, Recorded{})
	}
	take("", council.SessionStarted{Charter: council.Charter{Members: []council.Member{
		{
			ID: "ada",
			Model: council.Model{Provider: "openai", Model: "gpt-5.4",
				Fallbacks: []council.Model{{Provider: "ollama", Model: "qwen3"}}},
		},
		{ID: "bob", Model: council.Model{Provider: "anthropic", Model: "claude-sonnet-5-5"}},
	}}})
	said := func(ask council.AskID, u council.Usage) council.Payload {
		return council.TurnPassed{Answered: council.Answered{Ask: ask, Usage: u}}
	}
	take("ada", said("p1.r1.t1.turn.ada", council.Usage{Provider: "ollama", Model: "qwen3:8b", Calls: 1}))
	take("bob", said("p1.r1.t2.turn.bob", council.Usage{Model: "claude-sonnet-5-5", Calls: 1}))
	d := s.Replies().Diversity()
	check.That(t, d.Reported.Models == 2 && slices.Equal(d.Reported.Families, []string{"claude", "qwen"}) &&
		slices.Equal(d.Families, []string{"claude", "gpt"}), "%+v", d)
}

func TestMinutes_APromptThatItsServerCutIsOnTheRecord(t *testing.T) {
	var s Minutes
	s.Take(
		council.Event{Payload: council.SessionStarted{Charter: council.Charter{Members: []council.Member{{ID: "ada"}}}}},
		Recorded{},
	)
	for i, tokens := range []int64{2_000, 3_900, 3_100, 3_000} {
		s.Take(council.Event{Seq: council.Seq(i + 2), Actor: "ada", Payload: council.TurnPassed{Answered: council.Answered{
			Ask: "p1.r1.t1.turn.ada", Usage: council.Usage{Calls: 1, PromptBytes: int64(i+1) * 9_000,
				InputTokens: tokens}}}}, Recorded{})
	}
	check.Is(t, "it", "e4", s.Replies().PromptCut["ada"])
}

// A chat template that leaves out the messages is seen at the first answer.
func TestMinutes_APromptThatItsServerLostIsNoticedAtOnce(t *testing.T) {
	var p Prompts
	for tokens, want := range map[int64]bool{3: true, 24: true, 25: false, 300: false, 0: false} {
		u := council.Usage{Calls: 1, PromptBytes: 1_000, InputTokens: tokens}
		id := council.MemberID(fmt.Sprint(tokens, " tokens of 1,000 bytes"))
		check.Is(t, id+": noticed", want, p.NoteUsage(id, "position.ada", u))
	}
}

// Members that have tools are counted, in turn order, once a tool was called.
func TestMinutes_CallsAreCountedWhereTheRecordCountsThem(t *testing.T) {
	charter := council.Charter{
		Members: []council.Member{{ID: "ada", Tools: &council.Tools{}}, {ID: "bob"}, {ID: "cyn", Tools: &council.Tools{}}},
	}
	tally := func(uses ...council.ToolUse) []Lookups {
		return Of([]council.Event{
			{Payload: council.SessionStarted{Charter: charter}},
			{},
			{Actor: "cyn", Payload: council.ContributionMade{Answered: council.Answered{Ask: "turn.cyn", Tools: uses}}},
			{Actor: "cyn", Payload: council.MemberFaulted{Answered: council.Answered{Ask: "turn.cyn", Tools: uses}}},
		}).Replies().Lookups()
	}
	for name, test := range map[string]struct {
		uses []council.ToolUse
		want []Lookups
	}{
		"none": {},
		"some": {[]council.ToolUse{{Bytes: 5}, {Bytes: 7, Failed: true}}, []Lookups{{Member: "ada"},
			{Member: "cyn", Calls: 4, Failed: 2, Bytes: 24}}},
	} {
		check.Equal(t, name, test.want, tally(test.uses...))
	}
}

// An Ollama with a context of 4,096 tokens leaves out the oldest messages, so that its count falls while the prompt
// grows.
func TestMinutes_ACountThatFallsWhileThePromptGrowsIsNoticedOnce(t *testing.T) {
	use := func(bytes, tokens int64) council.Usage {
		return council.Usage{Model: "llama", Calls: 1, PromptBytes: bytes, InputTokens: tokens}
	}
	ask := func(kind council.AskKind) council.AskID { return council.AskID("p1.r1.t1." + string(kind) + ".ada") }
	other := func(u council.Usage, change func(*council.Usage)) council.Usage { change(&u); return u }
	for _, test := range []struct {
		name   string
		usages []council.Usage
		at     int // which of them is noticed; -1: none
	}{
		{"it grows", []council.Usage{use(9_000, 2_000), use(12_000, 2_700), use(16_000, 3_600)}, -1},
		{"it is cut", []council.Usage{use(9_000, 2_000), use(16_000, 3_900), use(18_000, 3_100), use(20_000, 3_000)}, 2},
		{"it starts anew from a digest", []council.Usage{use(16_000, 3_900), use(9_000, 2_000)}, -1},
		{"another model", []council.Usage{use(9_000, 2_000), other(use(12_000, 1_800),
			func(u *council.Usage) { u.Model = "qwen" })}, -1},
		{"one that stood in", []council.Usage{use(9_000, 2_000), other(use(12_000, 1_800),
			func(u *council.Usage) { u.Provider = "ollama" })}, -1},
		{"several calls", []council.Usage{use(9_000, 2_000), other(use(12_000, 1_800),
			func(u *council.Usage) { u.Calls = 2 })}, -1},
		{"the cache counts too", []council.Usage{use(9_000, 2_000), other(use(12_000, 700),
			func(u *council.Usage) { u.CachedTokens = 2_000 })}, -1},
		{"not counted", []council.Usage{use(9_000, 2_000), use(12_000, 0), use(0, 9)}, -1},
	} {
		var p Prompts
		for i, u := range test.usages {
			check.Is(t, test.name, i == test.at, p.NoteUsage("ada", ask(council.AskTurn), u))
		}
	}
	t.Run("a gateway that counts the schema of the reply", func(t *testing.T) {
		var p Prompts
		for _, answer := range []struct {
			kind    council.AskKind
			usage   council.Usage
			noticed bool
		}{
			{council.AskSummary, use(9_000, 3_900), false},
			{council.AskDraft, use(9_100, 2_100), false}, // asked for without a schema
			{council.AskBallot, use(9_200, 2_300), false},
			{council.AskDraft, use(9_300, 2_000), true},
		} {
			check.Is(t, string(answer.kind)+": noticed", answer.noticed, p.NoteUsage("ada", ask(answer.kind), answer.usage))
		}
	})
}

// A dissent is stronger than the reason of a NO, and that is stronger than a blocker; among several it is that of the
// member who was surest at first.
func TestMinutes_TheStrongestObjection(t *testing.T) {
	by := func(m council.MemberID, p council.Payload) council.Event { return council.Event{Actor: m, Payload: p} }
	sealed := func(m council.MemberID, sure float64) council.Event {
		return by(m, council.PositionSealed{Position: council.Position{Confidence: sure}})
	}
	no := func(m council.MemberID, why string) council.Event {
		return by(m, council.BallotCast{Subject: council.Subject{Motion: "p1.r1.t1"},
			Ballot: council.Ballot{Ballot: council.ChoiceNo, Rationale: why}})
	}
	lost := council.Decision{Result: quorum.Lost, Count: quorum.Count{Yes: 1, No: 2}}
	voted := []council.Event{
		sealed("ada", 0.9), sealed("bob", 0.4), sealed("cyn", 0.8),
		by("", council.PhaseStarted{Visit: 1, Phase: "p1"}),
		by("ada", council.MotionMade{Motion: "p1.r1.t1"}),
		no("bob", "It is slow."), no("cyn", "It burns."),
		by("", council.MotionDecided{Motion: "p1.r1.t1", Decision: lost}),
	}
	open := council.Dissent{CriticalBlockers: []council.Blocker{{ID: "b1", Problem: "No way back."}}}
	blocked := append(voted[:3:3], by("ada", council.DraftWritten{DraftRef: council.DraftRef{Version: 1}}),
		by("bob", council.DissentWritten{Dissent: open}))
	for name, test := range map[string]struct {
		log  []council.Event
		want *Objection
	}{
		"none":              {voted[:5], nil},
		"blocker":           {blocked, &Objection{"bob", "e5", "blocker", "No way back."}},
		"the surest ballot": {voted, &Objection{"cyn", "e7", "ballot", "It burns."}},
		"dissent": {append(voted[:8:8], by("bob", council.DissentWritten{Dissent: council.Dissent{Dissent: "Too slow."}})),
			&Objection{"bob", "e9", "dissent", "Too slow."}},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range test.log {
				test.log[i].Seq = council.Seq(i + 1)
			}
			check.Equal(t, "it", test.want, Of(test.log).Objection())
		})
	}
}

// No two words for the state of a session are the same, and all are listed.
func TestMinutes_TheWordsForHowASessionStands(t *testing.T) {
	known := map[string]bool{}
	for _, w := range Words() {
		check.That(t, !known[w], "%q is listed twice", w)
		known[w] = true
	}
	started := council.SessionStarted{}
	started.Charter.Execution.RequireHumanApproval = true
	for want, closed := range map[string]council.Outcome{
		"": {}, "document approved": {Decided: true, Documentation: council.DocumentationApproved},
		"no document": {Documentation: council.DocumentationMissing}, "awaits approval": {RequiresExecution: true},
	} {
		m := told(started, council.SessionClosed{Outcome: closed})
		if got := m.Approval(); got != want || got != "" && !known[got] || !known[string(m.State())] {
			t.Errorf("%q, %s; want %q", got, m.State(), want)
		}
	}
}

func TestMinutes_OnlyWhatStaysOpenIsListed(t *testing.T) {
	review := func(by council.MemberID, version int, ids ...string) council.Event {
		var blockers []council.Blocker
		for _, id := range ids {
			blockers = append(blockers, council.Blocker{ID: id})
		}
		return council.Event{
			Actor:   by,
			Payload: council.ReviewGiven{Version: version, Review: council.Review{CriticalBlockers: blockers}},
		}
	}
	draft := func(version int, answers ...council.BlockerResponse) council.Event {
		return council.Event{
			Payload: council.DraftWritten{
				DraftRef: council.DraftRef{Version: version},
				Draft:    council.Draft{Responses: answers},
			},
		}
	}
	got := Of([]council.Event{
		{Payload: council.PhaseStarted{Phase: "weigh"}},
		{Payload: council.PhaseEnded{Phase: "weigh", Missing: []string{"options"}}},
		{Payload: council.PhaseStarted{Phase: "decide"}},
		{Payload: council.PhaseEnded{Phase: "decide", Missing: []string{"a plan"}}},
		{Payload: council.PhaseStarted{Phase: "weigh"}},
		{Payload: council.PhaseEnded{Phase: "weigh"}}, // visited again, and nothing is missing
		{Payload: nil}, // its words were forgotten
		draft(1),
		review("ada", 1, "d1.ada.b1", "d1.ada.b2", "d1.ada.b3"),
		draft(2, council.BlockerResponse{BlockerID: "d1.ada.b1", Answer: council.AnswerRejected},
			council.BlockerResponse{BlockerID: "d1.ada.b2", Answer: council.AnswerUnanswered},
			council.BlockerResponse{BlockerID: "d1.ada.b3", Answer: council.AnswerDeferred}),
		review("bob", 2, "d2.bob.b1"),
		{Actor: "cyn", Payload: council.DissentWritten{Dissent: council.Dissent{Dissent: "Too soon."}}},
		{Actor: "dan", Payload: council.DissentWritten{}}, // declined
	}).Unmet()
	want := Unmet{
		Requirements: []Requirement{{Phase: "decide", What: "a plan"}},
		Blockers: []RaisedBlocker{
			{
				Member:     "ada",
				Version:    1,
				Blocker:    council.Blocker{ID: "d1.ada.b2"},
				Answer:     council.AnswerUnanswered,
				AnsweredIn: 2,
			},
			{Member: "bob", Version: 2, Blocker: council.Blocker{ID: "d2.bob.b1"}},
		},
		Dissents: []Dissent{{By: "cyn", Event: "e0", Text: "Too soon."}},
	}
	check.Equal(t, "it", want, got, cmpopts.IgnoreFields(RaisedBlocker{}, "Event"))
	check.That(t, !got.Empty() && Of(nil).Unmet().Empty(), "Empty is wrong")
}

// A closed session lists the requirements that it lacks as a whole.
func TestUnmet_NamesWhatTheSessionLacks(t *testing.T) {
	for _, c := range []struct {
		outcome council.Outcome
		want    []Requirement
	}{
		{council.Outcome{Decided: true, Documentation: council.DocumentationNone}, []Requirement{}},
		{council.Outcome{Decided: true, Documentation: council.DocumentationApproved}, []Requirement{}},
		{council.Outcome{Documentation: council.DocumentationNone}, []Requirement{{What: "a decision"}}},
		{council.Outcome{Decided: true, Documentation: council.DocumentationMissing},
			[]Requirement{{What: "a document: none was drafted"}}},
		{council.Outcome{Documentation: council.DocumentationUnapproved},
			[]Requirement{{What: "a decision"}, {What: "an approved document: the last draft was not approved"}}},
	} {
		got := Of([]council.Event{{Payload: council.SessionClosed{Outcome: c.outcome}}}).Unmet()
		if diff := cmp.Diff(c.want, got.Requirements); diff != "" || got.Empty() != (len(c.want) == 0) {
			t.Errorf("%+v (-want +got):\n%s", c.outcome, diff)
		}
	}
}

func TestWhyUndecided_NamesTheDecidingPhase(t *testing.T) {
	two := council.Charter{Phases: []council.Phase{{ID: "frame"}, {ID: "decide"}}}
	for _, c := range []struct {
		charter council.Charter
		visits  []council.PhaseID
		want    string
	}{
		{council.Charter{Phases: []council.Phase{{ID: "decide"}}}, []council.PhaseID{"decide"}, "No motion was carried."},
		{two, []council.PhaseID{"frame"}, "The session did not reach phase decide, which decides the question."},
		{two, []council.PhaseID{"frame", "decide"}, "Phase decide, which decides the question, carried no motion."},
		{two, []council.PhaseID{"decide", "frame", "decide"},
			"Phase decide, which decides the question, carried no motion in its last visit."},
	} {
		events := []council.Event{{Payload: council.SessionStarted{Charter: c.charter}}}
		for _, phase := range c.visits {
			events = append(events, council.Event{Payload: council.PhaseStarted{Phase: phase}})
		}
		check.Is(t, fmt.Sprint("visits ", c.visits), c.want, Of(events).WhyUndecided())
	}
}
