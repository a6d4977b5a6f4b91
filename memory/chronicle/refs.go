package chronicle

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// refs names all turns by their events: "e1", "e3-e9". Where there is not enough room, the shortest gaps are bridged:
// then some events are named in which nobody spoke.
func refs(all []Turn) []string {
	for gap := 1; ; gap++ {
		names, size := spans(all, council.Seq(gap)), 0
		for _, n := range names {
			size += len(n) + len(`"",`)
		}
		if size <= roomRefs {
			return names
		}
	}
}

// spans names turns together whose events are at most a gap apart.
func spans(all []Turn, gap council.Seq) []string {
	names := []string{}
	var first, last council.Seq
	for _, t := range all {
		_, seq, _ := ParseTurnID(t.ID)
		if last > 0 && seq <= last+gap {
			names[len(names)-1] = first.ID() + "-" + seq.ID()
		} else {
			names, first = append(names, seq.ID()), seq
		}
		last = seq
	}
	return names
}

// Named yields the ids of the turns that an episode names, in the order in which they were said. Of a session with
// very many there may be some in which nobody spoke: [Episode.Turns] counts those that are. What is no name is left
// out.
func (e *Episode) Named() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, ref := range e.TurnRefs {
			first, last, _ := strings.Cut(ref, "-")
			from, err := strconv.Atoi(strings.TrimPrefix(first, "e"))
			to, failed := strconv.Atoi(strings.TrimPrefix(cmp.Or(last, first), "e"))
			if err != nil || failed != nil || to > e.Events {
				continue
			}
			for seq := from; seq <= to; seq++ {
				if !yield(TurnID(e.ID, council.Seq(seq))) {
					return
				}
			}
		}
	}
}

// written returns how many bytes a text takes as JSON.
func written(text string) int {
	out, _ := wire.JSON(text) // no string fails
	return len(out)
}

// fitting returns the first of some words, each once, as many as take at most room bytes as JSON.
func fitting[S ~string](words []S, room int) []S {
	kept := []S{}
	for _, w := range words {
		if slices.Contains(kept, w) {
			continue
		}
		if room -= written(string(w)) + 1; room < 0 {
			break
		}
		kept = append(kept, w)
	}
	return kept
}
