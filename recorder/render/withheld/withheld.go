// Package withheld folds a session's log into what was taken out of texts, or found hidden in them: of what the council was
// given, and of what its members replied.
package withheld

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
)

// Fold takes in a log. The zero value has taken in nothing.
type Fold struct {
	topic   council.Topic
	replies map[council.MemberID]replies
}

// replies are what was found in all that one member replied.
type replies struct{ cut, hidden []council.Cut }

// Take takes in the next event. One whose content was erased shows nothing.
func (f *Fold) Take(e council.Event) {
	if started, ok := e.Payload.(council.SessionStarted); ok {
		f.topic = started.Topic
	}
	reply, ok := e.Payload.(interface {
		Found() (cut, hidden []council.Cut)
	})
	if !ok {
		return
	}
	cut, hidden := reply.Found()
	if len(cut)+len(hidden) == 0 {
		return
	}
	if f.replies == nil {
		f.replies = map[council.MemberID]replies{}
	}
	of := f.replies[e.Actor]
	f.replies[e.Actor] = replies{council.AddCuts(of.cut, cut), council.AddCuts(of.hidden, hidden)}
}

// Secrets are those that were cut out of replies, by member and kind.
func (f *Fold) Secrets() []artifact.CutOf {
	return f.list(func(r replies) []council.Cut { return r.cut })
}

// Hidden are the hidden characters in replies, by member and kind.
func (f *Fold) Hidden() []artifact.CutOf {
	return f.list(func(r replies) []council.Cut { return r.hidden })
}

func (f *Fold) list(which func(replies) []council.Cut) []artifact.CutOf {
	var all []artifact.CutOf
	for m, r := range f.replies {
		for _, c := range which(r) {
			all = append(all, artifact.CutOf{Member: m, Kind: c.Kind, Count: c.Count})
		}
	}
	slices.SortFunc(all, func(a, b artifact.CutOf) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

// SecretKinds are the secrets that were cut out, by kind: of what was given, and of replies.
func (f *Fold) SecretKinds() []artifact.CutKind { return byKind(f.topic.Cut, f.Secrets()) }

// HiddenKinds are the hidden characters by kind, in the same way.
func (f *Fold) HiddenKinds() []artifact.CutKind { return byKind(f.topic.Hidden, f.Hidden()) }

func byKind(given []council.Cut, replied []artifact.CutOf) []artifact.CutKind {
	kinds := map[string]artifact.CutKind{}
	for _, c := range given {
		k := kinds[c.Kind]
		k.Given += c.Count
		kinds[c.Kind] = k
	}
	for _, c := range replied {
		k := kinds[c.Kind]
		k.Replies += c.Count
		kinds[c.Kind] = k
	}
	var all []artifact.CutKind
	for kind, k := range kinds {
		k.Kind = kind
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b artifact.CutKind) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}
