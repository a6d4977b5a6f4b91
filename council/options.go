package council

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council/quorum"
)

// The bounds of a choice. MaxOption is in characters: the first option of a position is its stance too.
const (
	MinOptions = 2
	MaxOptions = 7
	MaxOption  = MaxStance
)

const NoneOfThese = "none of these" // added to the options of every choice

// DecidingPhase returns the phase whose votes decide the session: the one that says so, else the last listed. A
// charter without phases has none, and nil is returned.
func (c *Charter) DecidingPhase() *Phase {
	for i := range c.Phases {
		if c.Phases[i].Decides || i == len(c.Phases)-1 {
			return &c.Phases[i]
		}
	}
	return nil
}

// DecidesIn reports whether a phase is the one whose votes decide the session. Without any phase it is true, since a
// charter whose words were erased has none.
func (c *Charter) DecidesIn(phase PhaseID) bool {
	deciding := c.DecidingPhase()
	return deciding == nil || deciding.ID == phase
}

// DraftGovernance returns the rule for votes on drafts: that of the review, else that of the deciding phase.
func (c *Charter) DraftGovernance() Governance {
	if g := c.DocumentationReview.Governance; g != nil {
		return *g
	}
	if p := c.DecidingPhase(); p != nil {
		return p.Governance
	}
	return Governance{}
}

// OptionsOf returns the options between which a phase chooses: the session's in the deciding phase, none in any other.
func (c *Charter) OptionsOf(p *Phase) []string {
	if p == nil || !c.DecidesIn(p.ID) {
		return nil
	}
	return c.Options
}

// HaveNumbers reports whether the options have numbers, from 1: by these they may be named instead of by their words.
// They have none where such a number would be one of the words of an option, or where one begins with a digit.
func HaveNumbers(options []string) bool {
	return !slices.ContainsFunc(options, func(o string) bool {
		words := strings.Fields(string(StanceOf(o)))
		return len(words) > 0 && words[0][0] >= '0' && words[0][0] <= '9' ||
			slices.ContainsFunc(words, func(w string) bool {
				n, err := strconv.Atoi(w)
				return err == nil && n >= 1 && n <= len(options)
			})
	})
}

// ListOptions returns the options as they are shown to be ranked: by name, the number behind it, so that no number is
// copied as a rank, and none of these after them. show is how a name is shown.
func ListOptions(options []string, show func(string) string) []string {
	var lines []string
	for i, o := range options {
		if lines = append(lines, show(o)); HaveNumbers(options) {
			lines[i] += fmt.Sprintf(" (option %d)", i+1)
		}
	}
	return append(lines, NoneOfThese)
}

// WithNone lists the options of a choice with none of these, which has no number, after them.
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

// Added is an option that a member added in its turn.
type Added struct {
	By     MemberID
	Option string
	Seq    Seq
}

// WithAdded returns the options that were added, with that of an event, if it adds one.
func WithAdded(all []Added, e Event) []Added {
	if p, ok := e.Payload.(ContributionMade); ok && p.Option != "" {
		return append(all, Added{By: e.Actor, Option: p.Option, Seq: e.Seq})
	}
	return all
}

// OptionsAt returns the options that a phase puts to the vote as they are known at an event, nil where it has none:
// the session's, then those that were added. Equal ones are one option, and those beyond [MaxOptions] are left out.
// mayAdd reports whether the member may add one.
func (c *Charter) OptionsAt(p *Phase, added []Added, at Seq, m MemberID) (options []string, mayAdd bool) {
	options = slices.Clone(c.OptionsOf(p))
	mayAdd = len(options) > 0
	for _, a := range added {
		if len(options) == 0 || a.Seq > at {
			continue
		}
		mayAdd = mayAdd && a.By != m
		same := func(known string) bool { return StanceOf(known) == StanceOf(a.Option) }
		if len(options) < MaxOptions && !slices.ContainsFunc(options, same) {
			options = append(options, a.Option)
		}
	}
	return options, mayAdd && len(options) < MaxOptions
}

// OptionProblem says why a list cannot be the options of a choice, with the index of the one that is wrong, or "".
// Options that differ in case, punctuation and spaces alone count as equal.
func OptionProblem(options []string) (at int, problem string) {
	return listProblem(options, MinOptions)
}

// AnswerProblem is [OptionProblem] for the answers that positions come to, of which one suffices.
func AnswerProblem(answers []string) (at int, problem string) { return listProblem(answers, 1) }

const MaxAnswers = 5 // that a leader may propose

// Problem says why a proposal cannot be used, or "": each of the positions belongs to exactly one of its answers, and
// the first is the one that most hold, of equals the one of the earliest position. called names a position.
func (a Answers) Problem(positions []MemberID, called func(MemberID) string) string {
	var options []string
	var held []MemberID
	for _, one := range a.Answers {
		options, held = append(options, one.Answer), append(held, one.HeldBy...)
	}
	if len(options) == 0 || len(options) > MaxAnswers {
		return fmt.Sprintf("give 1 to %d answers, not %d", MaxAnswers, len(options))
	}
	if _, problem := AnswerProblem(options); problem != "" {
		return "the answers: " + problem
	}
	for _, m := range positions {
		if n := len(slices.DeleteFunc(slices.Clone(held), func(o MemberID) bool { return o != m })); n != 1 {
			return fmt.Sprintf("%s belongs to exactly one answer, not to %d", called(m), n)
		}
	}
	if i := slices.IndexFunc(held, func(m MemberID) bool { return !slices.Contains(positions, m) }); i >= 0 {
		return called(held[i]) + " is not among the positions"
	}
	rank := func(one Held) int { // the fewer hold it, and the later the first of them, the higher
		earliest := len(positions)
		for _, m := range one.HeldBy {
			earliest = min(earliest, slices.Index(positions, m))
		}
		return earliest - len(one.HeldBy)*(len(positions)+1)
	}
	for _, one := range a.Answers[1:] {
		if rank(one) < rank(a.Answers[0]) {
			return fmt.Sprintf("%q must come first: most positions hold it, or of equals the earliest position", one.Answer)
		}
	}
	return ""
}

