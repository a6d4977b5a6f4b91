package web

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/schedule"
)

// sitting is a session as the pages show it.
type sitting struct {
	workspace.Session
	ReadOnly  bool
	Now       live.State
	Questions []Question
	Later     []string // see [workspace.Workspace.Later]
}

// State returns the state of the session.
func (s *sitting) State() minutes.State { return s.Minutes.Standing(s.Running) }

// Name returns the name of a member.
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

// Standing describes the progress of the session in a line, for screen readers.
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

const (
	recent   = 12     // votes that are shown with their reasons; the minutes have all
	part     = 40_000 // bytes of a transcript that one page holds at most
	mostRuns = 100    // rows of a table of runs
)

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

func (s *server) sessions(r *http.Request) (view, error) {
	q := r.URL.Query()
	f := workspace.Filter{Since: strings.TrimSpace(q.Get("since")), Limit: 50}
	if n, err := strconv.Atoi(q.Get("limit")); err == nil && n >= 0 {
		f.Limit = n
	}
	if status := q.Get("status"); status != "" {
		f.Status = []string{status}
	}
	all, failed := list(s, func(w *workspace.Workspace) ([]workspace.Listed, error) {
		all, _, err := w.Sessions(r.Context(), f)
		return all, err
	})
	if word := strings.ToLower(q.Get("q")); word != "" {
		all = slices.DeleteFunc(all, func(l workspace.Listed) bool {
			return !strings.Contains(strings.ToLower(l.Topic), word)
		})
	}
	return view{Title: "Sessions", Page: "sessions", Body: map[string]any{"All": all, "Status": q.Get("status"),
		"Since": q.Get("since"), "Q": q.Get("q"), "Failed": failed}}, nil
}

func (s *server) session(r *http.Request) (v view, err error) {
	err = s.read(r, func(w *workspace.Workspace, t *sitting) error {
		if t.Running {
			t.Now, _ = w.Now(t.ID)
		} else if t.Open() {
			t.Questions = questions(w, t.ID)
		}
		t.Later = w.Later(t.ID)
		v = view{Title: cmp.Or(t.Minutes.Started.Topic.Text, string(t.ID)), Page: "session", Body: t}
		return nil
	})
	return v, err
}

