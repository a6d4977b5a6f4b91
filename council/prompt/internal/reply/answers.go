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

// answers parses a leader's proposal. heldBy names a position by its author's id or name. A position that is listed
// with no answer belongs to the one in the words of its stance, and to the only one there is.
func (o object) answers(v council.View) council.Answers {
	called := func(m council.MemberID) string { return v.Charter.Member(m).Name }
	b := council.Answers{Crux: o.text("crux"), Text: o.needed("text"), Summary: o.summary(v)}
	for _, a := range o.objectsWithWords("answers", "answer") {
		one := council.Held{Answer: strings.TrimRight(strings.Join(strings.Fields(a.text("answer")), " "), ".")}
		for _, name := range a.lines("heldBy") {
			if id := memberCalled(v.Charter, name); id != "" {
				one.HeldBy = append(one.HeldBy, id)
			} else {
				o.fail("heldBy", "There is no position %q; heldBy lists some of %s.", Shorten(name, 60),
					strings.Join(council.Map(v.Positions, called), ", "))
			}
		}
		b.Answers = append(b.Answers, one)
	}
	for _, m := range v.Positions {
		named := func(a council.Held) bool { return slices.Contains(a.HeldBy, m) }
		alike := func(a council.Held) bool { return council.StanceOf(a.Answer) == stanceOf(v, m) }
		at := slices.IndexFunc(b.Answers, alike)
		if len(b.Answers) == 1 {
			at = 0
		}
		if at >= 0 && !slices.ContainsFunc(b.Answers, named) {
			b.Answers[at].HeldBy = append(b.Answers[at].HeldBy, m)
		}
	}
	cut, _ := council.Shorten(b)
	if problem := cut.(council.Answers).Problem(v.Positions, called); problem != "" {
		o.fail("answers", "%s.", problem)
	}
	return b
}

// stanceOf returns the stance of a member's position.
func stanceOf(v council.View, m council.MemberID) (stance council.Stance) {
	for e, p := range council.Payloads[council.PositionSealed](v.Events) {
		if e.Actor == m {
			stance = council.StanceOf(p.Stance)
		}
	}
	return stance
}

// candidateCalled returns a member by id, by name, or by either with a role behind it, or "".
func candidateCalled(c *council.Charter, named string) council.MemberID {
	id := memberCalled(c, named)
	if name, role, ok := strings.Cut(strings.TrimSuffix(named, ")"), " ("); ok && id == "" && memberCalled(c, role) == "" {
		id = memberCalled(c, name)
	}
	return id
}
