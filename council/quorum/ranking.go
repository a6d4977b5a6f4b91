package quorum

import (
	"cmp"
	"slices"
)

// Ranking is one member's order of options, best first, each by its index; those of one group are equal. Options left
// out rank equally below all others. The index one past the options means none of these.
type Ranking [][]int

// place returns the rank of an option, counted from 0; options left out come last.
func (r Ranking) place(option int) int {
	for i, group := range r {
		if slices.Contains(group, option) {
			return i
		}
	}
	return len(r)
}

// Choice is the verdict on ranked ballots, with all that is needed to count them again. The index one past the options
// means none of these.
type Choice struct {
	Result Result `json:"result"`
	Chosen *int   `json:"chosen,omitempty"` // only with CARRIED

	// The option that leads by Schulze's method where none was chosen. Absent without a valid ballot, and where more
	// ballots rank none of these above it.
	Leaning *int `json:"leaning,omitempty"`

	// The pair whose count decides: the option that leads, and its closest rival. Absent without a valid ballot.
	Pair []int `json:"pair,omitempty"`

	// Prefers[a][b] is how many valid ballots rank a above b; the last row and column are none of these.
	Prefers [][]int `json:"prefers"`
}

// Counts reports whether the choice is between so many options: every row and every index is there.
func (c *Choice) Counts(options int) bool {
	outside := func(n int) bool { return n < 0 || n > options }
	return len(c.Prefers) == options+1 &&
		!slices.ContainsFunc(c.Prefers, func(row []int) bool { return len(row) != options+1 }) &&
		(len(c.Pair) == 0 || len(c.Pair) == 2 && c.Pair[0] < options && !slices.ContainsFunc(c.Pair, outside)) &&
		(c.Chosen == nil || len(c.Pair) == 2 && *c.Chosen == c.Pair[0]) &&
		(c.Leaning == nil || len(c.Pair) == 2 && *c.Leaning == c.Pair[0])
}

// Votes returns how many ballots rank the first of the pair above the second, and how many below.
func (c *Choice) Votes() (above, below int) {
	if len(c.Pair) == 0 {
		return 0, 0
	}
	return c.Prefers[c.Pair[0]][c.Pair[1]], c.Prefers[c.Pair[1]][c.Pair[0]]
}

// Strength measures how one option defeats another: the ballots for and against. Of two defeats with as many ballots
// for, the one with fewer against is stronger.
type Strength struct{ For, Against int }

func (s Strength) compare(t Strength) int { return cmp.Or(s.For-t.For, t.Against-s.Against) }

// Choose counts rankings of so many options, given in turn order. An option is chosen if it carries by the rule
// against none of these and against every other option: a ballot that ranks it above is a YES, one that ranks it below
// a NO, and any other valid one an ABSTAIN. At most one option can be.
func (r Rule) Choose(options int, ballots []Ranking) Choice {
	c := Choice{Result: NoQuorum, Prefers: prefers(options+1, ballots)}
	if len(ballots) == 0 {
		return c
	}
	first := leadingOption(c.Prefers, options, ballots) // an option that beats all others leads alone
	against := r.narrowest(c.Prefers, first, len(ballots))
	c.Pair = []int{first, against}
	switch c.Result = r.Decide(r.count(c.Prefers, first, against, len(ballots))); {
	case c.Result == Carried:
		c.Chosen = &first
	case c.Prefers[first][options] >= c.Prefers[options][first]:
		c.Leaning = &first
	}
	return c
}

// CanChange reports whether so many ballots more could change which option is chosen, or whether one is.
func (r Rule) CanChange(options int, ballots []Ranking, open int) bool {
	chosen := r.Choose(options, ballots).Chosen
	for first := range options + 1 {
		all := slices.Concat(ballots, slices.Repeat([]Ranking{{{first}}}, open))
		if now := r.Choose(options, all).Chosen; (now == nil) != (chosen == nil) || now != nil && *now != *chosen {
			return true
		}
	}
	return false
}

// count returns the votes for one option over another, or over none of these.
func (r Rule) count(prefers [][]int, option, over, valid int) Count {
	yes, no := prefers[option][over], prefers[over][option]
	return Count{Yes: yes, No: no, Abstain: valid - yes - no, Absent: r.Members - valid}
}

// narrowest returns the option over which the given one has the least to spare, or none of these, first of equals.
func (r Rule) narrowest(prefers [][]int, option, valid int) int {
	spare := func(over int) int {
		c := r.count(prefers, option, over, valid)
		return min(c.Yes-r.Needed(r.Of(c)), c.Yes-c.No-1)
	}
	least := len(prefers) - 1
	for o := range least {
		if o != option && spare(o) < spare(least) {
			least = o
		}
	}
	return least
}

// leadingOption returns the option that is first by Schulze's method; among equals the one that the earliest ballot
// ranks highest, or the first in the list.
func leadingOption(prefers [][]int, options int, ballots []Ranking) int {
	paths := strongestPaths(prefers, options)
	var best []int
	for o := range options {
		if isUnbeaten(paths, o) {
			best = append(best, o)
		}
	}
	for _, ballot := range ballots {
		top := slices.MinFunc(best, func(a, b int) int { return ballot.place(a) - ballot.place(b) })
		best = slices.DeleteFunc(best, func(o int) bool { return ballot.place(o) > ballot.place(top) })
	}
	return best[0]
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

// strongestPaths returns by how much each option defeats each other one on the strongest path between them, which is as
// strong as its weakest step (Schulze 2011, section 2.3.1). It is zero where there is no path.
func strongestPaths(prefers [][]int, options int) [][]Strength {
	paths := square[Strength](options)
	for a := range options {
		for b := range options {
			if with, against := prefers[a][b], prefers[b][a]; with > against {
				paths[a][b] = Strength{with, against}
			}
		}
	}
	for via := range options {
		for a := range options {
			for b := range options {
				first, second := paths[a][via], paths[via][b]
				if a == b || first.For == 0 || second.For == 0 {
					continue
				}
				if step := slices.MinFunc([]Strength{first, second}, Strength.compare); step.compare(paths[a][b]) > 0 {
					paths[a][b] = step
				}
			}
		}
	}
	return paths
}

// isUnbeaten reports whether no option has a stronger path to o than o has to it.
func isUnbeaten(paths [][]Strength, o int) bool {
	for other := range paths {
		if paths[other][o].compare(paths[o][other]) > 0 {
			return false
		}
	}
	return true
}
