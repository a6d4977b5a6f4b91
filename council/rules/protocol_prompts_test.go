package rules_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// promptFor returns the prompt of the first open question, as it is put to a member.
func promptFor(f *floor, m council.MemberID) *prompt.Prompt {
	v := f.s.View(f.s.Ready().Asks[0])
	v.Ask.Member, v.Seat = m, v.Charter.Member(m)
	return prompt.NewConversation(prompt.Limits{}).Next(v)
}

// lastOf is the last message of a prompt.
func lastOf(p *prompt.Prompt) string { return p.Messages[len(p.Messages)-1].Content }

// byLot sorts ids as the protocol says: by the SHA-256 of the session's id, the matter's lines and the id.
func byLot[T ~string](session council.SessionID, matter string, ids ...T) []T {
	lot := func(id T) string { return council.Digest(string(session) + "\n" + matter + "\n" + string(id) + "\n") }
	return slices.SortedFunc(slices.Values(ids), func(a, b T) int { return cmp.Compare(lot(a), lot(b)) })
}

// inPositions returns a council whose members have sealed different positions, with a confidence that is found in any
// text.
func inPositions(t *testing.T, edit func(*council.Charter)) *floor {
	f := convene(t, func(c *council.Charter) {
		c.Deliberation.SealedPositions = true
		edit(c)
	})
	for _, m := range f.s.Charter().Seats() {
		f.say("position."+string(m), council.Position{Position: "Words of " + strings.ToUpper(string(m)) + ".",
			Confidence: 0.123, CandidateID: "bob"})
	}
	return f
}

func TestProtocolPrompts_PositionsHaveNumbersUnderPseudonyms(t *testing.T) {
	cites(t, 97, 98, 99, 260, 261)
	f := inPositions(t, pseudonymous)
	order := byLot[council.MemberID]("s1", "position", "ada", "bob", "cyn")
	for _, reader := range f.s.Charter().Seats() {
		p := promptFor(f, reader)
		for i, author := range order {
			want := fmt.Sprintf("Position %d (confidence 0.123): ", i+1)
			if author == reader {
				want = fmt.Sprintf("Position %d is your own.", i+1)
			}
			check.Says(t, lastOf(p), want)
			_, after, _ := strings.Cut(lastOf(p), want)
			line, _, _ := strings.Cut(after, "\n")
			if author != reader && !strings.Contains(line, strings.ToUpper(string(author))) {
				t.Errorf("%s is shown after %q: %s", reader, want, line)
			}
		}
		check.Is(t, reader, "", regexp.MustCompile(`\be[234]\b`).FindString(lastOf(p)))
		for i, id := range byLot[council.MemberID]("s1", "pseudonym", "ada", "bob", "cyn") {
			if id == reader {
				check.Says(t, p.System.Persona, "You are Member "+string(rune('A'+i)))
			}
		}
		var list []string
		for _, id := range byLot[council.MemberID]("s1", "candidate", "ada", "bob", "cyn") {
			m := f.s.Charter().Member(id)
			entry := fmt.Sprintf("%s, %s (%s)", id, m.Name, m.Role)
			if id == reader {
				entry += ", who is you"
			}
			list = append(list, entry)
		}
		check.Says(t, lastOf(p), "for this vote alone by their names: "+strings.Join(list, "; ")+".")
	}
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.say("nominate."+m, council.Nomination{Rationale: "Bob is fair.", CandidateID: "bob"})
	}
	check.NeverSays(t, lastOf(promptFor(f, "cyn")), "Bob", "bob")
	v := f.s.View(f.s.Ready().Asks[0])
	v.Ask.Kind = council.AskAssess
	body, err := prompt.Parse(v, `{"deliverables":[],"qualityGates":[],"assumptions":[],"risks":[],"constraints":[],`+
		`"citations":["Position 1","Position 9"]}`)
	check.OK(t, err)
	i := slices.Index([]council.MemberID{"ada", "bob", "cyn"}, order[0])
	check.Equal(t, "citations", []string{fmt.Sprintf("e%d", i+2), "Position 9"}, body.(council.Assessment).Citations)
}

func TestProtocolPrompts_ConfidenceIsKeptFromMembers(t *testing.T) {
	cites(t, 262)
	for _, hide := range []bool{true, false} {
		f := inPositions(t, func(c *council.Charter) { c.Deliberation.HideConfidence = &hide })
		shown := lastOf(promptFor(f, "cyn"))
		check.Is(t, "how often the confidence of the others is shown", map[bool]int{true: 0, false: 2}[hide],
			strings.Count(shown, "0.123"))
		check.Says(t, shown, "Words of BOB.")
		p, _ := f.s.Events()[1].Payload.(council.PositionSealed)
		check.That(t, p.Confidence == 0.123, "recorded is a confidence of %v", p.Confidence)
	}
}

