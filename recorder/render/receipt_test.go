package render

import (
	"math"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func stanceCharter() council.Charter {
	c := counciltest.Small("ada", "bob", "cyn", "dan", "eve")
	for i, model := range []string{"m1", "m1", "m2", "m3", "m3"} {
		c.Members[i].Model = council.Model{Provider: "openai", Model: model}
	}
	c.Phases[0].Governance = council.Governance{MajorityThreshold: "0.5", CountOf: "cast"}
	c.Deliberation.SealedPositions, c.Deliberation.Stances = true, true
	return c
}

// hold plays a session in which every open ask is answered by say, at 10 tokens a reply, and returns its log.
func hold(t *testing.T, c council.Charter, say func(council.Ask) council.Body) []council.Event {
	t.Helper()
	s := counciltest.Open(t, "s1", council.Topic{Text: "Shall we?"}, c)
	return counciltest.Hold(t, s, counciltest.Answers(func(v council.View) council.Reply {
		r := council.Reply{Ask: v.Ask.ID, Body: say(v.Ask),
			Usage: council.Usage{Model: "x-" + string(v.Ask.Member), Calls: 1, InputTokens: 8, OutputTokens: 2}}
		if r.Body == nil {
			r.Fault = &council.Fault{Kind: council.FaultRefusal, Message: "no"}
		}
		return r
	})).Events()
}

// opinions has the members seal before and vote, on the one motion there is, with after. A vote begins with its ballot.
func opinions(before, after map[council.MemberID]string) func(council.Ask) council.Body {
	return func(a council.Ask) council.Body {
		switch a.Kind {
		case council.AskPosition:
			if before[a.Member] == "absent" {
				return nil
			}
			return council.Position{Position: "P", Confidence: 0.6, Stance: before[a.Member]}
		case council.AskNominate:
			return council.Nomination{Rationale: "R", CandidateID: "ada"}
		case council.AskTurn:
			return council.Turn{Action: council.ActionCallVote, MotionTitle: "T",
				MotionText: "X, " + string(a.ID), DecisionIfPass: "D"}
		case council.AskBallot:
			vote, words, _ := strings.Cut(after[a.Member], " ")
			words, why, _ := strings.Cut(words, "|")
			return council.Ballot{Rationale: "Because " + why + ".", Ballot: council.Choice(vote), Stance: words}
		case council.AskSummary:
			return council.Summary{SummaryMarkdown: "S"}
		}
		return council.Dissent{Dissent: "I disagree."}
	}
}

// The session in numbers, counted by hand: positions are e2 to e6 (dan's is a fault), e7 opens them, e8 counts them,
// ballots for a leader are e9 to e13, e14 elects, e15 and e16 begin the phase and its round, e17 is the motion, e18
// to e22 are the ballots. 5 of 18 replies are positions: a position each, a nomination each, the motion, a ballot each,
// the summary, and one dissent.
func TestReceipt_MatchesAHandCount(t *testing.T) {
	c := stanceCharter()
	for _, m := range []string{"m1", "m2", "m3"} {
		c.Prices = append(c.Prices,
			council.Rate{Provider: "openai", Model: m, AsOf: "2026-11-01", Input: 1_000_000, Output: 1_000_000})
	}
	events := hold(t, c, opinions(
		map[council.MemberID]string{"ada": "wait", "bob": "Wait.", "cyn": "adopt", "dan": "absent", "eve": ""},
		map[council.MemberID]string{
			"ada": "YES Adopt|of e4 and e999", "bob": "NO wait", "cyn": "YES adopt", "dan": "YES adopt",
			"eve": "YES pilot",
		}))
	got := minutes.Of(events).Receipt()
	want := &minutes.Receipt{
		Positions: []minutes.StanceHeld{
			{Member: "ada", Event: "e2", Stance: "wait", Confidence: 0.6, Last: "Adopt",
				Moved: minutes.Yes, MovedIn: "e18", Citing: []string{"e4"}},
			{Member: "bob", Event: "e3", Stance: "Wait.", Confidence: 0.6, Last: "wait", Moved: minutes.No},
			{Member: "cyn", Event: "e4", Stance: "adopt", Confidence: 0.6, Last: "adopt", Moved: minutes.No},
			{Member: "eve", Event: "e6", Confidence: 0.6, Last: "pilot", Moved: minutes.Unknown},
		},
		Stances:  2,
		Baseline: &minutes.Baseline{Event: "e8", Answer: "wait", Votes: 2, Of: 4},
		Outcome:  &minutes.StanceCount{Stance: "Adopt", Votes: 3, Of: 4},
		Changed:  minutes.Yes, Moved: 1, Unknown: 2, Split: &quorum.Count{Yes: 4, No: 1}, Dissents: 1, Faults: 1,
		Models: 3, Families: 1, Reported: 5, EarlyStops: []minutes.EarlyStop{},
		After:  minutes.SpentAfter{Calls: 13, Tokens: 130, TokenShare: new(0.722)},
		Cached: new(0.0),
	}
	got.After.USD, got.After.USDShare = nil, nil // below
	check.Equal(t, "-want +got", want, got)
	money := minutes.Of(events).Receipt().After
	check.That(t, money.USD != nil && math.Abs(*money.USDShare-0.722) <= 1e-9, "in money: %+v", money)
	if line := ReceiptLine(got); line != "1 of 4 moved; 2 members named no stance before or after, so it is unknown "+
		"whether they moved; "+
		"a vote at once would have ended otherwise; "+
		"72.2 % of the tokens came after the sealed positions." {
		t.Error(line)
	}
	check.Says(t, receiptWords(events),
		"4 sealed positions, 2 stances. Put to the vote at once, “wait” would have carried (2 of 4) (e8).",
		"**Changed by the debate:** yes.",
		"ADA, from “wait” (e2) to “Adopt”; first in its ballot e18, and its reasons cite e4.",
		"they named no stance before or after: EVE.", "4 YES, 1 NO", "13 calls, 130 tokens (72.2 % of all)")
}

// receiptWords are those of the receipt of some events.
func receiptWords(events []council.Event) string {
	return (&session{Minutes: *minutes.Of(events)}).telling(council.Event{}).write("receipt")
}

func TestReceipt_NamesUnknowns(t *testing.T) {
	everyone := func(text string) map[council.MemberID]string {
		out := map[council.MemberID]string{}
		for _, m := range []council.MemberID{"ada", "bob", "cyn", "dan", "eve"} {
			out[m] = text
		}
		return out
	}
	tie := everyone("")
	tie["ada"], tie["bob"] = "wait", "adopt"
	for name, test := range map[string]struct {
		before, after map[council.MemberID]string
		changed       minutes.Known
		moved         int
		unknown       int
	}{
		"a tie before":       {tie, everyone("YES adopt"), minutes.Yes, 1, 3},
		"no stances":         {everyone(""), everyone("YES"), minutes.Unknown, 0, 5},
		"nobody moved":       {everyone("adopt"), everyone("YES Adopt!"), minutes.No, 0, 0},
		"everybody moved":    {everyone("wait"), everyone("YES adopt"), minutes.Yes, 5, 0},
		"nothing resolved":   {everyone("wait"), everyone("NO wait"), minutes.Yes, 0, 0},
		"nothing ever":       {tie, everyone("NO wait"), minutes.No, 1, 3},
		"words of forgotten": {everyone("wait [forgotten]"), everyone("YES adopt"), minutes.Unknown, 0, 5},
	} {
		r := minutes.Of(hold(t, stanceCharter(), opinions(test.before, test.after))).Receipt()
		check.That(t, r.Changed == test.changed && r.Moved == test.moved && r.Unknown == test.unknown, "%s: %+v", name, r)
		check.That(t, r.After.USD == nil, "%s: a cost without prices", name)
	}
}

func TestReceipt_IsAbsentWithoutStances(t *testing.T) {
	c := stanceCharter()
	c.Deliberation.Stances = false
	say := opinions(nil, map[council.MemberID]string{"ada": "YES", "bob": "YES", "cyn": "YES", "dan": "YES", "eve": "YES"})
	if r := minutes.Of(hold(t, c, say)).Receipt(); r != nil {
		t.Errorf("nobody was asked for stances: %+v", r)
	}
	events := hold(t, stanceCharter(), say)
	r := minutes.Of(events[:len(events)-1]).Receipt()
	check.That(t, r == nil, "the session is open: %+v", r)
}

// Secrets cut out of the topic and documents are counted beside those cut out of replies, by kind.
func TestReceipt_CountsCutSecrets(t *testing.T) {
	everyone := map[council.MemberID]string{"ada": "YES", "bob": "YES", "cyn": "YES", "dan": "YES", "eve": "YES"}
	events := hold(t, stanceCharter(), opinions(nil, everyone))
	if r := minutes.Of(events).Receipt(); r.Cut != nil || r.Hidden != nil ||
		strings.Contains(receiptWords(events), "cut out") {
		t.Errorf("nothing was taken out: %+v", r)
	}
	started := events[0].Payload.(council.SessionStarted)
	started.Topic.Cut = []council.Cut{{Kind: "github-token", Count: 1}, {In: "a.md", Kind: "github-token", Count: 2}}
	started.Topic.Hidden = []council.Cut{{In: "a.md", Kind: "tag", Count: 12}}
	events[0].Payload = started
	for i, e := range events {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			p.Cut = []council.Cut{{Kind: "github-token", Count: 1}}
			events[i].Payload = p
		case council.BallotCast:
			p.Cut, p.Hidden = []council.Cut{{Kind: "openai-key", Count: 2}}, []council.Cut{{Kind: "zero-width", Count: 3}}
			events[i].Payload = p
		}
	}
	r := minutes.Of(events).Receipt()
	want := []minutes.CutKind{{Kind: "github-token", Given: 3, Replies: 5}, {Kind: "openai-key", Replies: 10}}
	check.Equal(t, "it", want, r.Cut)
	check.Equal(t, "it", []minutes.CutKind{{Kind: "tag", Given: 12}, {Kind: "zero-width", Replies: 15}}, r.Hidden)
	check.Says(t, receiptWords(events),
		"**Secrets that were cut out:** 3 in what was given, github-token (3); 15 in replies, github-token (5), "+
			"openai-key (10).",
		"**Hidden characters:** 12 in what was given, tag (12); 15 in replies, zero-width (15).")
}

func TestReceipt_ListsEarlyStops(t *testing.T) {
	c := stanceCharter()
	c.Deliberation.ContestedOnly = true
	all := func(text string) map[council.MemberID]string {
		return map[council.MemberID]string{"ada": text, "bob": text, "cyn": text, "dan": text, "eve": text}
	}
	say := opinions(all("adopt"), all("YES adopt"))
	events := hold(t, c, func(a council.Ask) council.Body {
		b := say(a)
		if p, ok := b.(council.Position); ok {
			p.Confidence = 1
			return p
		}
		return b
	})
	r := minutes.Of(events).Receipt()
	check.That(t, len(r.EarlyStops) == 1 && r.EarlyStops[0].Reason == council.EndUncontested &&
		r.EarlyStops[0].Phase == "decide", "%+v", r.EarlyStops)
}
