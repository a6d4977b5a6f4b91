package reply

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// missingAnswer parses the name of an answer that the options lack. Words that cannot be an option name none.
func (o object) missingAnswer(options []string) string {
	named := o.text("missing")
	if _, problem := council.OptionProblem(append(slices.Clone(options), named)); problem != "" || saysNone(named) {
		return ""
	}
	return named
}

// saidLines parses a list of texts, without entries that say that there is none.
func (o object) saidLines(field string) []string { return slices.DeleteFunc(o.lines(field), saysNone) }

// answers parses a leader's proposal. A member in heldBy may be called by its id or its name.
func (o object) answers(v council.View) council.Answers {
	b := council.Answers{Crux: o.text("crux"), Text: o.needed("text"), Summary: o.summary(v)}
	for _, a := range o.objectsWithWords("answers", "answer") {
		one := council.Held{Answer: strings.TrimRight(strings.TrimSpace(a.text("answer")), ".")}
		for _, name := range a.lines("heldBy") {
			if id := memberCalled(v.Charter, name); id != "" {
				one.HeldBy = append(one.HeldBy, id)
			} else {
				o.fail("heldBy", "There is no member %q; heldBy lists members of %s.", Shorten(name, 60), memberIDs(v.Charter))
			}
		}
		b.Answers = append(b.Answers, one)
	}
	return b
}
