package chronicle_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/wire"
)

const shallWe council.SessionID = "20261121-081500-shall-we-7f3k2a"

// Read testdata/whole.golden first.
func TestOf_Golden(t *testing.T) {
	for name, log := range map[string][]counciltest.Said{
		"whole": counciltest.WholeSession(), "ruled": append(counciltest.WholeSession(), counciltest.LateRulings()...),
		"adjourned": counciltest.AdjournedSession(), "forgotten": counciltest.ForgottenSession(),
	} {
		t.Run(name, func(t *testing.T) {
			episode, turns := chronicle.Of(counciltest.LogOf(shallWe, log))
			got := line(t, episode)
			for _, turn := range turns {
				got = append(got, line(t, turn)...)
			}
			check.Golden(t, filepath.Join("testdata", name+".golden"), string(got))
		})
	}
}

func line(t check.T, v any) []byte {
	t.Helper()
	out := check.Get(wire.JSON(v))(t)
	return append(out, '\n')
}

type (
	newReply struct {
		Words string `text:"said"`
	}
	newRuling struct {
		By    string `text:"name"`
		Words string `text:"short"`
	}
)

func (newReply) Row() council.Row  { return council.Row{Type: "NEW_REPLY", Answers: council.AskTurn} }
func (newRuling) Row() council.Row { return council.Row{Type: "NEW_RULING"} }

// A new event is a turn without a line of code here.
func TestOf_NewEventIsATurn(t *testing.T) {
	_, turns := chronicle.Of(counciltest.LogOf(shallWe, []counciltest.Said{
		{Actor: "ada", Payload: newReply{"We may."}}, {Payload: newRuling{"kim", "You must."}},
	}))
	var got []string
	for _, one := range turns {
		got = append(got, fmt.Sprintf("%s by %s: %s", one.Kind, one.Speaker, one.Text))
	}
	check.Equal(t, "result", []string{"contribution by ada: We may.", "ruling by kim: You must."}, got)
}

func TestOf_EveryReplyIsATurn(t *testing.T) {
	for _, typ := range council.EventTypes() {
		if council.Deref(council.NewPayload(typ)).Row().Answers == "" {
			continue
		}
		said := []counciltest.Said{{Actor: "ada", Payload: counciltest.Filled(typ, "So.")}}
		_, turns := chronicle.Of(counciltest.LogOf(shallWe, said))
		check.That(t, len(turns) == 1, "%s yields %d turns, want 1", typ, len(turns))
	}
}

// It names no other events, unless the turns are very many.
func TestEpisode_NamesAllTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log []counciltest.Said
		for range rapid.IntRange(1, 400).Draw(t, "bits of debate") {
			for range rapid.IntRange(0, 5).Draw(t, "silent") {
				log = append(log, counciltest.Said{Payload: council.RoundStarted{}})
			}
			for range rapid.IntRange(1, 5).Draw(t, "said") {
				log = append(log, counciltest.Said{Actor: "ada", Payload: council.ContributionMade{Message: "So."}})
			}
		}
		episode, turns := chronicle.Of(counciltest.LogOf(shallWe, log))
		named := slices.Collect(episode.Named())
		if len(line(t, episode)) >= chronicle.MaxEpisode || episode.Turns != len(turns) {
			t.Fatalf("%d of %d turns, in %d bytes", episode.Turns, len(turns), len(line(t, episode)))
		}
		if len(turns) < 100 && len(named) != len(turns) {
			t.Fatalf("%d events are named for %d turns", len(named), len(turns))
		}
		for _, one := range turns {
			if at, ok := slices.BinarySearchFunc(named, one.ID, bySeq); !ok {
				t.Fatalf("%s is not named (%d)", one.ID, at)
			}
		}
	})
}

func bySeq(a, b string) int {
	_, one, _ := chronicle.ParseTurnID(a)
	_, other, _ := chronicle.ParseTurnID(b)
	return int(one - other)
}

