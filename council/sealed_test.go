package council_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestSealed_WhatIsAskedBlindIsSealedUntilAnEventOpensIt(t *testing.T) {
	var sealed, opens []council.EventType
	for _, typ := range council.EventTypes() {
		e := council.Event{Turn: 1, Payload: council.Deref(council.NewPayload(typ))}
		if e.Sealed() {
			sealed = append(sealed, typ)
		}
		if e.Opens() {
			opens = append(opens, typ)
		}
	}
	check.Equal(t, "it", []council.EventType{council.TypeOf[council.PositionSealed](),
		council.TypeOf[council.LeaderBallotCast](), council.TypeOf[council.SecondAnswered](),
		council.TypeOf[council.AmendmentsAnswered](), council.TypeOf[council.BallotCast](),
		council.TypeOf[council.RankingCast]()}, sealed)
	check.Equal(t, "it", []council.EventType{council.TypeOf[council.PositionsOpened](),
		council.TypeOf[council.LeaderElected](), council.TypeOf[council.TurnsOpened](),
		council.TypeOf[council.MotionSeconded](), council.TypeOf[council.MotionDied](),
		council.TypeOf[council.AmendmentsWeighed](), council.TypeOf[council.AmendmentDecided](),
		council.TypeOf[council.MotionDecided](), council.TypeOf[council.DraftDecided]()}, opens)
	for kind, want := range map[council.AskKind]bool{council.AskBallot: true, council.AskTurn: false} {
		e := (council.Event{Turn: 1, Payload: council.MemberFaulted{Kind: kind}})
		check.That(t, e.Sealed() == want, "a fault on %s: sealed %t", kind, !want)
	}
	for _, p := range []council.Payload{
		council.ContributionMade{}, council.TurnPassed{}, council.MotionMade{}, council.MemberFaulted{Kind: council.AskTurn},
	} {
		check.That(t, (council.Event{Round: 1, Payload: p}).Sealed(), "%T is not sealed in a round that is held together", p)
	}
}

// Every kind of ask has an event that records the answer to it and its question.
func TestSealed_EveryAnswerCanBeReadFromItsEvent(t *testing.T) {
	answers := map[council.AskKind]int{}
	for _, typ := range council.EventTypes() {
		e := council.Event{Payload: council.Deref(council.NewPayload(typ))}
		said := e.Body()
		_, answered := e.Answered()
		if said != nil {
			answers[said.AskKind()]++
		}
		fault := typ == council.TypeOf[council.MemberFaulted]()
		check.That(t, answered == (said != nil || fault), "%s says %T and names its question: %t", typ, said, answered)
	}
	for _, kind := range council.AskKinds() {
		check.That(t, answers[kind] != 0, "no event records an answer to %s", kind)
	}
}

func TestSealed_StancesAreTheSameByTheirWordsAlone(t *testing.T) {
	for _, same := range [][2]string{
		{"Adopt NATS.", "adopt  nats"}, {"“Option B”", "option b"}, {"Don’t migrate", "don't migrate!"},
		{"ÜBERGANG", "übergang"}, {"write-ahead", "Write ahead"}, {"採用する", "採用する。"},
	} {
		check.Is(t, same[0]+" and "+same[1], council.StanceOf(same[0]), council.StanceOf(same[1]))
	}
	for _, other := range [][2]string{
		{"Adopt NATS", "Use NATS"}, {"adopt", "do not adopt"}, {"Option 1", "Option 11"}, {"1.5", "15"}, {"C", "C++"},
		{"", "yes"},
	} {
		check.Is(t, other[0], false, council.StanceOf(other[0]) == council.StanceOf(other[1]))
	}
	check.Is(t, "punctuation alone names something", "", council.StanceOf(" …! \n"))
}

func TestPlurality(t *testing.T) {
	for name, test := range map[string]struct {
		stances  []string
		words    string
		n        int
		distinct int
	}{
		"nobody":         {nil, "", 0, 0},
		"nothing named":  {[]string{"", " ."}, "", 0, 0},
		"one mind":       {[]string{"A", "a.", "A!"}, "A", 3, 1},
		"most":           {[]string{"b", "A", "a"}, "A", 2, 2},
		"a tie":          {[]string{"a", "b"}, "", 1, 2},
		"a tie below":    {[]string{"a", "b", "c", "c"}, "c", 2, 3},
		"a tie at last":  {[]string{"a", "a", "b", "b", "c"}, "", 2, 3},
		"a tie resolved": {[]string{"a", "b", "b", "", "a", "b"}, "b", 3, 2},
	} {
		words, n, distinct := council.Plurality(test.stances)
		check.That(t, words == test.words && n == test.n && distinct == test.distinct, "%s: %q by %d of %d stances", name,
			words, n, distinct)
	}
}
