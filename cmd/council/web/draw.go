package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/plural"
)

// The pictures are drawn by templates; here is only where things stand in them.
const (
	cell  = 34  // width and height of a ballot
	lead  = 230 // width of what is voted on
	above = 70  // height of the members' names
)

// grid is a picture of ballots: what was voted on in rows, members in columns.
type grid struct {
	Title, About  string
	Width, Height int
	Heads         []spot
	Rows          []gridRow
}

type gridRow struct {
	spot
	Result string
	Cells  []spot
}

// spot is something in a picture.
type spot struct {
	X, Y        int
	Text, Class string
	Title       string
}

func (s *sitting) newGrid(title string, seats []council.MemberID) grid {
	g := grid{Title: title, Width: lead + cell*len(seats) + 120, Height: above}
	for i, id := range seats {
		g.Heads = append(g.Heads, spot{X: lead + cell*i + cell/2, Y: above - 8, Text: s.Name(id)})
	}
	return g
}

func (g *grid) add(row gridRow, cells []spot) {
	row.X, row.Y = lead-10, g.Height+cell/2
	for i := range cells {
		cells[i].X, cells[i].Y = lead+cell*i+cell/2, row.Y
	}
	row.Cells = cells
	g.Rows, g.Height = append(g.Rows, row), g.Height+cell
}

// marks are the ballots as they are drawn: never by colour alone.
var marks = map[string]spot{"YES": {Text: "✓", Class: "yes"}, "NO": {Text: "✗", Class: "no"},
	"ABSTAIN": {Text: "–", Class: "none"}, "INVALID": {Text: "!", Class: "none"}, "ABSENT": {Text: "·", Class: "none"}}

// mostRows is how many votes a picture has: the last ones.
const mostRows = 40

// Matrix draws who voted how on what was put to the vote by yes and no.
func (s *sitting) Matrix() *grid {
	seats := s.Minutes.Seats()
	g := s.newGrid("Who voted how", seats)
	row := func(what, result string, ballots []minutes.Ballot) {
		cells := make([]spot, len(seats))
		for i, id := range seats {
			cells[i] = spot{Class: "none", Text: " ", Title: s.Name(id) + ": no ballot"}
			if at := slices.IndexFunc(ballots, func(b minutes.Ballot) bool { return b.Member == id }); at >= 0 {
				cells[i] = marks[ballots[at].Ballot]
				cells[i].Title = s.Name(id) + ": " + ballots[at].Ballot
			}
		}
		g.add(gridRow{spot: spot{Text: what}, Result: result}, cells)
	}
	motions := slices.DeleteFunc(slices.Clone(s.Minutes.Motions), func(m *minutes.Motion) bool {
		return len(m.Ballots) == 0 || m.Choice != nil
	})
	for _, m := range motions[max(0, len(motions)-mostRows):] {
		row(m.Title, strings.ToLower(string(m.Status)), m.Ballots)
	}
	for _, d := range s.Minutes.Drafts {
		if d.Vote != nil {
			row("Document, draft "+fmt.Sprint(d.Version), strings.ToLower(string(d.Vote.Result)), d.Ballots)
		}
	}
	if len(g.Rows) == 0 {
		return nil
	}
	g.About = fmt.Sprintf("%s of %s. ✓ is yes, ✗ no, – abstained.", plural.Things(len(g.Rows), "vote"),
		plural.Things(len(seats), "member"))
	return &g
}

// Ranked draws the ranked ballots of each choice: at which place a member put an option.
func (s *sitting) Ranked() (all []grid) {
	for _, m := range s.Minutes.Motions {
		if m.Choice == nil || len(m.Ballots) == 0 {
			continue
		}
		var voters []council.MemberID
		for _, b := range m.Ballots {
			voters = append(voters, b.Member)
		}
		g := s.newGrid(m.Title, voters)
		chosen := council.Chosen(m.Options, m.Choice)
		for _, option := range append(slices.Clone(m.Options), council.NoneOfThese) {
			cells := make([]spot, len(m.Ballots))
			for i, b := range m.Ballots {
				place, n := 0, 1
				for _, group := range b.Ranking {
					if slices.Contains(group, option) {
						place = n
					}
					n += len(group)
				}
				cells[i] = spot{Text: "·", Class: "none", Title: s.Name(b.Member) + ": not ranked"}
				if place > 0 {
					cells[i] = spot{Text: fmt.Sprint(place), Class: "rank rank" + fmt.Sprint(min(place, 4)),
						Title: s.Name(b.Member) + ": place " + fmt.Sprint(place)}
				}
			}
			result := ""
			if option == chosen {
				result = "chosen"
			}
			g.add(gridRow{spot: spot{Text: option}, Result: result}, cells)
		}
		g.About = "At which place each member put each option; 1 is best. Chosen: " +
			cmp.Or(chosen, council.NoneOfThese) + "."
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

// bars draws what days cost, or took in tokens where no cost is known.
func bars(days []spent) map[string]any {
	var all []spot
	most, money := 0.0, slices.ContainsFunc(days, func(d spent) bool { return d.CostUSD > 0 })
	of := func(d spent) float64 {
		if money {
			return d.CostUSD
		}
		return float64(d.InputTokens + d.CachedTokens + d.OutputTokens)
	}
	for _, d := range days {
		most = max(most, of(d))
	}
	for i, d := range days {
		high := 0
		if most > 0 {
			high = int(of(d) / most * 100)
		}
		words := fmt.Sprint(int64(of(d))) + " tokens"
		if money {
			words = dollars(&d.CostUSD)
		}
		all = append(all, spot{X: i * 16, Y: max(high, 1), Text: d.Key, Title: d.Key + ": " + words})
	}
	return map[string]any{"Bars": all, "Width": max(16*len(days), 16), "Days": days, "Money": money, "Most": most}
}