func TestOf_WordsOfPersonsAndBareRepliesAreTurns(t *testing.T) {
	log := []counciltest.Said{
		{Payload: council.SessionStarted{Topic: council.Topic{Text: "Shall we?\n\nOr not?"}}},
		{Payload: council.NoteGiven{By: "kim", Text: "Mind the price."}},
		{Actor: "ada", Payload: council.BallotCast{Subject: council.Subject{Motion: "p1.r1.t1"},
			Ballot: council.Ballot{Ballot: council.ChoiceYes}}},
		{Actor: "ada", Payload: council.SecondAnswered{Motion: "p1.r1.t1", Second: council.Second{Second: true}}},
		{Actor: "ada", Payload: council.LeaderBallotCast{Nomination: council.Nomination{CandidateID: "eve"}}},
		{Actor: "ada", Payload: council.TurnPassed{}},
		{Actor: "ada", Payload: council.ReviewGiven{Version: 2}},
		{Payload: council.BudgetAmended{By: "kim", Budget: council.Budget{Tokens: 1000, USD: 2.5}}},
		{Payload: council.ServerMoved{By: "kim", Member: "ada", BaseURL: "https://models.example.net"}},
		{Payload: council.ExecutionApproved{By: "kim"}},
		{Payload: council.ExecutionStarted{By: "kim"}},
		{Payload: council.ExecutionFinished{By: "kim", Succeeded: true}},
	}
	_, turns := chronicle.Of(counciltest.LogOf(shallWe, log))
	var got []string
	for _, one := range turns {
		_, event, _ := strings.Cut(one.ID, ".")
		got = append(got, fmt.Sprintf("%s %s by %s: %s", event, one.Kind, one.Speaker, one.Text))
	}
	want := []string{
		"e1 question by user: Shall we?\n\nOr not?",
		"e2 note by kim: Mind the price.",
		"e3 ballot by ada: YES.",
		"e4 second by ada: Seconds.",
		"e5 nomination by ada: For eve.",
		"e6 pass by ada: Passed.",
		"e7 review by ada: Nothing to change.",
		"e8 ruling by kim: Amended the budget: 1000 tokens, 2.5 USD",
		"e9 ruling by kim: Moved ada to another server: https://models.example.net",
		"e10 ruling by kim: Approved the execution.",
		"e11 ruling by kim: Began the execution.",
		"e12 ruling by kim: The execution succeeded.",
	}
	check.Equal(t, "result", want, got)
}

// Any words make a small episode of visible lines.
func TestEpisode_HostileWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := func() string {
			return strings.Repeat(
				rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"\\\n\x00\u202e\U000e0041\ue000…")))).Draw(t,
					"words"), rapid.IntRange(1, 400).Draw(t, "times"))
		}
		c := counciltest.WholeSession()[0].Payload.(council.SessionStarted).Charter
		c.CouncilName, c.Purpose = words(), words()
		for range rapid.IntRange(0, 96).Draw(t, "members") {
			c.Members = append(c.Members, council.Member{ID: council.MemberID(strings.Repeat("m", 64)), Name: words()})
		}
		log := append(counciltest.WholeSession(), counciltest.LateRulings()...)
		log[0].Payload = council.SessionStarted{Topic: council.Topic{Text: words()}, Charter: c}
		log[6].Payload = council.PhaseStarted{Phase: council.PhaseID(words())}
		log[10].Payload = council.MotionMade{Motion: "p1.r1.t3", MotionTitle: words()}
		log[18].Payload = council.SummaryWritten{Summary: council.Summary{ExecutionBrief: &council.Brief{Objective: words()}}}
		log = append(log, counciltest.Said{Payload: council.SessionAdjourned{By: words(), Reason: words()}})
		id := council.SessionID(strings.Repeat("a", 96))
		episode, _ := chronicle.Of(counciltest.LogOf(id, log))
		text := line(t, episode)
		if len(text) >= chronicle.MaxEpisode {
			t.Fatalf("%d bytes", len(text))
		}
		again, _ := chronicle.Of(counciltest.LogOf(id, log))
		if !bytes.Equal(text, line(t, again)) {
			t.Fatal("the same log made another episode")
		}
		for _, s := range []string{episode.Council, episode.Topic, episode.Context, episode.Summary.ActionTaken,
			episode.Summary.KeyOutcome, episode.Summary.FutureImplication} {
			if strings.ContainsAny(s, "\n\r\t\x00\u202e\U000e0041") {
				t.Fatalf("%q", s)
			}
		}
	})
}

func TestTurn_LongTextIsCut(t *testing.T) {
	long := strings.Repeat("é", chronicle.MaxText)
	_,
		turns := chronicle.Of(counciltest.LogOf(shallWe,
		[]counciltest.Said{{Actor: "ada", Payload: council.DraftWritten{Draft: council.Draft{Markdown: long}}}}))
	if text := turns[0].Text; len(text) > chronicle.MaxText || !strings.HasSuffix(text, "é…") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-8:])
	}
}
