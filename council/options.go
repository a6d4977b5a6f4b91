package council

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council/quorum"
)

// The bounds of a choice. An option has at most MaxOption characters: where it stands first in a position it is the
// position's stance too.
const (
	MinOptions = 2
	MaxOptions = 7
	MaxOption  = MaxStance
)

// NoneOfThese always stands beside the options of a choice.
const NoneOfThese = "none of these"

// OptionsOf returns the options between which a phase chooses: its own, or the session's in a phase that leads to no
// other; where every phase leads on, in each. It may have none.
func (c *Charter) OptionsOf(p *Phase) []string {
	last := func(p Phase) bool { return len(p.Transitions) == 0 }
	switch {
	case p == nil:
		return nil
	case len(p.Options) > 0:
		return p.Options
	case last(*p) || !slices.ContainsFunc(c.Phases, last):
		return c.Options
	}
	return nil
}

// OpeningOptions returns the options that sealed positions rank: the session's, else those of the entry phase.
func (c *Charter) OpeningOptions() []string {
	if len(c.Options) > 0 {
		return c.Options
	}
	return c.OptionsOf(c.Phase(c.SessionPolicy.EntryPhaseID))
}

// WithNone lists the options of a choice with none of these after them, in the order of their numbers.
func WithNone(options []string) []string { return append(slices.Clone(options), NoneOfThese) }

// MotionOptions names motions as the options of one choice: by their titles, with a number where one is taken.
func MotionOptions(motions []*Motion) []string {
	seen := map[Stance]bool{StanceOf(NoneOfThese): true, "": true}
	options := make([]string, len(motions))
	for i, m := range motions {
		options[i] = strings.Join(strings.Fields(m.Title), " ")
		if seen[StanceOf(options[i])] {
			options[i] += fmt.Sprintf(" (motion %d)", i+1)
		}
		seen[StanceOf(options[i])] = true
	}
	return options
}

// OptionProblem says why a list cannot be the options of a choice, with the index of the one that is wrong, or "".
// Options that differ in case, punctuation and spaces alone count as equal.
func OptionProblem(options []string) (at int, problem string) {
	seen := map[Stance]string{StanceOf(NoneOfThese): NoneOfThese}
	for i, o := range options {
		switch same, known := seen[StanceOf(o)]; {
		case StanceOf(o) == "":
			return i, "it names nothing"
		case utf8.RuneCountInString(o) > MaxOption || strings.ContainsAny(o, "\n\r"):
			return i, fmt.Sprintf("it must be one line of at most %d characters", MaxOption)
		case strings.HasPrefix(o, "<") && strings.HasSuffix(o, ">"):
			return i, "what stands in < > is taken for a placeholder: write it without them"
		case known && same == NoneOfThese:
			return i, NoneOfThese + " stands beside the options of every choice"
		case known:
			return i, fmt.Sprintf("it is the same as %q", same)
		}
		seen[StanceOf(o)] = o
	}
	if len(options) < MinOptions || len(options) > MaxOptions {
		return max(0, min(len(options), MaxOptions+1)-1),
			fmt.Sprintf("a choice has %d to %d options, not %d", MinOptions, MaxOptions, len(options))
	}
	return 0, ""
}

// Ranks is an order of options, best first, in their own words; those of one group are equal. What is left out ranks
// below all that is named.
type Ranks [][]string

// First returns the option that alone stands first, or "". It is "" for none of these.
func (r Ranks) First() string {
	if len(r) == 0 || len(r[0]) != 1 || r[0][0] == NoneOfThese {
		return ""
	}
	return r[0][0]
}

// Words returns the order in words: "NATS > Kafka = none of these".
func (r Ranks) Words() string {
	groups := make([]string, len(r))
	for i, group := range r {
		groups[i] = strings.Join(group, " = ")
	}
	return strings.Join(groups, " > ")
}

// Of returns the order by the indexes of the options; ok is false if it names something else, or one thing twice.
func (r Ranks) Of(options []string) (ranking quorum.Ranking, ok bool) {
	var named []int
	for _, words := range r {
		var group []int
		for _, o := range words {
			i := slices.Index(options, o)
			if o == NoneOfThese {
				i = len(options)
			}
			if i < 0 || slices.Contains(named, i) {
				return nil, false
			}
			named, group = append(named, i), append(group, i)
		}
		ranking = append(ranking, group)
	}
	return ranking, true
}

// Chosen returns the option that a choice came to, or "".
func Chosen(options []string, c *quorum.Choice) string {
	if c == nil || c.Result != quorum.Carried || c.Winner >= len(options) {
		return ""
	}
	return options[c.Winner]
}

// WhyChosen tells in a sentence how a choice between the options was decided.
func WhyChosen(options []string, c *quorum.Choice) string {
	none, chosen := len(options), Chosen(options, c)
	switch {
	case !c.Counts(none): // words of it were forgotten
		return "The rankings were counted."
	case c.Result == quorum.NoQuorum:
		return "Too few valid ballots were cast to choose."
	case chosen == "":
		return "No option stands against " + NoneOfThese + "."
	case len(c.Tied) > 0:
		return fmt.Sprintf("%d options win equally, and the lot chose %s.", len(c.Tied), chosen)
	}
	over := ""
	for o := range none {
		with, against := c.Prefers[c.Winner][o], c.Prefers[o][c.Winner]
		if o != c.Winner && with <= against && !slices.Contains(c.Out, o) {
			return chosen + " is chosen: no option is preferred to every other one, and the strongest paths lead from it " +
				"(Schulze's method)."
		}
		if o != c.Winner {
			over += fmt.Sprintf("%d to %d over %s, ", with, against, options[o])
		}
	}
	return fmt.Sprintf("%s is chosen: it is preferred %sand %d to %d over %s.", chosen, over, c.Prefers[c.Winner][none],
		c.Prefers[none][c.Winner], NoneOfThese)
}
