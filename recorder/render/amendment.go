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

// difference returns the words after a change, with those that it struck and inserted marked: what both have in common
// is their longest common row of words.
func difference(before, after string) string {
	a, b := strings.Fields(before), strings.Fields(after)
	if len(a)*len(b) > 1<<22 {
		return string(struck(before) + " " + inserted(after))
	}
	longest := make([][]uint16, len(a)+1) // of the words from a place on
	for i := range longest {
		longest[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var runs []markdown
	var gone, come, kept []string
	tell := func() {
		runs = append(runs, inline(strings.Join(kept, " ")), struck(strings.Join(gone, " ")))
		runs = append(runs, inserted(strings.Join(come, " ")))
		gone, come, kept = nil, nil, nil
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			if len(gone)+len(come) > 0 {
				tell()
			}
			kept = append(kept, a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			gone = append(gone, a[i])
			i++
		default:
			come = append(come, b[j])
			j++
		}
	}
	tell()
	return string(join(slices.DeleteFunc(runs, func(m markdown) bool { return m == "" }), " "))
}