func listProblem(options []string, least int) (at int, problem string) {
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
	if len(options) < least || len(options) > MaxOptions {
		return max(0, min(len(options), MaxOptions+1)-1),
			fmt.Sprintf("a choice has %d to %d options, not %d", least, MaxOptions, len(options))
	}
	return 0, ""
}

// Ranks is an order of options, best first, in their own words; those of one group are equal. Others rank below.
type Ranks [][]string

// First returns the only option of the first group, or "". It is "" for none of these.
func (r Ranks) First() string {
	if lead := r.Leads(); lead != NoneOfThese {
		return lead
	}
	return ""
}

// Leads returns the only entry of the first group, which may be none of these, or "".
func (r Ranks) Leads() string {
	if len(r) == 0 || len(r[0]) != 1 {
		return ""
	}
	return r[0][0]
}

// Words returns the order in words: "NATS > Kafka = none of these".
func (r Ranks) Words() string { return strings.Join(r.Groups(), " > ") }

// Groups returns each group in words: "Kafka = none of these".
func (r Ranks) Groups() []string {
	return Map(r, func(group []string) string { return strings.Join(group, " = ") })
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
	if c == nil || c.Chosen == nil || *c.Chosen >= len(options) {
		return ""
	}
	return options[*c.Chosen]
}

// Leaning returns the option to which a council leans that chose none, or "".
func Leaning(options []string, c *quorum.Choice) string {
	if c == nil || c.Leaning == nil || *c.Leaning >= len(options) {
		return ""
	}
	return options[*c.Leaning]
}

// WhyChosen explains the result of a choice between the options.
func WhyChosen(options []string, c *quorum.Choice) string {
	if !c.Counts(len(options)) { // words of it were forgotten
		return "The rankings were counted."
	}
	if len(c.Pair) == 0 {
		return "No valid ballot was cast."
	}
	named, first := WithNone(options), c.Pair[0]
	over := func(o int) string {
		return fmt.Sprintf("%d to %d over %s", c.Prefers[first][o], c.Prefers[o][first], named[o])
	}
	why := "Nothing is chosen: "
	switch leaning := Leaning(options, c); {
	case c.Result == quorum.Carried:
		var all []string
		for o := range named {
			if o != first {
				all = append(all, over(o))
			}
		}
		if last := len(all) - 1; last > 0 {
			all[last] = "and " + all[last]
		}
		return fmt.Sprintf("%s is chosen: it is preferred %s.", named[first], strings.Join(all, ", "))
	case c.Result == quorum.NoQuorum && leaning == "":
		return why + "too few valid ballots were cast."
	case c.Result == quorum.NoQuorum:
		return why + "too few valid ballots were cast. The council leans to " + leaning + "."
	case leaning == "" && !slices.ContainsFunc(c.Prefers[:len(options)], func(over []int) bool {
		return over[len(options)] > 0
	}):
		return why + "no ballot ranks an answer above " + NoneOfThese + "."
	case leaning == "":
		return why + named[first] + " leads, but more ballots rank it below " + NoneOfThese + " than above."
	default:
		return why + "the council leans to " + leaning + ", whose " + over(c.Pair[1]) + " does not carry."
	}
}

// AsksStances reports whether members are asked for their stances: the few words in which a member names the answer
// that it prefers. They are asked first with their sealed positions, and again with every ballot on a motion.
func (c *Charter) AsksStances() bool {
	return c.Deliberation.SealedPositions && (c.Deliberation.Stances || len(c.Options) > 0)
}

// Stance returns the stance that an event names: of a sealed position, or of a ballot on a motion. It is empty where
// none is named, and where words of it were forgotten.
func (e Event) Stance() string {
	for kind, text := range Texts(e.Payload) {
		if kind == TextStance && StanceOf(text) != "" && !strings.Contains(text, ForgottenMark) {
			return text
		}
	}
	return ""
}

// Stance is the form in which stances are compared. It is empty for words that name nothing.
type Stance string

// StanceOf reads the words of a stance. It knows no meaning: two stances are the same when they differ in case,
// punctuation and spaces at most, so "Adopt NATS." is "adopt nats", and neither is "Use NATS". In doubt two stances
// differ: to take two answers for one would end a debate that was not held.
func StanceOf(text string) Stance {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.S):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
			gap = false
		case r != '\'' && r != '’': // don't is dont
			gap = true
		}
	}
	return Stance(b.String())
}

// Plurality returns the stance that was named most often, in the words in which it was named first, how often, and how
// many different ones were named. Words that name nothing do not count. A tie has no words; votes is that of each.
func Plurality(stances []string) (words string, votes, distinct int) {
	counts := map[Stance]int{}
	for _, text := range stances {
		counts[StanceOf(text)]++
	}
	delete(counts, "")
	for _, text := range stances {
		if n := counts[StanceOf(text)]; n > votes {
			words, votes = text, n
		}
	}
	for stance, n := range counts {
		if n == votes && stance != StanceOf(words) {
			return "", votes, len(counts)
		}
	}
	return words, votes, len(counts)
}
