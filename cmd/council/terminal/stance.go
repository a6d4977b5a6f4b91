package terminal

import (
	"strings"

	"github.com/council-engine/council/council"
)

// AsksStance reports whether the answer to the view's question may name a stance: of a draft there is nothing to prefer.
func AsksStance(v council.View) bool {
	return v.Charter.AsksStances() && (v.Ask.Kind == council.AskPosition || v.Ask.Kind == council.AskBallot && v.Motion != nil)
}

// stance asks for the answer that the person prefers, in a few words. It is their own to leave out.
func (f *form) stance(v council.View) string {
	if !AsksStance(v) {
		return ""
	}
	label, mine := "Your answer in a few words, as short as a label; where the topic names options, one of them:", ""
	if v.Ask.Kind == council.AskBallot {
		label = "Which answer do you prefer by now, whichever way you vote? Say it in the same words if you were not moved."
		var named []string
		if mine, named = stances(v); len(named) > 0 {
			f.hint("Answers named so far: %s.", strings.Join(named, ", "))
		}
	}
	return f.brief(label, mine, council.MaxStance)
}

// stances are the answers that were named so far as the view shows them: the person's own last one, and each once, in
// the order in which they were named.
func stances(v council.View) (mine string, named []string) {
	seen := map[council.Stance]bool{}
	for _, e := range v.Events {
		words := ""
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			words = p.Stance
		case council.BallotCast:
			words = p.Stance
		}
		k := council.StanceOf(words)
		if k == "" || strings.Contains(words, council.ForgottenMark) {
			continue
		}
		if words = Line(words); e.Actor == v.Ask.Member {
			mine = words
		}
		if !seen[k] {
			seen[k] = true
			named = append(named, "“"+words+"”")
		}
	}
	return mine, named
}
