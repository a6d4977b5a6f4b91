package chronicle

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// refs chooses the turns that an episode names, as many as there is room for: what was carried and what the leader made
// of it first, then who disagreed, the other motions, the positions everybody came with, everybody's last word, the
// last draft, what people ruled, and more of the debate. Votes are not among them: their count is in the summary. The
// refs stand in the order in which they were said. The other turns are found by their ids, which count the events.
func (a *account) refs(all []Turn) []string {
	var chosen []int
	room := roomRefs
	for i := range a.byWeight(all) {
		if slices.Contains(chosen, i) {
			continue
		}
		if room -= written(all[i].ID) + 1; room < 0 {
			break
		}
		chosen = append(chosen, i)
	}
	slices.Sort(chosen)
	ids := make([]string, 0, len(chosen))
	for _, i := range chosen {
		ids = append(ids, all[i].ID)
	}
	return ids
}

// byWeight yields the places of turns, the weightiest first. It may yield one twice.
func (a *account) byWeight(all []Turn) func(yield func(int) bool) {
	carried := map[string]bool{} // by what turns call a motion
	for _, m := range a.carried() {
		carried[motion(m.ID)] = true
	}
	last := map[string]int{} // of each speaker, where it spoke last in a debate
	lastDraft := -1
	for i, t := range all {
		switch t.Kind {
		case KindContribution, KindPass, KindMotion:
			last[t.Speaker] = i
		case KindDraft:
			lastDraft = i
		}
	}
	rules := []func(i int, t Turn) bool{
		func(_ int, t Turn) bool { return t.Kind == KindMotion && carried[t.About] },
		func(_ int, t Turn) bool { return t.Kind == KindSummary },
		func(_ int, t Turn) bool { return t.Kind == KindDissent },
		func(_ int, t Turn) bool { return t.Kind == KindMotion },
		func(_ int, t Turn) bool { return t.Kind == KindPosition },
		func(i int, t Turn) bool { return last[t.Speaker] == i && t.Kind == KindContribution },
		func(i int, _ Turn) bool { return i == lastDraft },
		func(_ int, t Turn) bool { return t.Kind == KindRuling },
		func(_ int, t Turn) bool {
			return t.Kind == KindContribution || t.Kind == KindReview || t.Kind == KindDraft
		},
	}
	return func(yield func(int) bool) {
		for _, wanted := range rules {
			for i, t := range all {
				if wanted(i, t) && !yield(i) {
					return
				}
			}
		}
	}
}

// written returns how many bytes a text takes as JSON.
func written(text string) int {
	out, err := wire.JSON(text)
	if err != nil { // no string fails
		return len(text)
	}
	return len(out)
}

// memberIDs lists the members, as many as there is room for.
func memberIDs(c *council.Charter) []council.MemberID {
	ids := []council.MemberID{}
	room := roomMembers
	for _, m := range c.Members {
		if room -= written(string(m.ID)) + 1; room < 0 {
			break
		}
		ids = append(ids, m.ID)
	}
	return ids
}
