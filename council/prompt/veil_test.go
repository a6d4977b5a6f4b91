package prompt_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// masked returns a council of nine whose names, ids and roles are found in any text.
func masked(anonymous bool) council.Charter {
	c := charter(9, 1)
	c.Deliberation.AnonymizePeers = &anonymous
	for i := range c.Members {
		m := &c.Members[i]
		m.ID, m.Name, m.Role = council.MemberID(fmt.Sprintf("id-%d-x", i)), fmt.Sprintf("Name-%d-x", i),
			fmt.Sprintf("role-%d-x", i)
		m.SystemPrompt = "You look closely."
	}
	return c
}

// quiet answers as steady members do, without names in their words.
func quiet(v council.View) council.Reply {
	if v.Ask.ID == "position.id-3-x" || v.Ask.Kind == council.AskAssess && v.Ask.Member == v.Seats[0] {
		return council.Reply{Ask: v.Ask.ID, Fault: &council.Fault{Kind: council.FaultRefusal, Message: "Name-3-x failed"}}
	}
	r := steady(10)(v)
	r.Body = council.EditTexts(r.Body, func(kind council.TextKind, text string) string {
		if kind == council.TextMember || kind == council.TextBlocker {
			return text
		}
		return regexp.MustCompile(`id-\d-x`).ReplaceAllString(text, "one")
	})
	return r
}

// leaderVote matches what a vote for a leader, alone, is asked and answered with: names, ids and roles.
var leaderVote = regexp.MustCompile(`The members, for this vote alone by their names: .*|"candidateId": ?<?"[^}]*`)

// others returns the names, ids and roles of all, but for the reader's own role, that a text holds outside of votes for
// a leader.
func others(text string, reader council.MemberID) []string {
	text = leaderVote.ReplaceAllString(text, "")
	found := regexp.MustCompile(`(?:Name|id|role)-\d-x`).FindAllString(text, -1)
	return slices.DeleteFunc(found, func(s string) bool { return s == strings.Replace(string(reader), "id", "role", 1) })
}

func TestVeil_PseudonymsHideWhoIsWho(t *testing.T) {
	for _, limits := range []prompt.Limits{{}, {MaxBytes: 7000, KeepBytes: 2500}} {
		past := council.MemoryRecalled{Query: "How?",
			Hits: []council.Recollection{
				{ID: "s0.e4", Kind: council.RecalledTurn, Speaker: "Name-2-x", Date: "2026-05-12", Text: "Once."}}}
		s := reminded(t, council.Topic{Text: "How?"}, masked(true), past)
		var shared []string
		prompts := 0
		converse(t, s, limits, func(v council.View, p *prompt.Prompt) council.Reply {
			prompts++
			for _, piece := range flat(p) {
				if found := others(piece, v.Ask.Member); len(found) > 0 {
					t.Fatalf("%s is told %v:\n%s", v.Ask.ID, found, piece)
				}
			}
			check.Is(t, "the person's view", v.Ask.Member, p.View.Ask.Member)
			check.Is(t, "a name that a person is shown", "Name-0-x", p.View.Charter.Members[0].Name)
			check.Is(t, string(v.Ask.ID)+", asked again after a crash", p.Digest, prompt.NewConversation(limits).Next(v).Digest)
			shared = append(shared, p.System.Shared)
			return quiet(v)
		})
		if slices.Sort(shared); len(slices.Compact(shared)) != 1 {
			t.Error("members know one another by different pseudonyms")
		}
		check.That(t, prompts >= 60, "only %d prompts", prompts)
	}
}

// Words of members are shown unchanged, also with names.
func TestVeil_PseudonymsLeaveMembersWordsAlone(t *testing.T) {
	s := convene(t, council.Topic{Text: "How?"}, masked(true))
	told := false
	play(t, s, func(v council.View) council.Reply {
		r := quiet(v)
		if b, ok := r.Body.(council.Position); ok {
			b.Position = "Name-1-x is wrong."
			r.Body = b
		}
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		told = told || strings.Contains(last(p), "Name-1-x is wrong.")
		return r
	})
	check.That(t, told, "a member's words were changed")
}