func TestProtocolPrompts_OptionsStandInAnOrderOfEachMembersOwn(t *testing.T) {
	cites(t, 263)
	options := []string{"Anchor", "Bridge", "Causeway", "Dyke"}
	orders := map[string]bool{}
	for _, hidden := range []bool{false, true} {
		f := convene(t, func(c *council.Charter) {
			c.Deliberation.SealedPositions, c.Options = true, options
			c.Deliberation.ShuffleOptions, c.Deliberation.AnonymizePeers = new(true), &hidden
			c.Members[0].Model, c.Members[1].Model = council.Model{Provider: "rehearsal"}, council.Model{Provider: "rehearsal"}
		})
		for _, reader := range []council.MemberID{"ada", "bob", "cyn"} {
			want := byLot("s1", "options\n"+string(reader), options...)
			if reader == "cyn" {
				want = options
			}
			p := promptFor(f, reader)
			orders[strings.Join(want, "")] = true
			if reader != "cyn" {
				check.Says(t, lastOf(p), "\n- "+strings.Join(want, "\n- ")+"\n- none of these\n")
				check.NeverSays(t, lastOf(p), "option 1")
			}
			v := f.s.View(f.s.Ready().Asks[0])
			v.Ask.Member, v.Seat = reader, v.Charter.Member(reader)
			for said, ranks := range map[string][]string{
				`["3","1"]`:                                   {want[2], want[0]},
				`"option 2 > ` + want[3] + `"`:                {want[1], want[3]},
				`["` + want[1] + `"]`:                         {want[1]},
				`["1. ` + want[3] + `","2. ` + want[2] + `"]`: {want[3], want[2]}, // ranks, no numbers
			} {
				body := check.Get(prompt.Parse(v, `{"position":"So.","confidence":1,"overlooked":[],"ranking":`+said+`}`))(t)
				var got []string
				for _, group := range body.(council.Position).Ranking {
					got = append(got, group...)
				}
				check.Equal(t, string(reader)+" ranks "+said, ranks, got)
			}
			for _, unclear := range []string{`["B"]`, `["5"]`} { // no list has letters, and this one has four options
				if body, err := prompt.Parse(v,
					`{"position":"So.","confidence":1,"overlooked":[],"ranking":`+unclear+`}`); err == nil &&
					len(body.(council.Position).Ranking) > 0 {
					t.Errorf("%s is read as %v", unclear, body)
				}
			}
		}
	}
	check.Is(t, "orders, one of each member", 3, len(orders))
}

// A leader that knows positions by their numbers is asked for these, and the lowest number decides between equals.
func TestAuto_ProposalNamesPositionsByNumber(t *testing.T) {
	cites(t, 241, 260)
	f := convene(t, auto())
	f.positions("NATS", "Kafka", "Postgres")
	order := byLot[council.MemberID]("s1", "position", "ada", "bob", "cyn")
	stance := map[council.MemberID]string{"ada": "NATS", "bob": "Kafka", "cyn": "Postgres"}
	p := promptFor(f, "ada")
	check.Says(t, lastOf(p), "the earliest of Position 1, Position 2, Position 3.")
	v := f.s.View(f.s.Ready().Asks[0])
	reply := func(numbers ...int) string {
		text := `{"crux":"Which?","text":"We take it.","summaryMarkdown":"All differ.","requiresExecution":false,` +
			fmt.Sprintf(`"answers":[%q,%q,%q],"answerOf":{`, stance[order[0]], stance[order[1]], stance[order[2]])
		for i, n := range numbers {
			text += strings.Repeat(",", min(i, 1)) + fmt.Sprintf(`"Position %d":%d`, n, i+1)
		}
		return text + `}}`
	}
	for _, wrong := range []string{reply(2, 1, 3), reply(1, 2, 2), reply(1, 2, 4)} {
		_, err := prompt.Parse(v, wrong)
		if err == nil || !strings.Contains(err.Error(), "osition") {
			t.Errorf("%s is read, with %v", wrong, err)
		} else {
			check.NeverSays(t, err.Error(), "ada", "bob", "cyn", "ADA", "BOB", "CYN")
		}
	}
	body := check.Get(prompt.Parse(v, reply(1, 2, 3)))(t)
	f.say("p1.propose.ada", body)
	recorded := last[council.AnswersProposed](f).Answers.Answers
	for i, m := range order {
		check.Equal(t, "recorded", council.Held{Answer: stance[m], HeldBy: []council.MemberID{m}}, recorded[i])
	}
	for _, reader := range []council.MemberID{"ada", "bob"} {
		told := promptFor(f, reader)
		var all strings.Builder
		for _, m := range told.Messages {
			all.WriteString(m.Content)
		}
		for i, m := range order {
			if reader == "bob" {
				check.Says(t, all.String(), fmt.Sprintf("%s (Position %d)", stance[m], i+1))
			} else {
				check.Says(t, all.String(), fmt.Sprintf(`"Position %d":%d`, i+1, i+1))
			}
		}
	}
}
