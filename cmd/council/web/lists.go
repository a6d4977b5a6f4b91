package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// record is a record of memory as council memory list prints it.
type record struct {
	ID, Kind, Status, Summary, Detail, Member, UpdatedAt string
	Importance                                           int
	Rehearsed                                            bool
	Evidence                                             []struct{ SessionID, EventID string }
}

// memory shows what is remembered, and what a member would be told now and why.
func (s *server) memory(r *http.Request) (view, error) {
	q := r.URL.Query()
	flags := []string{"--json", flag("kind", q.Get("kind")), flag("status", q.Get("status")),
		flag("member", q.Get("member"))}
	if q.Get("all") != "" {
		flags = append(flags, "--all")
	}
	all, err := lines[record](r.Context(), s, "memory list", flags...)
	body := map[string]any{"All": all, "Q": q, "Failed": failed(err), "Kinds": []string{"decision", "constraint",
		"preference", "open_loop", "risk_pattern", "assumption", "lesson", "outcome"},
		"Statuses": []string{"active", "resolved", "superseded", "stale"}}
	if q.Has("told") {
		told := []string{"--why", flag("topic", q.Get("topic"))}
		if q.Get("rehearsal") != "" {
			told = append(told, "--rehearsal")
		}
		text, err := s.Run(r.Context(), "memory prompt", told, cmp.Or(q.Get("told"), "council"))
		body["Told"] = cmp.Or(text, failed(err))
	}
	return view{Title: "Memory", Page: "memory", Body: body}, nil
}

// spent is a sum of council usage.
type spent struct {
	Key                              string
	Calls, InputTokens, CachedTokens int64
	OutputTokens                     int64
	CostUSD                          float64
	CostKnown                        bool
}

// costs shows what was spent, by day and by what the reader asks for.
func (s *server) costs(r *http.Request) (view, error) {
	q := r.URL.Query()
	by, since := q.Get("by"), flag("since", q.Get("since"))
	ways := []string{"model", "member", "council", "session"}
	if !slices.Contains(ways, by) {
		by = ways[0]
	}
	days, err := lines[spent](r.Context(), s, "usage", "--json", "--by=day", since)
	sums, _ := lines[spent](r.Context(), s, "usage", "--json", flag("by", by), since)
	slices.SortFunc(days, func(a, b spent) int { return strings.Compare(a.Key, b.Key) })
	days = days[max(0, len(days)-60):]
	return view{Title: "Costs", Page: "costs", Body: map[string]any{"Days": bars(days), "Sums": sums, "By": by,
		"Ways": ways, "Since": q.Get("since"), "Failed": failed(err)}}, nil
}

// table is a list of things that a verb prints, with the columns that are shown of them.
type table struct {
	Title, Verb, None string
	Columns           []string
	Acts              []string
	Rows              []map[string]any
	Failed            string
}

// runs shows runs, retries and routines.
func (s *server) runs(r *http.Request) (view, error) {
	tables := []table{
		{Title: "Retries", Verb: "retry list", None: "No session waits for another try.",
			Columns: []string{"session", "tries", "due", "parked", "causes"}, Acts: []string{"retry", "drop"}},
		{Title: "Routines", Verb: "routine list", None: "There is no routine. Add one with: council routine add",
			Columns: []string{"name", "schedule", "topic", "paused", "next", "problem"}, Acts: []string{"pause", "resume"}},
		{Title: "What was run", Verb: "runs list", None: "Nothing was run yet.",
			Columns: []string{"session", "command", "status", "by", "started", "ended", "error"}},
	}
	for i := range tables {
		t := &tables[i]
		rows, err := lines[map[string]any](r.Context(), s, t.Verb, "--json")
		t.Rows, t.Failed = rows[:min(len(rows), 100)], failed(err)
	}
	return view{Title: "Runs", Page: "runs", Body: tables}, nil
}
