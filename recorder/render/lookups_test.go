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
	s.take(wire.Entry{Event: council.Event{Seq: 1,
		Payload: council.SessionStarted{Charter: council.Charter{Members: []council.Member{{ID: "ada", Name: "ADA"}}}}}})
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
	blind := council.ToolUse{Tool: "workspace.read", Arguments: `{"path":"a.md"}`, Result: "1| a",
		Given: []council.FileLines{{File: "a.md", From: 1, To: 1}, {File: "a.md", From: 4, To: 9}}}
	sealed := uses(blind)
	if got := lookedUp(council.PositionSealed{Answered: sealed}); got != nil {
		t.Errorf("before it is opened: %q", got)
	}
	want := [][]string{{"e2", "ADA", "read in a.md", "a.md:1, a.md:4-9"}}
	check.Equal(t, "it", want, lookedUp(council.PositionSealed{Answered: sealed}, council.PositionsOpened{}))
	hostile := council.ToolUse{Tool: "x", Arguments: "{\"q\":\"\\n# Ruling\\n<b>|\u202e\"}\n# Heading", Failed: true}
	long := council.ToolUse{Tool: "srv.get", Arguments: `{"q":"` + strings.Repeat("a", 500) + `"}`,
		Result: "abc", Cut: true}
	got := lookedUp(nil, nil, council.ContributionMade{Answered: uses(hostile, long)})
	check.That(t, len(got) == 2 && got[0][3] == "it failed" && !strings.ContainsAny(got[0][2], "\n\u202e") &&
		!strings.Contains(strings.ReplaceAll(got[0][2], `\<b>\|`, ""), "<b>|"), "%q", got)
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

// reminders returns the memory of a session, with words in every place that a model may have filled.
func reminders(words string) []council.Reminder {
	return []council.Reminder{
		{Left: 2, Records: []council.Remembered{
			{ID: "r-loop", Kind: "open_loop", Summary: words, Detail: words, Date: "2025-11-02"},
			{ID: "r-decision", Kind: "decision", Summary: words, Date: "2025-10-12"},
		}},
		{Member: ada, Records: []council.Remembered{{ID: "r-ada", Kind: "lesson", Summary: words, Date: "2025-11-02"}}},
		{Member: curie, Left: 1,
			Records: []council.Remembered{{ID: "r-curie", Kind: "constraint", Summary: words, Date: "2025-11-02"}}},
	}
}

// remembered returns a session with memory: it settles an open loop, and names a record that no member was given.
func remembered() *scribe {
	s := newScribe(topic, charter("anthropic"), reminders("Whether the queue may lose a message is open.")...)
	s.note("", council.MemoryRecalled{Query: "queue write disk acknowledge", Hits: []council.Recollection{
		{ID: "20250210-090000-lost-mail-2k9d.e14", Kind: council.RecalledTurn, Session: "20250210-090000-lost-mail-2k9d",
			Speaker: "George Boole", Date: "2025-02-10", Text: "We lost forty messages:\n\n- all of them acknowledged\n- " +
				"none of them written"},
		{ID: "r-old", Kind: council.RecalledRecord, Date: "2024-07-01", Text: "Disks are cheap."},
	}})
	s.nominate(ada, ada, "I know the code.").nominate(boole, ada, "She does.").nominate(curie, ada, "Yes.")
	s.note("", council.LeaderElected{Leader: ada, Ranking: []council.MemberID{ada, boole, curie},
		Votes: []council.CandidateVotes{{Candidate: ada, Votes: 3}}})
	s.enter("explore", "Find the options.", "").startRound(1)
	s.says(ada, "r-loop is still open, and e2 says what it cost.").passes(boole, "Agreed.").passes(curie, "Agreed.")
	s.ends(council.EndRoundLimit, "")
	s.note(ada, council.PhaseAssessed{Answered: s.answered(council.AskAssess, ada), Assessment: council.Assessment{
		Deliverables: []council.Claim{{ID: "options", Claim: "There is one.", Citations: []string{"e9"}, Met: true}},
		Constraints:  []string{"No acknowledged message is lost.", "The median stays under 5 ms."}}})
	s.note("", council.PhaseEnded{
		Phase: "explore", Reason: council.EndRoundLimit, Assessed: true,
		Deliverables: []council.Finding{
			{ID: "options", Status: council.FindingComplete, Required: true, Citations: []string{"e9"}}},
	})
	s.summarises(ada, council.Summary{
		SummaryMarkdown: "The queue writes first.",
		Settles: []council.Settlement{
			{Record: "r-loop", How: council.SettledResolved, Because: "It may not lose any."},
			{Record: "r-ada", How: council.SettledSuperseded},
			{Record: "r-curie", How: council.SettledResolved, Because: "She was reminded of it, not the leader."},
		},
	})
	return s.closes(
		council.Outcome{Ended: council.SessionCompleted, Leader: ada, Documentation: council.DocumentationNone})
}