func (s *server) minutes(r *http.Request) (v view, err error) {
	err = s.read(r, func(_ *workspace.Workspace, t *sitting) error {
		if len(t.Entries) == 0 {
			return recorder.ErrNotBegun
		}
		_, text := render.NewTranscript(t.Entries)
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

// drafts shows two drafts of the document beside each other, with their blockers.
func (s *server) drafts(r *http.Request) (v view, err error) {
	err = s.read(r, func(_ *workspace.Workspace, t *sitting) error {
		all := t.Minutes.Drafts
		if len(all) == 0 {
			return fmt.Errorf("no draft of a document was written in session %s", t.Short)
		}
		shown := slices.DeleteFunc(slices.Clone(all), func(d *minutes.Draft) bool {
			return !slices.Contains(r.URL.Query()["v"], fmt.Sprint(d.Version))
		})
		if len(shown) == 0 {
			shown = all[max(0, len(all)-2):]
		}
		v = view{Title: "Drafts: " + t.Minutes.Started.Topic.Text, Page: "drafts",
			Body: map[string]any{"T": t, "Shown": shown[:min(2, len(shown))]}}
		return nil
	})
	return v, err
}

// exports are the formats of council export that are handed out, with their media types.
var exports = map[string]struct{ suffix, media string }{
	"html": {"html", "text/html; charset=utf-8"}, "md": {"md", "text/markdown; charset=utf-8"},
	"adr": {"adr.md", "text/markdown; charset=utf-8"}, "json": {"json", "application/json"},
}

func (s *server) export(w http.ResponseWriter, r *http.Request) {
	e, ok := exports[r.PathValue("format")]
	var text []byte
	failed := ""
	id, err := s.find(r)
	if err != nil {
		failed = err.Error()
	} else if ok {
		text, failed = list(s, func(w *workspace.Workspace) ([]byte, error) { return w.Export(id, r.PathValue("format")) })
	}
	if failed != "" || !ok {
		s.write(w, r, view{Title: "Not there", Page: "error", Status: http.StatusNotFound, Body: failed})
		return
	}
	w.Header().Set("Content-Type", e.media)
	w.Header().Set("Content-Disposition", "attachment; filename="+string(id)+"."+e.suffix)
	_, _ = io.WriteString(w, hostile.Terminal(string(text)))
}

// memory shows the records of memory, and a member's reminder with its reasons.
func (s *server) memory(r *http.Request) (view, error) {
	q := r.URL.Query()
	f := memories.Filter{Archives: q.Get("all") != ""}
	for name, words := range map[string]*[]string{"kind": &f.Kinds, "status": &f.Statuses, "member": &f.Members} {
		if word := strings.TrimSpace(q.Get(name)); word != "" {
			*words = []string{word}
		}
	}
	all, failed := list(s, func(w *workspace.Workspace) ([]memories.Shown, error) { return w.Records(r.Context(), f) })
	body := map[string]any{"All": all, "Q": q, "Failed": failed, "Kinds": memory.Kinds(), "Statuses": memory.Statuses()}
	if q.Has("told") {
		p := memories.Preview{Of: cmp.Or(q.Get("told"), "council"), Topic: strings.TrimSpace(q.Get("topic")), Why: true,
			Rehearsal: q.Get("rehearsal") != ""}
		told, failed := list(s, func(w *workspace.Workspace) ([]string, error) {
			var err error
			if p.Charter, err = s.Charter(); err != nil {
				return nil, err
			}
			text, err := w.Preview(r.Context(), p)
			return []string{text}, err
		})
		body["Told"] = strings.Join(append(told, failed), "")
	}
	return view{Title: "Memory", Page: "memory", Body: body}, nil
}

// costs shows the spending by day and by a group of the reader's choice.
func (s *server) costs(r *http.Request) (view, error) {
	q := r.URL.Query()
	by, since := q.Get("by"), strings.TrimSpace(q.Get("since"))
	ways := []string{"model", "member", "council", "session"}
	if !slices.Contains(ways, by) {
		by = ways[0]
	}
	usage := func(by string) ([]index.Used, string) {
		return list(s, func(w *workspace.Workspace) ([]index.Used, error) { return w.Usage(r.Context(), by, since) })
	}
	days, failed := usage("day")
	sums, _ := usage(by)
	slices.SortFunc(days, func(a, b index.Used) int { return strings.Compare(a.Key, b.Key) })
	days = days[max(0, len(days)-60):]
	return view{Title: "Costs", Page: "costs", Body: map[string]any{"Days": bars(days), "Sums": sums, "By": by,
		"Ways": ways, "Since": q.Get("since"), "Failed": failed}}, nil
}

// table is a list with columns. Its first column is the argument of its acts.
type table struct {
	Title, None   string
	Columns, Acts []string
	Rows          [][]any
	Failed        string
}

// fill gives a table a row for each thing that an operation lists.
func fill[T any](s *server, t table, do func(*workspace.Workspace) ([]T, error), row func(T) []any) table {
	all, failed := list(s, do)
	t.Rows, t.Failed = council.Map(all[:min(len(all), mostRuns)], row), failed
	return t
}

func (s *server) runs(r *http.Request) (view, error) {
	retries := fill(s, table{Title: "Retries", None: "No session waits for another try.",
		Columns: []string{"session", "tries", "due", "parked", "causes"}, Acts: []string{"retry", "drop"}},
		(*workspace.Workspace).Retries,
		func(w *audit.QueuedSession) []any {
			why := council.Map(w.Causes, func(c audit.Cause) string { return c.Why })
			return []any{w.Session, w.Tries, stamp(w.Due), w.Parked, strings.Join(why, ", ")}
		})
	routines := fill(s, table{Title: "Routines", None: "There is no routine. Add one with: council schedule add",
		Columns: []string{"name", "schedule", "convene", "paused", "next", "problem"}, Acts: []string{"pause", "resume"}},
		func(w *workspace.Workspace) ([]schedule.Listed, error) { return w.Routines(s.Unfit) },
		func(l schedule.Listed) []any {
			return []any{l.Name, l.Schedule(), strings.Join(l.Convene, " "), l.Paused, stamp(l.Next), l.Problem}
		})
	ran := fill(s, table{Title: "What was run", None: "Nothing was run yet.",
		Columns: []string{"session", "command", "status", "by", "started", "ended", "error"}},
		func(w *workspace.Workspace) ([]index.Run, error) { return w.Runs(r.Context(), mostRuns) },
		func(r index.Run) []any {
			return []any{r.Session, r.Command, r.Status, r.By, r.Started, r.Ended, r.Error}
		})
	return view{Title: "Runs", Page: "runs", Body: []table{retries, routines, ran}}, nil
}
