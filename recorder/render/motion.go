package render

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// whyChosen returns the sentence on how a choice was decided.
func whyChosen(m *minutes.Motion) markdown {
	return hostile.Inlined(council.WhyChosen(m.Options, m.Choice))
}

// counted is the count of the rankings of a choice for the transcript.
type counted struct {
	Why     markdown
	Options []markdown // with none of these as the last
	Rows    []markdown // each option with the number of ballots that prefer it to each of the others, as cells
}

// countOf returns the count of a choice; nil for any other motion, and where its options were erased.
func countOf(m *minutes.Motion) *counted {
	if m == nil || m.Choice == nil || !m.Choice.Counts(len(m.Options)) {
		return nil
	}
	c := &counted{Why: whyChosen(m)}
	for i, o := range council.WithNone(m.Options) {
		name := markdown(strconv.Itoa(i+1)) + ". " + hostile.Inlined(hostile.Shorten(o, 60))
		var cells []markdown
		for j, n := range m.Choice.Prefers[i] {
			cell := markdown(strconv.Itoa(n))
			if i == j {
				cell = "–"
			} else if n > m.Choice.Prefers[j][i] {
				cell = "**" + cell + "**"
			}
			cells = append(cells, cell)
		}
		c.Options, c.Rows = append(c.Options, name), append(c.Rows, name+" | "+join(cells, " | "))
	}
	return c
}

// Moved reports whether the actor moved the motion.
func (t *telling) Moved(id council.MotionID) bool {
	m := t.Motion(id)
	return m != nil && m.Mover == t.Actor
}

// mark marks a person's words; empty ones get no marks.
func mark(mark, words string) markdown {
	if shown := hostile.Inlined(words); shown != "" {
		return markdown(mark) + shown + markdown(mark)
	}
	return ""
}

// difference returns the words after a change, with the deleted and inserted ones marked.
func difference(before, after string) markdown {
	var runs []markdown
	for _, c := range Changes(strings.Fields(before), strings.Fields(after)) {
		runs = append(runs, mark("~~", strings.Join(c.Gone, " ")), mark("**", strings.Join(c.Come, " ")),
			hostile.Inlined(strings.Join(c.Kept, " ")))
	}
	return join(slices.DeleteFunc(runs, func(m markdown) bool { return m == "" }), " ")
}

// Change is a difference between two texts: the words before and after it, and those that both have next.
type Change struct{ Gone, Come, Kept []string }

// maxCompared bounds the work of a comparison: beyond it everything went, and everything came.
const maxCompared = 1 << 22

// Changes compares two lists of words or lines by their longest common subsequence. The first change is only what they
// have in common at the beginning.
func Changes(before, after []string) []Change {
	var kept, trail int
	for kept < min(len(before), len(after)) && before[kept] == after[kept] {
		kept++
	}
	a, b := before[kept:], after[kept:]
	for trail < min(len(a), len(b)) && a[len(a)-1-trail] == b[len(b)-1-trail] {
		trail++
	}
	changes := []Change{{Kept: before[:kept]}}
	a, b = a[:len(a)-trail], b[:len(b)-trail]
	if len(a)*len(b) > maxCompared {
		return append(changes, Change{a, b, before[len(before)-trail:]})
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
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var c Change
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1] {
				c.Gone = append(c.Gone, a[i])
				i++
			} else {
				c.Come = append(c.Come, b[j])
				j++
			}
		}
		for i < len(a) && j < len(b) && a[i] == b[j] {
			c.Kept = append(c.Kept, a[i])
			i, j = i+1, j+1
		}
		changes = append(changes, c)
	}
	if last := &changes[len(changes)-1]; trail > 0 {
		last.Kept = append(last.Kept[:len(last.Kept):len(last.Kept)], before[len(before)-trail:]...)
	}
	return changes
}
