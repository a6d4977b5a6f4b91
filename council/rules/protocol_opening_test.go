package rules_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

func sealed(c *council.Charter) { c.Deliberation.SealedPositions = true }

func TestProtocolOpening_TheFirstEventFreezesCharterAndTopic(t *testing.T) {
	cites(t, 1)
	topic := council.Topic{Text: "Shall we?", Documents: []council.Document{council.NewDocument("a.md", "A fact.")}}
	e := check.Get(rules.Open("s1", topic, smallCharter()))(t)
	want := council.Event{Seq: 1, Payload: council.SessionStarted{
		Rules: rules.Version, Session: "s1", Topic: topic, Charter: smallCharter(),
	}}
	same(t, want, e)
}

func TestProtocolOpening_ASessionDoesNotOpenOnBadGround(t *testing.T) {
	cites(t, 2)
	forged := council.NewDocument("a.md", "A fact.")
	forged.Text = "Another."
	even := smallCharter()
	even.Members = even.Members[:2]
	for name, open := range map[string]func() (council.Event, error){
		"empty topic": func() (council.Event, error) {
			return rules.Open("s1", council.Topic{Text: " \n"}, smallCharter())
		},
		"forged document": func() (council.Event, error) {
			return rules.Open("s1", council.Topic{Text: "T", Documents: []council.Document{forged}}, smallCharter())
		},
		"even members": func() (council.Event, error) {
			return rules.Open("s1", council.Topic{Text: "T"}, even)
		},
		"no id": func() (council.Event, error) {
			return rules.Open("", council.Topic{Text: "T"}, smallCharter())
		},
	} {
		e, err := open()
		check.ErrorIs(t, name, council.ErrBadCharter, err)
		check.ErrorIs(t, name, rules.ErrBadEvent, check.Err(rules.Replay(rules.Log(e))))
	}
}

func TestProtocolOpening_PositionsAreSealedTogether(t *testing.T) {
	cites(t, 3, 26, 74)
	f := convene(t, sealed)
	f.wantOpen("position.ada", "position.bob", "position.cyn")
	for _, a := range f.s.Ready().Asks {
		check.Is(t, string(a.ID)+" may see up to", 1, a.AsOf)
	}
	f.say("position.bob", council.Position{Position: "Yes.", Confidence: 0.5})
	check.Is(t, "events that ada sees after bob sealed", 1, len(f.s.View(f.ask("position.ada")).Events))
}

func TestProtocolOpening_ConfidenceLiesBetweenZeroAndOne(t *testing.T) {
	cites(t, 4)
	f := convene(t, sealed)
	nan := 0.0
	nan /= nan
	for _, confidence := range []float64{-0.1, 1.1, nan} {
		f.refused("position.ada", council.Position{Position: "Yes.", Confidence: confidence})
	}
	for _, confidence := range []float64{0, 1} {
		if _,
			err := f.s.Answer(council.Reply{Ask: "position.ada",
			Body: council.Position{Position: "Yes.", Confidence: confidence}}); err != nil {
			t.Errorf("confidence %v gave %v", confidence, err)
		}
	}
}

func TestProtocolOpening_PositionsAreOpenedTogether(t *testing.T) {
	cites(t, 5)
	f := convene(t, sealed)
	f.say("position.cyn", council.Position{Position: "Yes.", Confidence: 1})
	f.fault("position.ada", council.FaultRefusal)
	check.Is(t, "positions opened before bob sealed", 0, count(f, council.TypeOf[council.PositionsOpened]()))
	f.say("position.bob", council.Position{Position: "No.", Confidence: 0})
	wantLast(f, council.PositionsOpened{Sealed: 2, Absent: 1})
	check.Is(t, "after the opening ada sees events", 5, len(f.s.View(f.ask("nominate.ada")).Events))
}

func TestProtocolOpening_WithoutSealedPositionsTheElectionIsFirst(t *testing.T) {
	cites(t, 6, 7)
	f := convene(t, nil)
	f.wantOpen("nominate.ada", "nominate.bob", "nominate.cyn")
	f.elect("bob", "bob", "cyn") // ada for bob, bob for himself
	check.Is(t, "leader", "bob", last[council.LeaderElected](f).Leader)
}

func TestProtocolOpening_ACandidateIsAMember(t *testing.T) {
	cites(t, 8)
	f := convene(t, nil)
	f.refused("nominate.ada", council.Nomination{CandidateID: "mallory"})
}

