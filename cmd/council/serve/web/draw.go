package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/index"
)

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
			ballot := "no ballot"
			if at := slices.IndexFunc(ballots, func(b minutes.Ballot) bool { return b.Member == id }); at >= 0 {
				ballot = ballots[at].Ballot
			}
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
	var stances []string
	at := func(stance string) int {
		stance = cmp.Or(stance, "not said")
		i := slices.Index(stances, stance)
		if i < 0 {
			i, stances = len(stances), append(stances, stance)
		}
		return i
	}
	p := &slopes{About: fmt.Sprintf("%d of %s moved.", r.Moved, plural.Things(len(r.Positions), "member"))}
	from, to := map[int][]string{}, map[int][]string{}
	for _, h := range r.Positions {
		last := h.Last
		if h.Moved == minutes.No {
			last = h.Stance // perhaps in other words
		}
		a, b := at(h.Stance), at(last)
		from[a], to[b] = append(from[a], s.Name(h.Member)), append(to[b], s.Name(h.Member))
		class := "kept"
		if h.Moved == minutes.Yes {
			class = "moved"
		}
		p.Lines = append(p.Lines, spot{X: 40 + high*a + 10, Y: 40 + high*b + 10, Class: class,
			Title: s.Name(h.Member) + ": " + cmp.Or(h.Stance, "not said") + " → " + cmp.Or(last, "not said")})
	}
	for i, stance := range stances {
		y := 40 + high*i + 10
		p.Left = append(p.Left, spot{Y: y, Text: stance, Title: strings.Join(from[i], ", ")})
		p.Right = append(p.Right, spot{Y: y, Text: stance, Title: strings.Join(to[i], ", ")})
	}
	p.Height = 40 + high*len(stances)
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
