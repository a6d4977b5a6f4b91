package reply

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// positions reads the ranking of a sealed position, where the charter has options to rank.
func (o object) positions(c *council.Charter) council.Ranks {
	options := c.OpeningOptions()
	if len(options) == 0 {
		return nil
	}
	ranks, _ := o.ranking(options)
	return ranks
}

// ranking reads an order of options, of which there must be one at least, and what it names besides.
func (o object) ranking(options []string) (ranks council.Ranks, unknown []string) {
	if ranks, unknown = Ranking(options, o.in["ranking"]); len(ranks) == 0 {
		o.fail("ranking", "It must rank at least one of the options, or %s.", council.NoneOfThese)
	}
	return ranks, unknown
}

// optionsOf returns the options of a choice, or nil.
func optionsOf(m *council.Motion) []string {
	if m == nil {
		return nil
	}
	return m.Options
}

// Ranking reads an order of options from a reply: a list whose entries name an option, or are lists of those that are
// equal, or a text such as "A > B = C". An option is named by its number, its letter or its words; the number or letter
// after the last is none of these. An option that is named again counts where it was named first. unknown lists what
// names none.
func Ranking(options []string, value any) (ranks council.Ranks, unknown []string) {
	entries, _ := value.([]any)
	if text, ok := value.(string); ok {
		for _, group := range strings.Split(text, ">") {
			entries = append(entries, group)
		}
	}
	named := map[string]bool{}
	for _, entry := range entries {
		var group []string
		for _, said := range equals(options, entry) {
			option := optionCalled(options, said)
			if option == "" && strings.TrimSpace(said) != "" {
				unknown = append(unknown, Shorten(strings.TrimSpace(said), council.MaxOption))
			}
			if option != "" && !named[option] {
				named[option], group = true, append(group, option)
			}
		}
		if len(group) > 0 {
			ranks = append(ranks, group)
		}
	}
	return ranks, unknown
}

// equals returns what an entry of a ranking names: one thing, a list of them, or a text with "=" between them.
func equals(options []string, entry any) (said []string) {
	switch entry := entry.(type) {
	case json.Number:
		return []string{entry.String()}
	case string:
		if optionCalled(options, entry) != "" {
			return []string{entry}
		}
		return strings.Split(entry, "=")
	case []any:
		for _, one := range entry {
			said = append(said, equals(options, one)...)
		}
	}
	return said
}

// optionCalled returns the option that a number, a letter, its words or a number with its words name, or "".
func optionCalled(options []string, said string) string {
	all := council.WithNone(options)
	said = strings.TrimSpace(said)
	for _, o := range all {
		if council.StanceOf(o) == council.StanceOf(said) {
			return o
		}
	}
	word, rest, _ := strings.Cut(strings.TrimPrefix(said, "("), " ")
	word = strings.Trim(word, ".):")
	n, err := strconv.Atoi(word)
	if err != nil && len(word) == 1 {
		n = int(strings.ToUpper(word)[0]-'A') + 1
	}
	if n < 1 || n > len(all) || rest != "" && council.StanceOf(rest) != council.StanceOf(all[n-1]) {
		return ""
	}
	return all[n-1]
}

// governance returns what governs motions in the phase of a question.
func governance(p *council.Phase) council.Governance {
	if p == nil {
		return council.Governance{}
	}
	return p.Governance
}

// second reads whether a motion is seconded, where that is asked, and where the member stands on it.
func (o object) second(v council.View) council.Body {
	g := governance(v.Phase)
	b := council.Second{Rationale: o.text("rationale")}
	if g.Debate {
		stands := []string{string(council.StandSupport), string(council.StandOppose)}
		if g.Amends() && len(optionsOf(v.Motion)) == 0 {
			stands = append(stands, string(council.StandAmend))
		}
		b.Stand = council.Stand(o.verdict("stand", stands...))
	}
	if b.Stand == council.StandAmend {
		b.Amendment = o.amendment(v)
	}
	if g.RequireSeconding || !g.Debate {
		if o.none("second") {
			o.missing("second")
		}
		b.Second = o.yes("second")
	}
	return b
}

