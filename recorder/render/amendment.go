package render

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// amendment is an amendment as the transcript tells it.
type amendment struct{ *minutes.Amendment }

// Proposed returns the amendments to the motion that is put to the vote.
func (t *telling) Proposed() []amendment {
	p, _ := t.P.(council.MotionSeconded)
	var out []amendment
	if m := t.Motion(p.Motion); m != nil {
		for _, a := range m.Amendments {
			out = append(out, amendment{a})
		}
	}
	return out
}

// Amendment returns an amendment to a motion, or nil.
func (t *telling) Amendment(motion council.MotionID, id council.AmendmentID) *amendment {
	if m := t.Motion(motion); m != nil && m.Amendment(id) != nil {
		return &amendment{m.Amendment(id)}
	}
	return nil
}

// Moved reports whether the actor moved the motion.
func (t *telling) Moved(id council.MotionID) bool {
	m := t.Motion(id)
	return m != nil && m.Mover == t.Actor
}

// Change quotes what the amendment strikes and inserts, or its substitute.
func (a amendment) Change() markdown {
	if w := a.Substitute; w != nil {
		return quotes(parts("Title", w.MotionTitle, "Motion", w.MotionText, "If it carries", w.DecisionIfPass))
	}
	return apart(difference(a.Strike, a.Insert))
}

// Difference quotes the title, the text and the decision of the motion, with what the amendment struck and inserted.
func (a amendment) Difference() markdown {
	lines := []string{
		"- Title: " + difference(a.Before.MotionTitle, a.After.MotionTitle),
		"- Motion: " + difference(a.Before.MotionText, a.After.MotionText),
		"- If it carries: " + difference(a.Before.DecisionIfPass, a.After.DecisionIfPass),
	}
	return apart(strings.Join(lines, "\n"))
}

func struck(words string) markdown   { return around("~~", words) }
func inserted(words string) markdown { return around("**", words) }

// around marks words that somebody wrote; none are left without marks.
func around(mark, words string) markdown {
	if shown := inline(words); shown != "" {
		return markdown(mark) + shown + markdown(mark)
	}
	return ""
}

// difference returns the words after a change, with those that it struck and inserted marked.
func difference(before, after string) string {
	var runs []markdown
	for _, c := range Changes(strings.Fields(before), strings.Fields(after)) {
		runs = append(runs, struck(strings.Join(c.Gone, " ")), inserted(strings.Join(c.Come, " ")),
			inline(strings.Join(c.Kept, " ")))
	}
	return string(join(slices.DeleteFunc(runs, func(m markdown) bool { return m == "" }), " "))
}