// A session in which members answer with pseudonyms is the session in which they answer with names.
func TestVeil_PseudonymsAreMappedBack(t *testing.T) {
	id := regexp.MustCompile(`(?m)^- (Member [A-I]), id (member-[a-i])$`)
	play1 := func(anonymous bool) (all []council.Event, said int) {
		s := convene(t, council.Topic{Text: "How?"}, masked(anonymous))
		converse(t, s, prompt.Limits{}, func(v council.View, p *prompt.Prompt) council.Reply {
			all = v.Events[1:]
			r := quiet(v)
			if r.Fault != nil {
				return r
			}
			text := prompt.Text(r.Body)
			if anonymous { // answer with the pseudonyms: in turn order
				for i, m := range id.FindAllStringSubmatch(p.System.Shared, -1) {
					said += strings.Count(text, fmt.Sprintf("id-%d-x", i))
					text = strings.ReplaceAll(text, fmt.Sprintf("id-%d-x", i), m[2])
				}
				if len(others(text, "")) > 0 {
					t.Fatalf("%s answers with names: %s", v.Ask.ID, text)
				}
			}
			body, err := prompt.Parse(v, text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", v.Ask.ID, err, text)
			}
			r.Body = body
			return r
		})
		return all, said
	}
	plain, _ := play1(false)
	hidden, said := play1(true)
	if diff := cmp.Diff(plain, hidden); diff != "" {
		t.Errorf("(-names +pseudonyms):\n%.3000s", diff)
	}
	check.That(t, said >= 15, "only %d pseudonyms were answered with", said)
	v := council.View{Session: "s", Ask: council.Ask{Kind: council.AskNominate, Member: "id-0-x"},
		Charter: new(masked(true))}
	_, err := prompt.Parse(v, `{"rationale":"r","candidateId":"member-z"}`)
	check.That(t, err != nil && strings.Contains(err.Error(), "one of id-0-x, id-1-x"), "nobody is member-z: %v", err)
}

// The list of a vote for a leader, that of the members and the numbers of the positions are drawn apart: no place in
// one is a place in another. No prompt has the event of a position, which would show its seat.
func TestPseudonyms_VoteForALeaderShowsNoPosition(t *testing.T) {
	pairs := map[string]int{}
	for i := range 60 {
		session := council.SessionID(fmt.Sprintf("s-%d", i))
		c := masked(true)
		c.Members = c.Members[:3]
		started := council.SessionStarted{Session: session, Charter: c, Topic: council.Topic{Text: "How?"}}
		v := council.View{Session: session, Charter: &c, Seat: &c.Members[0], Topic: &started.Topic,
			Ask:    council.Ask{ID: "nominate.id-0-x", Kind: council.AskNominate, Member: "id-0-x", AsOf: 5},
			Events: []council.Event{{Seq: 1, Payload: started}}}
		for n, m := range c.Members {
			v.Events = append(v.Events, council.Event{Seq: council.Seq(n + 2), Actor: m.ID, Payload: council.PositionSealed{
				Position: council.Position{Position: fmt.Sprintf("Words of seat %d.", n), CandidateID: "id-1-x"}}})
		}
		v.Events = append(v.Events, council.Event{Seq: 5, Payload: council.PositionsOpened{Sealed: 3}})
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		asked := last(p)
		if regexp.MustCompile(`\be[234]\b|votes for`).MatchString(asked) {
			t.Fatalf("it shows the event or the vote of a position:\n%s", asked)
		}
		order := func(pattern, text string) (all []string) {
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
				all = append(all, m[1])
			}
			return all
		}
		list := order(`(?:names: |; )id-(\d)-x, Name`, asked)
		members := order(`(?m)^- Member ([A-C]), id`, p.System.Shared)
		var positions []string
		for _, number := range []string{"1", "2", "3"} {
			_, words, _ := strings.Cut(asked, "Position "+number)
			if own, _, _ := strings.Cut(words, "."); own == " is your own" {
				positions = append(positions, "0")
			} else {
				positions = append(positions, order(`Words of seat (\d)`, words)[0])
			}
		}
		check.Is(t, "proposals", 3, len(list))
		check.Is(t, "members", 3, len(members))
		pairs["list "+strings.Join(list, "")]++
		pairs["positions "+strings.Join(positions, "")]++
		place := []string{}
		for _, seat := range list {
			place = append(place, fmt.Sprint(slices.Index(positions, seat)+1))
		}
		pairs["position of each in the list "+strings.Join(place, "")]++
		pairs["letters by seat "+strings.Join(members, "")]++
	}
	check.Is(t, "orders of three, each in all six ways", 24, len(pairs))
}

