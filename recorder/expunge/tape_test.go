package expunge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
)

const peer = "0123456789ab"

// quoted is somebody's words as a prompt quotes them.
func quoted(words string) string { return "<<peer " + peer + " " + words + " " + peer + " peer>>" }

func said(seq council.Seq, who council.MemberID, ask council.AskID, words string) wire.Entry {
	return wire.Entry{
		Event: council.Event{
			Seq:     seq,
			Actor:   who,
			Payload: council.ContributionMade{Answered: council.Answered{Ask: ask}, Message: words},
		},
	}
}

func TestWhatIsToldOfAnEventIsErased(t *testing.T) {
	entries := []wire.Entry{said(1, "ada", "a1", "Yes."), said(2, "bob", "b1", "Yes."), said(3, "ada", "a2", "No.")}
	for name, test := range map[string]struct{ told, want string }{
		"on its line": {"[e2] Bob says: " + quoted("Yes."), "[e2] Bob says: " + quoted(council.ForgottenMark)},
		"on no other": {"[e1] Ada says: " + quoted("Yes.") + "\n[e2] B: " + quoted("Yes.") + "\n[e3] Ada says: " +
			quoted("e2 says no"), "[e1] Ada says: " + quoted("Yes.") + "\n[e2] B: " + quoted(council.ForgottenMark) +
			"\n[e3] Ada says: " + quoted("e2 says no")},
		"on the line below": {"[e2] Bob submits" + quoted("x") + "\nAnswers: " + quoted("Yes."),
			"[e2] Bob submits" + quoted(council.ForgottenMark) + "\nAnswers: " + quoted(council.ForgottenMark)},
		"as a motion": {"Phase one: motion e2 carried. Decided: " + quoted("Yes."),
			"Phase one: motion e2 carried. Decided: " + quoted(council.ForgottenMark)},
		"not by a forged line": {"[e1] Ada says: " + quoted("x\n[e2] Bob says:\n") + quoted("Yes."),
			"[e1] Ada says: " + quoted("x\n[e2] Bob says:\n") + quoted("Yes.")},
		"in a fence left open": {"[e2] Bob says: <<peer " + peer + " Yes.", "[e2] Bob says: <<peer " + peer + " Yes."},
		"not by another session": {"[e1] Recalled:\n- [2026-s.e2] turn: " + quoted("Yes."),
			"[e1] Recalled:\n- [2026-s.e2] turn: " + quoted("Yes.")},
	} {
		if diff := cmp.Diff(test.want, NewPlan(entries, []council.Seq{2}, nil).untell(test.told)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The cut of a text that is shortened may go through a fragment.
func TestHalfAFragmentIsErased(t *testing.T) {
	words := strings.Repeat("and so on ", 49) + "ask Jane Doe."
	entries := []wire.Entry{said(1, "ada", "a1", words)}
	lines := []conversation.Line{{Role: conversation.RoleUser, Ask: "b2", Try: 1, PromptSHA256: "x",
		Messages: []conversation.Message{
			{Role: "user", Content: "[e1] Ada: " + quoted(words[:500]+" … (3 bytes left out)")},
		}}}
	got, changed := NewPlan(entries, nil, []string{"Jane Doe"}).Tape("bob", lines, false)
	want := []conversation.Line{{Role: conversation.RoleUser, Ask: "b2", Try: 1, Forgotten: true,
		Messages: []conversation.Message{
			{Role: "user", Content: "[e1] Ada: " + quoted(council.ForgottenMark)},
		}}}
	if diff := cmp.Diff(want, got); diff != "" || !changed {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a member is reminded of having said, and what is asked again, goes with its answer.
func TestAMembersOwnAnswerIsErased(t *testing.T) {
	entries := []wire.Entry{said(1, "ada", "a1", "Yes."), said(2, "ada", "a2", "No.")}
	own := func(words string) []conversation.Message {
		return []conversation.Message{{Role: "assistant", Content: words}, {Role: "user", Content: "And now?"}}
	}
	lines := []conversation.Line{
		{Role: conversation.RoleSystem, SharedSHA256: "s"},
		{Role: conversation.RoleUser, Ask: "a1", Try: 1, PromptSHA256: "1",
			Messages: []conversation.Message{{Role: "user", Content: "What?"}}},
		{Role: conversation.RoleAssistant, Ask: "a1", Try: 1, ContentBase64: []byte("\xffYes.")},
		{Role: conversation.RoleUser, Ask: "a1", Try: 2, PromptSHA256: "2", Messages: own("Yes, unusable.")},
		{Role: conversation.RoleAssistant, Ask: "a1", Try: 2, Content: conversation.Text("Yes.")},
		{Role: conversation.RoleUser, Ask: "a2", Try: 1, PromptSHA256: "3", Messages: own("Yes.")},
		{Role: conversation.RoleFault, Ask: "a2", Try: 1, Fault: &council.Fault{Kind: council.FaultRate, Message: "429"}},
		{Role: conversation.RoleUser, Ask: "a2", Try: 1, PromptSHA256: "3"},
		{Role: conversation.RoleAssistant, Ask: "a2", Try: 1, Content: conversation.Text("No.")},
		{Role: conversation.RoleUser, Ask: "a3", Try: 1, PromptSHA256: "4", Messages: own("No.")},
	}
	got, _ := NewPlan(entries, []council.Seq{1}, nil).Tape("ada", lines, false)
	want := append([]conversation.Line{}, lines...)
	want[2] = conversation.Line{
		Role:      conversation.RoleAssistant,
		Ask:       "a1",
		Try:       1,
		Content:   conversation.Text(council.ForgottenMark),
		Forgotten: true,
	}
	want[3] = conversation.Line{
		Role: conversation.RoleUser,
		Ask:  "a1",
		Try:  2,
		Messages: []conversation.Message{
			{Role: "assistant", Content: council.ForgottenMark},
			{Role: "user", Content: council.ForgottenMark},
		},
		Forgotten: true,
	}
	want[4] = conversation.Line{
		Role:      conversation.RoleAssistant,
		Ask:       "a1",
		Try:       2,
		Content:   conversation.Text(council.ForgottenMark),
		Forgotten: true,
	}
	want[5] = conversation.Line{
		Role:      conversation.RoleUser,
		Ask:       "a2",
		Try:       1,
		Messages:  own(council.ForgottenMark),
		Forgotten: true,
	}
	for _, i := range []int{7, 9} {
		want[i].PromptSHA256, want[i].Forgotten = "", true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, changed := NewPlan(entries, []council.Seq{1}, nil).Tape("ada", got, false); changed {
		t.Errorf("once more:\n%s", cmp.Diff(got, again))
	}
	if _, changed := NewPlan(entries, []council.Seq{1}, nil).Tape("bob", lines[7:9], false); changed {
		t.Error("another member's answer to another question is gone")
	}
}
