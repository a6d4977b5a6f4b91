package rules_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

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
