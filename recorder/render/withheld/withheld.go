// Package withheld folds a session's log into what was taken out of texts, or found hidden in them: of what the council was
// given, of what its members replied, and of what they looked up.
package withheld

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/tool"
	"github.com/council-engine/council/recorder/render/artifact"
)

// Fold takes in a log. The zero value has taken in nothing.
type Fold struct {
	topic   council.Topic
	replies map[council.MemberID]texts
	lookups map[council.MemberID]texts
}

// texts are what was found in all that one member replied, or in all that it looked up.
type texts struct{ cut, hidden []council.Cut }

// Take takes in the next event. One whose content was erased shows nothing.
func (f *Fold) Take(e council.Event) {
	if started, ok := e.Payload.(council.SessionStarted); ok {
		f.topic = started.Topic
	}
	reply, ok := e.Payload.(interface {
		Found() (cut, hidden []council.Cut)
		Used() []tool.Use
	})
	if !ok {
		return
	}
	cut, hidden := reply.Found()
	note(&f.replies, e.Actor, cut, hidden)
	for _, u := range reply.Used() {
		note(&f.lookups, e.Actor, cuts(u.Secrets), cuts(u.Hidden))
	}
}

func note(in *map[council.MemberID]texts, of council.MemberID, cut, hidden []council.Cut) {
	if len(cut)+len(hidden) == 0 {
		return
	}
	if *in == nil {
		*in = map[council.MemberID]texts{}
	}
	had := (*in)[of]
	(*in)[of] = texts{council.AddCuts(had.cut, cut), council.AddCuts(had.hidden, hidden)}
}

func cuts(found []tool.Found) []council.Cut {
	var all []council.Cut
	for _, f := range found {
		all = append(all, council.Cut{Kind: f.Kind, Count: f.Count})
	}
	return all
}

// Secrets are those that were cut out of replies, by member and kind.
func (f *Fold) Secrets() []artifact.CutOf { return list(f.replies, texts.secrets) }

// Hidden are the hidden characters in replies, by member and kind.
func (f *Fold) Hidden() []artifact.CutOf { return list(f.replies, texts.unseen) }

// SecretsLookedUp are the secrets that were cut out of what was looked up, by member and kind.
func (f *Fold) SecretsLookedUp() []artifact.CutOf { return list(f.lookups, texts.secrets) }

// HiddenLookedUp are the hidden characters in it, by member and kind.
func (f *Fold) HiddenLookedUp() []artifact.CutOf { return list(f.lookups, texts.unseen) }

func (t texts) secrets() []council.Cut { return t.cut }
func (t texts) unseen() []council.Cut  { return t.hidden }

func list(of map[council.MemberID]texts, which func(texts) []council.Cut) []artifact.CutOf {
	var all []artifact.CutOf
	for m, t := range of {
		for _, c := range which(t) {
			all = append(all, artifact.CutOf{Member: m, Kind: c.Kind, Count: c.Count})
		}
	}
	slices.SortFunc(all, func(a, b artifact.CutOf) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

// SecretKinds are the secrets that were cut out, by kind: of what was given, of replies, and of what was looked up.
func (f *Fold) SecretKinds() []artifact.CutKind {
	return byKind(f.topic.Cut, f.Secrets(), f.SecretsLookedUp())
}

// HiddenKinds are the hidden characters by kind, in the same way.
func (f *Fold) HiddenKinds() []artifact.CutKind {
	return byKind(f.topic.Hidden, f.Hidden(), f.HiddenLookedUp())
}

func byKind(given []council.Cut, replied, lookedUp []artifact.CutOf) []artifact.CutKind {
	kinds := map[string]*artifact.CutKind{}
	of := func(kind string) *artifact.CutKind {
		if kinds[kind] == nil {
			kinds[kind] = &artifact.CutKind{Kind: kind}
		}
		return kinds[kind]
	}
	for _, c := range given {
		of(c.Kind).Given += c.Count
	}
	for _, c := range replied {
		of(c.Kind).Replies += c.Count
	}
	for _, c := range lookedUp {
		of(c.Kind).Lookups += c.Count
	}
	var all []artifact.CutKind
	for _, k := range kinds {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b artifact.CutKind) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}
