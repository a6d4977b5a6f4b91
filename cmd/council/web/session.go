package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/live"
)

// sitting is a session as the pages show it.
type sitting struct {
	ID        council.SessionID
	Short     string
	ReadOnly  bool
	Entries   []wire.Entry
	Minutes   *minutes.Minutes
	Now       live.State
	Running   bool // a process drives it
	Questions []Question
	Later     []string // see [Door]
}

// State tells how the session stands.
func (s *sitting) State() minutes.State { return s.Minutes.Standing(s.Running) }

// Name returns what a member is called.
func (s *sitting) Name(id council.MemberID) string {
	if m := s.Minutes.Started.Charter.Asked(id); m != nil {
		return cmp.Or(m.Name, string(id))
	}
	return string(id)
}

// Voter returns the name of a member beside its votes.
func (s *sitting) Voter(id council.MemberID) string {
	return s.Name(id) + s.Minutes.Started.Charter.VoterMark(id)
}

// Open reports whether the session can go on.
func (s *sitting) Open() bool { return s.Minutes.Outcome == nil }

// Standing tells in a line where the session is, for those who hear a page.
func (s *sitting) Standing() string {
	var parts []string
	if v := s.Minutes.Visit(); v != nil && s.Open() {
		c := &s.Minutes.Started.Charter
		i := slices.IndexFunc(c.Phases, func(p council.Phase) bool { return p.ID == v.Phase })
		parts = append(parts, fmt.Sprintf("phase %s (%d of %d)", v.Phase, i+1, len(c.Phases)))
		if v.Rounds > 0 {
			parts = append(parts, fmt.Sprintf("round %d", v.Rounds))
		}
	}
	for _, a := range s.Now.Asks {
		if !a.Done {
			parts = append(parts, s.Name(a.Member)+": "+string(a.Kind))
		}
	}
	return strings.Join(append([]string{string(s.State())}, parts...), ", ")
}

// Awaits reports whether the brief waits for a person's ruling, or may still get another one.
func (s *sitting) Awaits() bool {
	h := s.Minutes.Handoff
	return !s.Open() && h.Brief != nil && h.HandedOff() && h.Approval == nil && h.Start == nil
}

// Documented reports whether a draft of a document was written.
func (s *sitting) Documented() bool { return len(s.Minutes.Drafts) > 0 }

// recent is how many votes are shown with their reasons; the minutes have all.
const recent = 12

// Voted lists the votes that were taken last, the last one first.
func (s *sitting) Voted() []*minutes.Motion {
	var voted []*minutes.Motion
	for _, m := range slices.Backward(s.Minutes.Motions) {
		if len(m.Ballots) > 0 && len(voted) < recent {
			voted = append(voted, m)
		}
	}
	return voted
}

// listed is a session in the list.
type listed struct {
	ID, Short, Started, Topic, Council, State, Approval, Reason string
	Vote                                                        *struct{ Yes, No int }
	CostUSD                                                     *float64
	ReopenedBy, SupersededBy                                    []string
	Events                                                      int
}

func (s *server) sessions(r *http.Request) (view, error) {
	q := r.URL.Query()
	flags := []string{"--json", flag("limit", cmp.Or(q.Get("limit"), "50")), flag("since", q.Get("since")),
		flag("status", q.Get("status"))}
	all, err := lines[listed](r.Context(), s, "sessions", flags...)
	if word := strings.ToLower(q.Get("q")); word != "" {
		all = slices.DeleteFunc(all, func(l listed) bool { return !strings.Contains(strings.ToLower(l.Topic), word) })
	}
	return view{Title: "Sessions", Page: "sessions", Body: map[string]any{"All": all, "Status": q.Get("status"),
		"Since": q.Get("since"), "Q": q.Get("q"), "Failed": failed(err)}}, nil
}