func TestElections(t *testing.T) {
	cites(t, 9, 10, 11)
	for name, test := range map[string]struct {
		votes []council.MemberID
		want  council.LeaderElected
	}{
		"most votes": {
			[]council.MemberID{"cyn", "cyn", "ada"},
			council.LeaderElected{Leader: "cyn", Ranking: []council.MemberID{"cyn", "ada", "bob"},
				Votes: []council.CandidateVotes{{Candidate: "cyn", Votes: 2}, {Candidate: "ada", Votes: 1}}},
		},
		"a three-way tie goes by lot": {
			[]council.MemberID{"bob", "cyn", "ada"},
			council.LeaderElected{Leader: "bob", Tie: true, Ranking: []council.MemberID{"bob", "cyn", "ada"},
				Votes: []council.CandidateVotes{{Candidate: "bob", Votes: 1}, {Candidate: "cyn", Votes: 1},
					{Candidate: "ada", Votes: 1}}},
		},
		"an absent member counts for nobody": {
			[]council.MemberID{"", "", "cyn"},
			council.LeaderElected{Leader: "cyn", Absent: 2, Ranking: []council.MemberID{"cyn", "bob", "ada"},
				Votes: []council.CandidateVotes{{Candidate: "cyn", Votes: 1}}},
		},
		"an invalid vote counts for nobody": {
			[]council.MemberID{"?", "bob", "?"},
			council.LeaderElected{Leader: "bob", Invalid: 2, Ranking: []council.MemberID{"bob", "cyn", "ada"},
				Votes: []council.CandidateVotes{{Candidate: "bob", Votes: 1}}},
		},
		"nobody voted": {
			[]council.MemberID{"", "", ""},
			council.LeaderElected{Leader: "bob", Tie: true, Absent: 3, Ranking: []council.MemberID{"bob", "cyn", "ada"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := convene(t, nil)
			f.elect(test.votes...)
			wantLast(f, test.want)
		})
	}
}

func TestProtocolOpening_ASessionThatTakesUpAnotherSaysWhichAndWhy(t *testing.T) {
	cites(t, 166, 167)
	open := func(edit func(*council.Topic)) (council.Event, error) {
		topic := council.Topic{Text: "Shall we?", Documents: []council.Document{council.NewDocument("r.txt", "As it was.")},
			Reopens: &council.Reopened{Session: "s0", Closed: "2026-11-21", Because: "It failed.", Record: "r.txt",
				Resolutions: []council.Resolution{{Title: "A", Decision: "We do.", Yes: 2, No: 1}}}}
		edit(&topic)
		return rules.Open("s1", topic, smallCharter())
	}
	for name, edit := range map[string]func(*council.Topic){
		"itself":        func(t *council.Topic) { t.Reopens.Session = "s1" },
		"no session":    func(t *council.Topic) { t.Reopens.Session = "" },
		"no reason":     func(t *council.Topic) { t.Reopens.Because = " " },
		"a long reason": func(t *council.Topic) { t.Reopens.Because = strings.Repeat("é", council.MaxNote+1) },
		"no record":     func(t *council.Topic) { t.Documents = nil },
		"no draft":      func(t *council.Topic) { t.Reopens.Draft = "d.md" },
	} {
		check.ErrorIs(t, name, council.ErrBadCharter, check.Err(open(edit)))
	}
	e := check.Get(open(func(t *council.Topic) { t.Reopens.Because = strings.Repeat("é", council.MaxNote) }))(t)
	s := check.Get(rules.Replay(rules.Log(e)))(t)
	asks := s.Ready().Asks
	check.Is(t, "questions are open", len(smallCharter().Members), len(asks))
	for _, a := range asks {
		r := s.View(a).Topic.Reopens
		check.That(t, r != nil && r.Session == "s0" && r.Resolutions[0].Yes == 2, "%s is shown %+v", a.Member, r)
	}
}

func pseudonymous(c *council.Charter) { c.Deliberation.AnonymizePeers = new(true) }

func TestProtocolOpening_MembersWhoLookAlikeOpenNoSession(t *testing.T) {
	cites(t, 150)
	for name, rename := range map[string]func(first, second *council.Member){
		"case":              func(a, b *council.Member) { a.Name, b.Name = "Grace Hopper", "GRACE HOPPER" },
		"spaces":            func(a, b *council.Member) { a.Name, b.Name = "Grace Hopper", "Grace\u00a0 Hopper" },
		"another script":    func(a, b *council.Member) { a.Name, b.Name = "Grace", "Grасе" },
		"invisible":         func(a, b *council.Member) { a.Name, b.Name = "Grace", "Gra\u200dce" },
		"ids":               func(a, b *council.Member) { a.ID, b.ID = "seat-1", "seat_l" },
		"an id and a name":  func(a, b *council.Member) { a.ID, b.Name = "grace", "Grace" },
		"full width digits": func(a, b *council.Member) { a.Name, b.Name = "Unit 7", "Unit ７" },
	} {
		c := smallCharter()
		rename(&c.Members[0], &c.Members[2])
		if _, err := rules.Open("s1", council.Topic{Text: "T"}, c); !errors.Is(err, council.ErrBadCharter) ||
			!strings.Contains(err.Error(), "looks like") {
			t.Errorf("%s: Open gave %v", name, err)
		}
	}
}

func TestProtocolOpening_ADraftIsVotedOnAsItWasWritten(t *testing.T) {
	cites(t, 151)
	const words = "# Doc\n\n<script>alert(1)</script> [x](javascript:y)\n"
	f := inDraft(t, nil)
	f.draft(words)
	draft := last[council.DraftWritten](f)
	check.Is(t, "the draft", words, draft.Markdown)
	check.Is(t, "its digest", council.Digest(words), draft.SHA256)
	f.say("d1.ballot.bob", council.Ballot{Ballot: council.ChoiceYes})
	check.Is(t, "the ballot names", council.Digest(words), last[council.BallotCast](f).Draft.SHA256)
}
