package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/safehtml"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/site"
)

// feed follows one session for one browser, which gets the last of each part of its page, as HTML.
type feed struct {
	s      *server
	at     *sitting
	told   *render.Transcript
	blocks []string // the newest of the minutes, as HTML
}

// newest is how many of the latest events a live page shows.
const newest = 12

// follow passes on the parts as they change, until ctx ends. Where the session cannot be read, the last one says so;
// reloading the page explains it.
func (f *feed) follow(ctx context.Context, w *workspace.Workspace, changed chan<- map[string]string) {
	put := func(parts map[string]string) error {
		select {
		case changed <- parts:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := w.Follow(ctx, f.at.ID, func(u live.Update) error { return put(f.take(w, u)) })
	if !errors.Is(err, context.Canceled) {
		_ = put(map[string]string{"standing": "The page does not follow the session any more. Load it again."})
	}
}

// take takes in an update, and returns the parts that it may have changed.
func (f *feed) take(w *workspace.Workspace, u live.Update) map[string]string {
	t := f.at
	first := len(t.Entries) == 0
	for _, e := range u.Entries {
		t.Minutes.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
	}
	t.Entries, t.Now, t.Running, t.Questions = append(t.Entries, u.Entries...), u.State, u.Running, nil
	if !u.Running && t.Open() {
		t.Questions = questions(w, t.ID)
	}
	if first && len(u.Entries) > 0 {
		n := max(1, len(u.Entries)-newest)
		f.told, _ = render.NewTranscript(u.Entries[:n])
		f.tell(u.Entries[n:])
	} else if f.told != nil {
		f.tell(u.Entries)
	}
	parts := map[string]string{"standing": f.s.fragment("standing", t), "now": f.s.fragment("now", t),
		"acts": f.s.fragment("acts", t)}
	if len(u.Entries) > 0 || first {
		if first || !t.Open() { // only a closed session gets successors
			t.Later = w.Later(t.ID)
		}
		parts["body"], parts["told"] = f.s.fragment("body", t), f.s.fragment("told", f.blocks)
	}
	return parts
}

func (f *feed) tell(entries []wire.Entry) {
	for _, e := range entries {
		if more, grows := f.told.Add(e); grows && more != "" {
			f.blocks = append(f.blocks, safehtml.Of(more))
		}
	}
	f.blocks = f.blocks[max(0, len(f.blocks)-newest):]
}

// live sends the parts of a session's page whenever they change, by server-sent events.
func (s *server) live(w http.ResponseWriter, r *http.Request) {
	err := s.read(r, func(open *workspace.Workspace, t *sitting) error {
		t.Entries, t.Minutes = nil, &minutes.Minutes{} // the feed takes in all of it
		f, changed := &feed{s: s, at: t}, make(chan map[string]string)
		ctx, leave := context.WithCancel(r.Context())
		var following sync.WaitGroup
		following.Go(func() { f.follow(ctx, open, changed) })
		defer following.Wait()
		defer leave()
		w.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(w)
		beat := time.NewTicker(15 * time.Second) // so that a browser that went away is noticed
		defer beat.Stop()
		for sent := map[string]string{}; ; {
			text := ":\n\n"
			select {
			case parts := <-changed:
				maps.DeleteFunc(parts, func(id, html string) bool { return sent[id] == html })
				if len(parts) == 0 {
					continue
				}
				maps.Copy(sent, parts)
				doc, _ := json.Marshal(parts) // of strings, always
				text = fmt.Sprintf("data: %s\n\n", doc)
			case <-beat.C:
			case <-ctx.Done():
				return nil
			}
			if _, err := io.WriteString(w, text); err != nil || out.Flush() != nil {
				return nil
			}
		}
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
}

// grid is a table of ballots: votes in rows, members in columns.
type grid struct {
	Title, About string
	Heads        []string
	Rows         []gridRow
}

type gridRow struct {
	Text, Result string
	Cells        []spot
}

type spot struct {
	X, Y               int
	Text, Class, Title string
}

// marks are the ballots as they are drawn: never by colour alone.
var marks = map[string]spot{"YES": {Text: "✓", Class: "yes"}, "NO": {Text: "✗", Class: "no"},
	"ABSTAIN": {Text: "–"}, "INVALID": {Text: "!"}, "ABSENT": {Text: "·"}, "no ballot": {}}

// mostRows is how many votes a picture has: the last ones.
const mostRows = 40

// Matrix draws the ballots of all yes-or-no votes.
func (s *sitting) Matrix() *grid {
	seats := s.Minutes.Seats()
	g := &grid{Title: "Who voted how", Heads: council.Map(seats, s.Voter)}
	row := func(what, result string, ballots []minutes.Ballot) {
		r := gridRow{Text: what, Result: strings.ToLower(result)}
		for _, id := range seats {
			cast := council.First(ballots, func(b minutes.Ballot) bool { return b.Member == id })
			ballot := cmp.Or(cast.Ballot, "no ballot")
			mark := marks[ballot]
			mark.Title = s.Voter(id) + ": " + ballot
			r.Cells = append(r.Cells, mark)
		}
		g.Rows = append(g.Rows, r)
	}
	for _, m := range s.Minutes.Motions {
		if len(m.Ballots) > 0 && m.Choice == nil {
			row(m.Title, string(m.Status), m.Ballots)
		}
	}
	g.Rows = g.Rows[max(0, len(g.Rows)-mostRows):]
	for _, d := range s.Minutes.Drafts {
		if d.Vote != nil {
			row("Document, draft "+fmt.Sprint(d.Version), string(d.Vote.Result), d.Ballots)
		}
	}
	if len(g.Rows) == 0 {
		return nil
	}
	g.About = fmt.Sprintf("%s of %s. ✓ is yes, ✗ no, – abstained.", plural.Things(len(g.Rows), "vote"),
		plural.Things(len(seats), "member"))
	return g
}

// Ranked draws the ranked ballots of each choice: at which place a member put an option.
func (s *sitting) Ranked() (all []grid) {
	for _, m := range s.Minutes.Motions {
		if m.Choice == nil || len(m.Ballots) == 0 {
			continue
		}
		chosen := council.Chosen(m.Options, m.Choice)
		g := grid{Title: m.Title, About: "At which place each member put each option; 1 is best. Chosen: " +
			cmp.Or(chosen, council.NoneOfThese) + "."}
		if m.Round > 0 {
			g.Title = fmt.Sprintf("Round %d: %s", m.Round, m.Title)
		}
		g.Heads = council.Map(m.Ballots, func(b minutes.Ballot) string { return s.Voter(b.Member) })
		for _, option := range council.WithNone(m.Options) {
			row := gridRow{Text: option}
			if option == chosen {
				row.Result = "chosen"
			}
			for _, b := range m.Ballots {
				at, place := spot{Text: "·", Title: s.Voter(b.Member) + ": not ranked"}, 1
				for _, group := range b.Ranking {
					if slices.Contains(group, option) {
						at = spot{Text: fmt.Sprint(place), Class: "rank" + fmt.Sprint(place),
							Title: s.Voter(b.Member) + ": place " + fmt.Sprint(place)}
					}
					place += len(group)
				}
				row.Cells = append(row.Cells, at)
			}
			g.Rows = append(g.Rows, row)
		}
		all = append(all, g)
	}
	return all
}

// slopes is a picture of how members came from their sealed positions to their last ballots.
type slopes struct {
	Height             int
	About              string
	Left, Right, Lines []spot
}

// Moves draws who moved from which sealed position; nil where stances were not asked for.
func (s *sitting) Moves() *slopes {
	r := s.Minutes.Receipt()
	if r == nil || len(r.Positions) == 0 {
		return nil
	}
	const high = 44
	p := &slopes{About: fmt.Sprintf("%d of %s moved.", r.Moved, plural.Things(len(r.Positions), "member"))}
	at := func(stance string) int { // the row of a stance, on both sides
		i := slices.IndexFunc(p.Left, func(s spot) bool { return s.Text == stance })
		if i < 0 {
			i = len(p.Left)
			row := spot{Y: 40 + high*i + 10, Text: stance}
			p.Left, p.Right = append(p.Left, row), append(p.Right, row)
		}
		return i
	}
	for _, h := range r.Positions {
		name, first, last := s.Name(h.Member), cmp.Or(h.Stance, "not said"), cmp.Or(h.Last, "not said")
		if h.Moved == minutes.No {
			last = first // perhaps in other words
		}
		class := "kept"
		if h.Moved == minutes.Yes {
			class = "moved"
		}
		a, b := at(first), at(last)
		left, right := &p.Left[a], &p.Right[b]
		left.Title, right.Title = site.Joined(", ", left.Title, name), site.Joined(", ", right.Title, name)
		p.Lines = append(p.Lines, spot{X: left.Y, Y: right.Y, Class: class, Title: name + ": " + first + " → " + last})
	}
	p.Height = 40 + high*len(p.Left)
	return p
}

// bars draws the cost of days, or their tokens if no cost is known.
func bars(days []index.Used) map[string]any {
	var all []spot
	most, money := 0.0, slices.ContainsFunc(days, func(d index.Used) bool { return d.Cost > 0 })
	of := func(d index.Used) float64 {
		if money {
			return d.Cost.USD()
		}
		return float64(d.Usage.InputTokens + d.Usage.CachedTokens + d.Usage.OutputTokens)
	}
	for _, d := range days {
		most = max(most, of(d))
	}
	for i, d := range days {
		words := fmt.Sprint(int64(of(d))) + " tokens"
		if money {
			words = d.Cost.String()
		}
		high := max(1, int(of(d)/max(most, 1e-9)*100))
		all = append(all, spot{X: i * 16, Y: high, Text: d.Key, Title: d.Key + ": " + words})
	}
	return map[string]any{"Bars": all, "Width": max(16*len(days), 16), "Days": days, "Money": money, "Most": most}
}
