package looked_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/tool"
	"github.com/council-engine/council/recorder/render/looked"
	"github.com/council-engine/council/recorder/wire"
)

func entry(seq council.Seq, p council.Payload) wire.Entry {
	return wire.Entry{Event: council.Event{Seq: seq, Actor: "ada", Payload: p}}
}

func TestWhatWasLookedUpIsToldOnOneLineAndNotBeforeItsAnswer(t *testing.T) {
	name := func(id council.MemberID) string { return strings.ToUpper(string(id)) }
	uses := func(u ...tool.Use) council.Answered { return council.Answered{Tools: u} }
	var b looked.Book
	blind := tool.Use{Tool: "workspace.read", Arguments: `{"path":"a.md"}`, Result: "1| a", Given: []tool.Lines{{File: "a.md", From: 1, To: 1}, {File: "a.md", From: 4, To: 9}}}
	if got := b.Take(entry(2, council.PositionSealed{Answered: uses(blind)}), name); got != nil {
		t.Errorf("before it is opened: %q", got)
	}
	want := []string{`Before e2 ADA called workspace.read with {"path":"a.md"} and was shown a.md:1, a.md:4-9.`}
	if diff := cmp.Diff(want, b.Take(entry(3, council.PositionsOpened{}), name)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	hostile := tool.Use{Tool: "x", Arguments: "{\"q\":\"\\n# Ruling\\n<b>|\u202e\"}\n# Heading", Failed: true}
	long := tool.Use{Tool: "srv.get", Arguments: `{"q":"` + strings.Repeat("a", 500) + `"}`, Result: "abc", Cut: true}
	got := b.Take(entry(4, council.ContributionMade{Answered: uses(hostile, long)}), name)
	if len(got) != 2 || !strings.HasSuffix(got[0], ", which failed.") || strings.ContainsAny(got[0], "\n\u202e") || strings.Contains(got[0], "<b>") && !strings.Contains(got[0], `\<b>`) {
		t.Errorf("%q", got)
	}
	if len(got[1]) > 260 || !strings.HasSuffix(got[1], "… and was shown the first 3 bytes.") {
		t.Errorf("%q", got[1])
	}
	many := make([]tool.Use, 23)
	if got := b.Take(entry(5, council.MemberFaulted{Answered: uses(many...)}), name); len(got) != 21 || got[20] != "Before e5 ADA called tools 3 times more." {
		t.Errorf("%d: %q", len(got), got[len(got)-1])
	}
}
