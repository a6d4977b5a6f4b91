package quorum

import (
	"cmp"
	"slices"
)

// Ranking is one member's order of options, best first, each by its index; those of one group are equal. What is left
// out ranks below all that is named, and equally. The index one past the options stands for none of these.
type Ranking [][]int

// place returns how high the ranking puts an option, counted from 0; what is left out comes last.
func (r Ranking) place(option int) int {
	for i, group := range r {
		if slices.Contains(group, option) {
			return i
		}
	}
	return len(r)
}

// Choice is the verdict on ranked ballots, with all that is needed to count them again. The index one
// past the options stands for none of these.
type Choice struct {
	Result Result `json:"result"`
	Winner int    `json:"winner"` // index of the option that was chosen; only with CARRIED

	// Prefers[a][b] is how many valid ballots rank a above b. The last row and column are none of these.
	Prefers [][]int `json:"prefers"`

	// Paths[a][b] is the strength of the strongest path from a to b by Schulze's method among the options that stay: that
	// of its weakest step. It is zero where there is no path.
	Paths [][]Strength `json:"paths"`

	Out  []int `json:"out,omitempty"`  // options that do not stand against none of these
	Tied []int `json:"tied,omitempty"` // options that win equally; the lot decided among them
}

// Counts reports whether the choice is between so many options: every row and every index is there.
func (c *Choice) Counts(options int) bool {
	wrong := func(n int) bool { return n >= options }
	return len(c.Prefers) == options+1 && len(c.Paths) == options+1 &&
		!slices.ContainsFunc(c.Prefers, func(row []int) bool { return len(row) != options+1 }) &&
		!slices.ContainsFunc(c.Paths, func(row []Strength) bool { return len(row) != options+1 }) &&
		!wrong(c.Winner) && !slices.ContainsFunc(c.Out, wrong)
}

// Strength tells how one option defeats another: by how many ballots, against how many. Of two defeats that as many
// ballots are for, the one with fewer against it is stronger.
type Strength struct {
	For     int `json:"for"`
	Against int `json:"against"`
}

// compare orders strengths, the weaker first.
func (s Strength) compare(t Strength) int { return cmp.Or(s.For-t.For, t.Against-s.Against) }

// Choose counts rankings of so many options, as Debian counts its votes (constitution, A.5): an option stays if it has
// a quorum of ballots that rank it above none of these, and if these carry by the rule against those that rank it
// below. Among those that stay Schulze's method decides, by the votes of the winning side. Of several winners it is the
// first in lot, which holds every option once. absent and invalid members are known by the number of ballots alone.
func (r Rule) Choose(options int, ballots []Ranking, lot []int) Choice {
	c := Choice{Prefers: prefers(options+1, ballots), Paths: square[Strength](options + 1)}
	if len(ballots) < r.Required() {
		c.Result = NoQuorum
		return c
	}
	var stay []int
	for o := range options {
		if above, below := c.Prefers[o][options], c.Prefers[options][o]; r.stands(above, below, len(ballots)) {
			stay = append(stay, o)
		} else {
			c.Out = append(c.Out, o)
		}
	}
	if len(stay) == 0 {
		c.Result = Lost
		return c
	}
	c.strengthen(stay)
	var best []int
	for _, o := range lot {
		if slices.Contains(stay, o) && c.unbeaten(o, stay) {
			best = append(best, o)
		}
	}
	c.Result, c.Winner = Carried, best[0]
	if len(best) > 1 {
		c.Tied = slices.Sorted(slices.Values(best))
	}
	return c
}

// stands reports whether so many ballots above none of these are enough against so many below it.
func (r Rule) stands(above, below, valid int) bool {
	count := Count{Yes: above, No: below, Abstain: valid - above - below, Absent: r.Members - valid}
	return above >= r.Required() && r.Decide(count) == Carried
}

func square[T any](n int) [][]T {
	rows := make([][]T, n)
	for i := range rows {
		rows[i] = make([]T, n)
	}
	return rows
}

func prefers(n int, ballots []Ranking) [][]int {
	all := square[int](n)
	for _, ballot := range ballots {
		for a := range n {
			for b := range n {
				if ballot.place(a) < ballot.place(b) {
					all[a][b]++
				}
			}
		}
	}
	return all
}

// strengthen finds the strongest paths among the options that stay (Schulze 2011, section 2.3.1).
func (c *Choice) strengthen(stay []int) {
	for _, a := range stay {
		for _, b := range stay {
			if with, against := c.Prefers[a][b], c.Prefers[b][a]; with > against {
				c.Paths[a][b] = Strength{with, against}
			}
		}
	}
	for _, via := range stay {
		for _, a := range stay {
			for _, b := range stay {
				first, second := c.Paths[a][via], c.Paths[via][b]
				if a == b || first.For == 0 || second.For == 0 {
					continue
				}
				if step := slices.MinFunc([]Strength{first, second}, Strength.compare); step.compare(c.Paths[a][b]) > 0 {
					c.Paths[a][b] = step
				}
			}
		}
	}
}

// unbeaten reports whether no option that stays has a stronger path to o than o has to it.
func (c *Choice) unbeaten(o int, stay []int) bool {
	return !slices.ContainsFunc(stay, func(other int) bool { return c.Paths[other][o].compare(c.Paths[o][other]) > 0 })
}
