package minutes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// RaisedBlocker is a blocker with its authors, the version that it blocks, its answer, and how it was met.
type RaisedBlocker struct {
	Version int                `json:"version"`
	Member  council.MemberID   `json:"member,omitempty"`       // none raised that the draft lacks sections
	Also    []council.MemberID `json:"alsoRaisedBy,omitempty"` // members that raised an equal one against the version
	council.Blocker
	Answer     council.ResponseAnswer `json:"answer,omitempty"`
	Note       string                 `json:"note,omitempty"`
	AnsweredIn int                    `json:"answeredIn,omitempty"`
	Met        Met                    `json:"met,omitempty"`
	MetIn      int                    `json:"metIn,omitempty"` // the version
	Event      string                 `json:"-"`               // in which it was raised
}

// Met is the way in which a blocker was met. It is empty for one that was not.
type Met string

const (
	MetWithdrawn Met = "WITHDRAWN" // each of its authors voted YES on a later draft
	MetWritten   Met = "WRITTEN"   // a later draft has the sections
)

// Open reports whether a blocker was neither met nor answered.
func (b *RaisedBlocker) Open() bool {
	return b.Met == "" && (b.Answer == "" || b.Answer == council.AnswerUnanswered)
}

// Authors lists who raised it; it is nil for one that no member raised.
func (b *RaisedBlocker) Authors() []council.MemberID {
	if b.Member == "" {
		return nil
	}
	return append([]council.MemberID{b.Member}, b.Also...)
}

// sameBlocker reports whether two members raised the same blocker. Forgotten words are not compared.
func sameBlocker(a, b *RaisedBlocker) bool {
	words := func(of *RaisedBlocker) string { return of.Problem + " / " + of.RequiredChange }
	said := council.StanceOf(words(a))
	return a.Member != b.Member && a.Member != "" && b.Member != "" && said != "" && said == council.StanceOf(words(b)) &&
		!strings.Contains(words(a), council.ForgottenMark)
}

// Raised lists the blockers against a draft, each with its answer. Equal ones of several members are met together.
func (m *Minutes) Raised(d *Draft) []RaisedBlocker {
	next := cmp.Or(m.Draft(d.Version+1), &Draft{})
	var out []RaisedBlocker
	for _, r := range d.Reviews {
		for _, b := range r.Blockers {
			raised := RaisedBlocker{Version: d.Version, Member: r.Member, Blocker: b, Event: r.Event}
			answers := func(r council.BlockerResponse) bool { return r.BlockerID == b.ID }
			if r := council.Find(next.Responses, answers); r != nil {
				raised.Answer, raised.Note, raised.AnsweredIn = r.Answer, r.Note, next.Version
			}
			out = append(out, raised)
		}
	}
	for i := range out {
		b := &out[i]
		for j := range out {
			if sameBlocker(b, &out[j]) && !slices.Contains(b.Also, out[j].Member) {
				b.Also = append(b.Also, out[j].Member)
			}
		}
		b.Met, b.MetIn = m.met(d, b)
	}
	return out
}

// Blockers lists the blockers against a draft. Equal ones of several members are one, with the first answer to any.
func (m *Minutes) Blockers(d *Draft) []RaisedBlocker {
	var out []RaisedBlocker
	for _, b := range m.Raised(d) {
		if at := slices.IndexFunc(out, func(first RaisedBlocker) bool { return sameBlocker(&first, &b) }); at < 0 {
			out = append(out, b)
		} else if first := &out[at]; first.Open() && !b.Open() {
			first.Answer, first.Note, first.AnsweredIn = b.Answer, b.Note, b.AnsweredIn
		}
	}
	return out
}

// met returns how a blocker against a draft was met, and the first version that met it.
func (m *Minutes) met(against *Draft, b *RaisedBlocker) (Met, int) {
	waiting := append(slices.Clone(b.Also), b.Member)
	for _, d := range m.Drafts {
		if d.Version <= against.Version {
			continue
		}
		still := func(section string) bool { return slices.Contains(d.MissingSections, section) }
		if b.Member == "" && !slices.ContainsFunc(against.MissingSections, still) {
			return MetWritten, d.Version
		}
		waiting = slices.DeleteFunc(waiting, func(id council.MemberID) bool {
			yes := func(v Ballot) bool { return v.Member == id && v.Ballot == string(council.ChoiceYes) }
			return slices.ContainsFunc(d.Ballots, yes)
		})
		if len(waiting) == 0 {
			return MetWithdrawn, d.Version
		}
	}
	return "", 0
}
