package rules_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

func pseudonymous(c *council.Charter) { c.Deliberation.AnonymizePeers = true }

var pseudonym = regexp.MustCompile(`(?m)^- (Member [A-C]), id (member-[a-c])$`)

func TestMembersKnowOneAnotherByPseudonyms(t *testing.T) {
	cites(t, 97, 99)
	f := convene(t, pseudonymous)
	f.say("nominate.ada", council.Nomination{Rationale: "I trust Bob.", CandidateID: "bob"})
	f.say("nominate.bob", council.Nomination{Rationale: "good", CandidateID: "ada"})
	f.say("nominate.cyn", council.Nomination{Rationale: "good", CandidateID: "bob"})
	view := func() council.View { return f.s.View(f.s.Ready().Asks[0]) }
	reader := view()
	reader.Ask.Member, reader.Seat = "cyn", reader.Charter.Member("cyn")
	first := prompt.NewConversation(prompt.Limits{}).Next(reader)
	names := pseudonym.FindAllStringSubmatch(first.System.Shared, -1)
	if len(names) != 3 {
		t.Fatalf("the members are called %q:\n%s", names, first.System.Shared)
	}
	told := first.Messages[len(first.Messages)-1].Content
	check.Says(t, told, "I trust Bob.")
	for _, m := range f.s.Charter().Members {
		if rest := strings.ReplaceAll(told, "I trust Bob.", ""); strings.Contains(rest, m.Name) ||
			strings.Contains(rest, string(m.ID)) {
			t.Errorf("the record names %s:\n%s", m.Name, told)
		}
	}
	for _, m := range f.s.Charter().Seats() { // all read the same, and again after a crash
		v := view()
		v.Ask.Member, v.Seat = m, v.Charter.Member(m)
		if shared := prompt.NewConversation(prompt.Limits{}).Next(v).System.Shared; shared != first.System.Shared {
			t.Errorf("%s is told other pseudonyms", m)
		}
	}
}

func TestPseudonymsAreRecordedAsTheMembersTheyStandFor(t *testing.T) {
	cites(t, 98)
	f := convene(t, pseudonymous)
	v := f.s.View(f.s.Ready().Asks[0])
	names := pseudonym.FindAllStringSubmatch(prompt.NewConversation(prompt.Limits{}).Next(v).System.Shared, -1)
	for i, seat := range f.s.Charter().Seats() {
		body, err := prompt.Parse(v, `{"rationale":"good","candidateId":"`+names[i][2]+`"}`)
		if b, ok := body.(council.Nomination); !ok || b.CandidateID != seat {
			t.Errorf("%s stands for %s, and was read as %v, %v", names[i][2], seat, body, err)
		}
	}
}

func TestMembersWhoLookAlikeOpenNoSession(t *testing.T) {
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

func TestADraftIsVotedOnAsItWasWritten(t *testing.T) {
	cites(t, 151)
	const words = "# Doc\n\n<script>alert(1)</script> [x](javascript:y)\n"
	f := inDraft(t, nil)
	f.draft(words)
	draft := last[council.DraftWritten](f)
	if draft.Markdown != words || draft.SHA256 != council.Digest(words) {
		t.Errorf("recorded as %q with %s", draft.Markdown, draft.SHA256)
	}
	f.say("d1.ballot.bob", council.Ballot{Ballot: council.ChoiceYes})
	check.Is(t, "the ballot names", council.Digest(words), last[council.BallotCast](f).Draft.SHA256)
}