// A vote for a leader may use the pseudonym that the reader has for itself.
func TestPseudonyms_CandidateByEitherName(t *testing.T) {
	c := masked(true)
	c.Deliberation.ElectWithPositions = true
	v := readerOf(convene(t, council.Topic{Text: "How?"}, c), "id-4-x")
	v.Ask = council.Ask{Kind: council.AskPosition, Member: "id-4-x"}
	own := regexp.MustCompile(`\(id (member-.)\)`).FindStringSubmatch(prompt.NewConversation(prompt.Limits{}).Next(v).
		System.Persona)[1]
	for _, named := range []string{"id-4-x", own, "Name-4-x", "Name-4-x (role-4-x)"} {
		body, err := prompt.Parse(v, `{"position":"So.","confidence":1,"overlooked":[],"candidateId":"`+named+`"}`)
		b, ok := body.(council.Position)
		check.That(t, ok && b.CandidateID == "id-4-x", "%s is read as %v, %v, want a vote for id-4-x", named, body, err)
	}
}

// A position is cited by its number, recorded as its event, and shown by its number again.
func TestPseudonyms_PositionsAreCitedByNumber(t *testing.T) {
	s := convene(t, council.Topic{Text: "How?"}, masked(true))
	asked := 0
	converse(t, s, prompt.Limits{}, func(v council.View, p *prompt.Prompt) council.Reply {
		r := quiet(v)
		for _, e := range v.Events {
			if a, ok := e.Payload.(council.PhaseAssessed); ok && v.Ask.Member == e.Actor && v.Ask.Kind == council.AskTurn {
				check.Equal(t, "recorded", 1, len(a.Citations))
				asked++
				told := strings.Join(flat(p), "\n")
				check.Says(t, told, `"citations":["Position 2"]`)
				check.NeverSays(t, told, `"`+a.Citations[0]+`"`)
			}
		}
		if v.Ask.Kind == council.AskAssess && r.Fault == nil {
			body, err := prompt.Parse(v, `{"deliverables":[],"qualityGates":[],"assumptions":[],"risks":[],"constraints":[],`+
				`"citations":["position 2"]}`)
			check.OK(t, err)
			r.Body = body
			cited := body.(council.Assessment).Citations[0]
			i := slices.IndexFunc(v.Events, func(e council.Event) bool { return e.Seq.ID() == cited })
			_, ok := v.Events[i].Payload.(council.PositionSealed)
			check.That(t, ok, "Position 2 was read as %s", cited)
		}
		return r
	})
	check.That(t, asked != 0, "no leader assessed a phase and was asked on")
}

// Two sessions of one council do not call its members by the same pseudonyms.
// A real model copied the mark behind a peer's words into its reasons, where it stayed: it was looked for under the
// member's own id.
func TestVeil_MarksThatAMemberCopiedAreRemoved(t *testing.T) {
	for _, anonymous := range []bool{false, true} {
		v := firstView(t, anonymous)
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		mark := regexp.MustCompile(`[0-9a-f]{12} peer>>`).FindString(p.System.Persona)
		body := check.Get(prompt.Parse(v, fmt.Sprintf(`{"position": "We wait. %s", "confidence": 1}`, mark)))(t)
		check.Is(t, "position beside "+mark, "We wait.", body.(council.Position).Position)
	}
}

func firstView(t *testing.T, anonymous bool) council.View {
	t.Helper()
	s := convene(t, council.Topic{Text: "How?"}, masked(anonymous))
	return s.View(s.Ready().Asks[0])
}

func TestVeil_PseudonymsDifferByTheSession(t *testing.T) {
	s := convene(t, council.Topic{Text: "How?"}, masked(true))
	seen := map[string]bool{}
	for _, session := range []council.SessionID{"a", "b", "c"} {
		v := readerOf(s, "id-4-x")
		v.Session = session
		list, _, _ := strings.Cut(prompt.NewConversation(prompt.Limits{}).Next(v).System.Shared, "# Phases")
		seen[list] = true
	}
	check.Is(t, "lists for 3 sessions", 3, len(seen))
}

// A member whose own id looks like a pseudonym is not mistaken for another.
func TestPseudonyms_AreNoMembersID(t *testing.T) {
	c := masked(true)
	c.Members[2].ID, c.Members[3].ID = "member-a", "the-member-b" // so pseudonyms begin with "the-the-member-"
	v := council.View{Session: "s", Ask: council.Ask{Kind: council.AskNominate, Member: "id-0-x"}, Charter: &c}
	for id, want := range map[string]council.MemberID{"member-a": "member-a", "the-member-b": "the-member-b"} {
		body, err := prompt.Parse(v, `{"rationale":"r","candidateId":"`+id+`"}`)
		b, ok := body.(council.Nomination)
		check.That(t, ok && b.CandidateID == want, "%s is read as %v, %v", id, body, err)
	}
}
