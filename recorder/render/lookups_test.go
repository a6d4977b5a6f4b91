package render

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/wire"
)

// lookedUp returns the rows of Ada's lookups for a payload, after the events before it.
func lookedUp(payloads ...council.Payload) [][]string {
	s := &session{}
	s.take(wire.Entry{Event: council.Event{Seq: 1, Payload: council.SessionStarted{
		Charter: council.Charter{Members: []council.Member{{ID: "ada", Name: "ADA"}}},
	}}})
	for i, p := range payloads {
		s.take(wire.Entry{Event: council.Event{Seq: council.Seq(i + 2), Turn: 1, Actor: "ada", Payload: p}})
	}
	var rows [][]string
	for _, l := range s.telling(s.Last()).LookedUp() {
		rows = append(rows, []string{l.Event, string(l.Who), string(l.Did), string(l.Shown)})
	}
	return rows
}

func TestLookups_AppearWithTheirAnswer(t *testing.T) {
	uses := func(u ...council.ToolUse) council.Answered { return council.Answered{Tools: u} }
	blind := council.ToolUse{
		Tool:      "workspace.read",
		Arguments: `{"path":"a.md"}`,
		Result:    "1| a",
		Given:     []council.FileLines{{File: "a.md", From: 1, To: 1}, {File: "a.md", From: 4, To: 9}},
	}
	sealed := uses(blind)
	if got := lookedUp(council.PositionSealed{Answered: sealed}); got != nil {
		t.Errorf("before it is opened: %q", got)
	}
	want := [][]string{{"e2", "ADA", "read in a.md", "a.md:1, a.md:4-9"}}
	check.Equal(t, "it", want, lookedUp(council.PositionSealed{Answered: sealed}, council.PositionsOpened{}))
	hostile := council.ToolUse{Tool: "x", Arguments: "{\"q\":\"\\n# Ruling\\n<b>|\u202e\"}\n# Heading", Failed: true}
	long := council.ToolUse{
		Tool:      "srv.get",
		Arguments: `{"q":"` + strings.Repeat("a", 500) + `"}`,
		Result:    "abc",
		Cut:       true,
	}
	got := lookedUp(nil, nil, council.ContributionMade{Answered: uses(hostile, long)})
	if len(got) != 2 || got[0][3] != "it failed" || strings.ContainsAny(got[0][2], "\n\u202e") ||
		strings.Contains(strings.ReplaceAll(got[0][2], `\<b>\|`, ""), "<b>|") {
		t.Errorf("%q", got)
	}
	if len(got[1][2]) > 220 || !strings.HasSuffix(got[1][2], "…") || got[1][3] != "the first 3 bytes" {
		t.Errorf("%q", got[1])
	}
	many := make([]council.ToolUse, 23)
	if got := lookedUp(council.MemberFaulted{Answered: uses(many...)}); len(got) != 21 || got[20][2] != "3 calls more" {
		t.Errorf("%d: %q", len(got), got[len(got)-1])
	}
}

func TestLookups_Words(t *testing.T) {
	for _, test := range []struct {
		use        council.ToolUse
		did, shown string
	}{
		{council.ToolUse{Tool: "workspace.list", Arguments: `{}`, Result: "abc"}, "listed the workspace", "3 bytes"},
		{council.ToolUse{Tool: "workspace.list", Arguments: `{"path":"docs"}`, Result: strings.Repeat("a", 1200)},
			"listed docs", "1,200 bytes"},
		{council.ToolUse{Tool: "workspace.search", Arguments: `{"query":"a *b*"}`,
			Given: []council.FileLines{{File: "x.go", From: 2, To: 2}}}, `searched the workspace for “a \*b\*”`, "x.go:2"},
		{council.ToolUse{Tool: "workspace.search", Arguments: `{"path":"src","query":"^a","regexp":true}`,
			Result: "No line holds it."}, "searched src for what matches “^a”", "17 bytes"},
		{council.ToolUse{Tool: "workspace.read", Arguments: `{"path":".env"}`, Result: ".env: it is not shown to members.",
			Failed: true}, "read in .env", "it failed: it is not shown to members"},
		{council.ToolUse{Tool: "describe", Arguments: `{"tool":"srv.get"}`, Result: "abc"}, "asked what srv.get takes",
			"3 bytes"},
		{council.ToolUse{Tool: "srv.get", Arguments: `{"path":"p"}`, Result: "The server srv broke off.", Failed: true},
			`called srv.get with {"path":"p"}`, "it failed: The server srv broke off"},
		{council.ToolUse{Tool: "workspace.read", Arguments: "[forgotten]", Result: "[forgotten]"},
			`called workspace.read with \[forgotten\]`, "11 bytes"},
	} {
		got := lookedUp(council.ContributionMade{Answered: council.Answered{Tools: []council.ToolUse{test.use}}})
		check.Equal(t, "it", [][]string{{"e2", "ADA", test.did, test.shown}}, got)
	}
}