// amendment reads what the motion is to say instead, and holds it against the motion.
func (o object) amendment(v council.View) *council.Amendment {
	given := o.objects("amendment", "strike")
	if len(given) == 0 {
		o.missing("amendment")
		return nil
	}
	in := given[0]
	a := council.Amendment{Strike: strings.TrimSpace(in.text("strike")), Insert: strings.TrimSpace(in.text("insert"))}
	for _, s := range in.objects("substitute", "motionText") {
		if s.text("motionText") != "" { // else filled because every field had to be named
			w := s.wording()
			a.Substitute = &w
		}
	}
	was := v.Motion.Wording()
	amended, problem := was.Amended(a)
	if problem == council.NoSuchWords {
		o.fail("amendment", "The words to strike must stand in the motion as they are; %s do not. The nearest are: %s.",
			quoted(Shorten(a.Strike, 200)), nearest(a.Strike, was.MotionTitle, was.MotionText, was.DecisionIfPass))
	} else if problem != "" {
		o.fail("amendment", "It cannot be taken so: %s.", problem)
	}
	o.notLost(v, "amendment", amended, nil)
	return &a
}

// notLost refuses what would put a motion to the vote that was lost before.
func (o object) notLost(v council.View, field string, w council.Wording, options []string) {
	if lost := council.LostBefore(v.Events, w, options); lost > 0 {
		o.fail(field, "A motion that says the same was lost already (%s), and is not voted on again. Change what it "+
			"decides, or do something else.", lost.ID())
	}
}

// wording reads what a motion says. Without a title it has its first line, without a decision it is decided as it says.
func (o object) wording() council.Wording {
	w := council.Wording{MotionText: o.bounded("motionText", council.MaxMotion), MotionTitle: o.text("motionTitle")}
	if w.MotionTitle == "" {
		w.MotionTitle, _, _ = strings.Cut(w.MotionText, "\n")
	}
	if w.DecisionIfPass = w.MotionText; o.text("decisionIfPass") != "" {
		w.DecisionIfPass = o.bounded("decisionIfPass", council.MaxDecision)
	}
	return w
}

// amend reads which amendments the mover accepts, or another member seconds. A member's own is left out.
func (o object) amend(v council.View) council.Body {
	if o.none("amendments", "withdraw") {
		o.missing("amendments")
	}
	b := council.Amend{Rationale: o.text("rationale")}
	var known []string
	for _, p := range v.Proposed {
		known = append(known, string(p.ID))
	}
	for _, id := range events.FindAllString(strings.Join(o.lines("amendments"), " "), -1) {
		switch i := slices.Index(known, id); {
		case i < 0:
			o.fail("amendments", "There is no amendment %s; they are %s.", id, strings.Join(known, ", "))
		case v.Proposed[i].By != v.Ask.Member && !slices.Contains(b.Amendments, v.Proposed[i].ID):
			b.Amendments = append(b.Amendments, v.Proposed[i].ID)
		}
	}
	b.Withdraw = o.yes("withdraw") && v.Motion != nil && v.Motion.Mover == v.Ask.Member
	return b
}

// nearest returns as many words in a row of the texts as are sought, those that have most pairs of letters in common
// with them.
func nearest(sought string, texts ...string) string {
	pairs := func(s string) map[string]int {
		counts, runes := map[string]int{}, []rune(strings.ToLower(s))
		for i := range max(0, len(runes)-1) {
			counts[string(runes[i:i+2])]++
		}
		return counts
	}
	want, best, found := pairs(sought), -1, ""
	for _, text := range texts {
		words := strings.Fields(text)
		n := min(len(words), len(strings.Fields(sought)))
		for i := range len(words) - n + 1 {
			passage := strings.Join(words[i:i+n], " ")
			common := 0
			for pair, count := range pairs(passage) {
				common += min(count, want[pair])
			}
			if common > best {
				best, found = common, passage
			}
		}
	}
	return quoted(Shorten(found, 400))
}
