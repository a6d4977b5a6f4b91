package rules_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// busy is a charter under which every kind of question is put but a proposal and a ranking.
func busy(c *council.Charter) {
	documented(c)
	c.DocumentationReview.MaxRevisionRounds = 1
	c.Deliberation.SealedPositions = true
	p := &c.Phases[0]
	p.Deliverables = []council.Deliverable{{ID: "thing", Description: "A thing", Required: true}}
	p.Governance.Debate, p.Governance.MaxAmendments, p.StopConditions.MaxQuestions = true, 1, 1
}

// busily answers so that motions are amended and questions asked, and cyn is against everything.
func busily(v council.View) council.Body {
	switch body := counciltest.Agree(v).(type) {
	case council.Turn:
		if v.MayAsk && v.Ask.Member == "ada" {
			return council.Turn{Action: council.ActionAsk, To: "bob", Question: "Why?"}
		} else if v.MayAsk && v.Ask.Member == "bob" {
			return council.Turn{Action: council.ActionAsk, To: "ada", Question: "Why?"}
		} else if v.Options != nil {
			return council.Turn{Action: council.ActionPass, Reason: "R"}
		}
		return body
	case council.Second:
		if v.Ask.Member == "bob" {
			body.Stand, body.Amendment = council.StandAmend, &council.Amendment{Strike: "T", Insert: "Title"}
		}
		return body
	case council.Ballot:
		if v.Ask.Member == "cyn" {
			body.Ballot = council.ChoiceNo
		}
		return body
	}
	return counciltest.Agree(v)
}

// excluding runs a session whose member is excluded after so many answers, and lists its events; without a ruling the
// member refuses every question from there on, before others answer. asks are the questions that it did not answer.
func excluding(t *testing.T, edit func(*council.Charter), m council.MemberID, after int, ruled bool) (
	events []string, asks map[council.AskKind]bool, f *floor) {
	f, asks = convene(t, edit), map[council.AskKind]bool{}
	for n := 0; f.s.Ready().Outcome == nil; n++ {
		if n == after && ruled {
			f.rule(council.MembersExcluded{By: "me", Members: []council.MemberID{m}})
			continue
		}
		open := f.s.Ready().Asks
		its := slices.IndexFunc(open, func(a council.Ask) bool { return a.Member == m })
		if n >= after && its >= 0 && !ruled {
			f.fault(string(open[its].ID), council.FaultRefusal)
			continue
		}
		f.say(string(open[0].ID), busily(f.s.View(open[0])))
	}
	for _, e := range f.s.Events() {
		p, faulted := e.Payload.(council.MemberFaulted)
		if e.Type() == "MEMBERS_EXCLUDED" {
			continue
		} else if faulted {
			asks[p.Kind] = true
		}
		events = append(events, fmt.Sprintf("%s %s %s", e.Type(), e.Actor, p.Ask))
	}
	return events, asks, f
}

// From any moment on an excluded member is absent as one that refuses every question is, at every pace.
func TestExcluded_IsAbsentAtEveryQuestion(t *testing.T) {
	cites(t, 12, 64, 264)
	absent := map[council.AskKind]bool{}
	for name, edit := range map[string]func(*council.Charter){"busy": busy, "choosing": choosing,
		"auto":              auto("dan", "eve"),
		"auto with options": autoChoosing("dan", "eve"), "auto with a document": func(c *council.Charter) {
			documented(c)
			auto()(c)
		}} {
		for _, m := range []council.MemberID{"ada", "bob", "cyn"} {
			for after, ended := 0, false; !ended; after++ {
				refused, _, silent := excluding(t, edit, m, after, false)
				ended = silent.s.Ready().Outcome != nil && count(silent, "MEMBER_FAULTED") == 0
				if ended {
					break
				}
				excluded, asks, f := excluding(t, edit, m, after, true)
				check.Equal(t, fmt.Sprintf("%s without %s after %d answers", name, m, after), refused, excluded)
				check.Equal(t, name+": outcome", silent.outcome(), f.outcome())
				maps.Copy(absent, asks)
			}
		}
	}
	check.Is(t, "questions to an excluded member", len(council.AskKinds()), len(absent))
}

func TestExcluded_WhoCanBe(t *testing.T) {
	cites(t, 264)
	f := inRound(t, nil)
	excluding := func(members ...council.MemberID) council.MembersExcluded {
		return council.MembersExcluded{By: "me", Members: members}
	}
	for words, r := range map[string]council.MembersExcluded{"no member": excluding(),
		`there is no member "dan"`: excluding("dan"), "cyn is excluded already": excluding("cyn", "cyn"),
		"no member would be left": excluding("ada", "bob", "cyn")} {
		f.refuses(r)
		check.Says(t, fmt.Sprint(check.Err(f.s.Rule(r))), words)
	}
	f.rule(excluding("cyn"))
	f.refuses(excluding("cyn"))
	f.refuses(excluding("ada", "bob"))
	f.refused(f.open()[0], council.Turn{})
	f.rule(council.SessionAdjourned{By: "me", Reason: "Enough."})
	f.refuses(excluding("bob"))
}

// A ruling of a suspended session counts once it goes on; a spare that is excluded is not asked.
func TestExcluded_OfASuspendedSession(t *testing.T) {
	cites(t, 66, 264)
	f := convene(t, autoChoosing("dan", "eve"))
	f.positions("NATS", "Kafka", "keep Postgres")
	f.rank("NATS", "Kafka")
	f.fault("p1.r1.choice.rank.cyn", council.FaultAuth)
	check.Is(t, "suspended for", council.FaultAuth, f.s.Suspended().Kind)
	f.rule(council.MembersExcluded{By: "me", Members: []council.MemberID{"cyn", "dan", "eve"}})
	f.wantOpen("p1.r1.choice.rank.cyn")
	f.rule(council.SessionResumed{By: "me"})
	check.Is(t, "absences before the next question", 3, count(f, "MEMBER_FAULTED")-1)
	f.wantOpen("summary.ada")
}

// An open ballot of a member that is excluded before the others have voted is absent with them.
func TestExcluded_WithAnOpenBallot(t *testing.T) {
	cites(t, 251, 264)
	f := convene(t, autoChoosing())
	f.fault("position.ada", council.FaultRate)
	f.rule(council.MembersExcluded{By: "me", Members: []council.MemberID{"ada"}})
	for _, m := range []string{"bob", "cyn"} {
		f.say("position."+m, council.Position{Position: "P", Confidence: 0.5, CandidateID: "bob", Ranking: ranks("NATS")})
	}
	check.Is(t, "absent from the election", 1, last[council.LeaderElected](f).Absent)
	f.wantOpen("p1.r1.choice.rank.bob", "p1.r1.choice.rank.cyn")
}

// A note that was given before questions were put is not refused because an excluded member is absent from them.
func TestExcluded_NotesAreToldAhead(t *testing.T) {
	cites(t, 162, 264)
	f := begun(t, "s1", smallCharter())
	f.rule(council.MembersExcluded{By: "me", Members: []council.MemberID{"ada"}})
	f.rule(council.NoteGiven{By: "me", Text: "It is cut.", Ahead: true})
	check.Is(t, "sees the note", "NOTE_GIVEN", strings.Fields(fmt.Sprint(
		f.s.View(f.ask("nominate.bob")).Events[len(f.s.Events())-1].Type()))[0])
}