func failed(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (s *server) session(r *http.Request) (v view, err error) {
	err = s.read(r, func(root *recorder.Root, t *sitting) error {
		if t.Running {
			t.Now, _ = live.Read(root, t.ID)
		} else if t.Open() {
			t.Questions, _ = s.Questions(root, t.ID) // what keeps them from being read is told by answer and resume
		}
		t.Later = s.Later(root, t.ID)
		v = view{Title: cmp.Or(t.Minutes.Started.Topic.Text, string(t.ID)), Page: "session", Body: t}
		return nil
	})
	return v, err
}

// part is the most of a transcript that one page holds, in bytes.
const part = 40_000

// minutes shows a part of the transcript.
func (s *server) minutes(r *http.Request) (v view, err error) {
	err = s.read(r, func(_ *recorder.Root, t *sitting) error {
		if len(t.Entries) == 0 {
			return recorder.ErrNotBegun
		}
		_, text := render.Tell(t.Entries)
		parts := inParts(string(text))
		var n int
		_, _ = fmt.Sscan(r.URL.Query().Get("part"), &n) // the first, if it names none
		n = min(max(n, 1), len(parts))
		v = view{Title: "Minutes: " + t.Minutes.Started.Topic.Text, Page: "minutes", Body: map[string]any{"T": t,
			"Text": parts[n-1], "Part": n, "Of": len(parts)}}
		return nil
	})
	return v, err
}

// inParts cuts Markdown before headings, else before paragraphs.
func inParts(text string) (parts []string) {
	for len(text) > part {
		at := 0
		for _, before := range []string{"\n## ", "\n### ", "\n\n"} {
			if at = strings.LastIndex(text[:part], before); at > part/4 {
				break
			}
		}
		if at <= 0 {
			at = part
		}
		parts, text = append(parts, text[:at]), text[at:]
	}
	return append(parts, text)
}

// drafts shows two drafts of the document beside each other, with what was said against each.
func (s *server) drafts(r *http.Request) (v view, err error) {
	err = s.read(r, func(_ *recorder.Root, t *sitting) error {
		all := t.Minutes.Drafts
		if len(all) == 0 {
			return fmt.Errorf("no draft of a document was written in session %s", t.Short)
		}
		var named []*minutes.Draft
		for _, d := range all {
			if slices.Contains(r.URL.Query()["v"], fmt.Sprint(d.Version)) {
				named = append(named, d)
			}
		}
		shown := all[max(0, len(all)-2):]
		if len(named) > 0 {
			shown = named[:min(2, len(named))]
		}
		v = view{Title: "Drafts: " + t.Minutes.Started.Topic.Text, Page: "drafts",
			Body: map[string]any{"T": t, "Shown": shown}}
		return nil
	})
	return v, err
}

// exports are the formats of council export that are handed out, with their media types.
var exports = map[string]struct{ suffix, media string }{
	"html": {"html", "text/html; charset=utf-8"}, "md": {"md", "text/markdown; charset=utf-8"},
	"adr": {"adr.md", "text/markdown; charset=utf-8"}, "json": {"json", "application/json"},
}

// export hands out what council export prints, as a file to keep.
func (s *server) export(w http.ResponseWriter, r *http.Request) {
	e, ok := exports[r.PathValue("format")]
	var text string
	id, _, err := s.known(r)
	if err == nil && ok {
		text, err = s.Run(r.Context(), "export", []string{flag("format", r.PathValue("format"))}, string(id))
	}
	if err != nil || !ok {
		s.write(w, r, view{Title: "Not there", Page: "error", Status: http.StatusNotFound, Body: failed(err)})
		return
	}
	w.Header().Set("Content-Type", e.media)
	w.Header().Set("Content-Disposition", "attachment; filename="+string(id)+"."+e.suffix)
	_, _ = w.Write([]byte(text))
}

// Final returns the words of the leader.
func (s *sitting) Final() string { return s.Minutes.Summary.SummaryMarkdown }

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
	body := map[string]any{"All": all, "Q": q, "Failed": failed(err), "Kinds": memory.Kinds(),
		"Statuses": memory.Statuses()}
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
