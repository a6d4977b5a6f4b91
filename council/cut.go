package council

import (
	"cmp"
	"slices"
)

// Cut counts the secrets, or hidden characters, of one kind that were found in a text before the council was given it.
type Cut struct {
	In    string `json:"in,omitempty" text:"id"` // the document; empty: the topic, a reply, or what was looked up
	Kind  string `json:"kind" text:"id"`         // such as "aws-access-key", or "zero-width"
	Count int    `json:"count"`
}

// AddCuts adds up what was found in several texts: by where, then by kind, each once.
func AddCuts(of ...[]Cut) []Cut {
	var all []Cut
	for _, c := range slices.Concat(of...) {
		i, found := slices.BinarySearchFunc(all, c, func(a, b Cut) int {
			return cmp.Or(cmp.Compare(a.In, b.In), cmp.Compare(a.Kind, b.Kind))
		})
		if found {
			all[i].Count += c.Count
			continue
		}
		all = slices.Insert(all, i, c)
	}
	return all
}

// Shortened describes a field of a reply that was too long and was cut: a text in characters, with a "…" for its last,
// a list in entries.
type Shortened struct {
	Field string `json:"field" text:"id"` // as in the reply, such as "motionTitle"
	From  int    `json:"from"`            // how long it was
	To    int    `json:"to"`              // how long it may be
}
