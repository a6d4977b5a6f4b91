// Package cited keeps the account of what members cite in a session, and marks what does not hold. It is a fold over the
// log: what it says of an entry depends on the entries up to it alone.
//
// A charter says whether citations are marked. Where it does not, as those of logs from before did not, nothing is
// looked at.
package cited

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// maxKept bounds the citations that are listed of one event, and those that are marked in one text; all are counted.
const maxKept = 20

// Account is what was cited so far. The zero Account is of nothing.
type Account struct {
	on     bool
	given  *citation.Given
	seats  []council.MemberID
	counts map[council.MemberID]*artifact.CitedBy
	bad    []artifact.Unfounded
	marks  map[council.Seq]bool // entries in which something does not hold
}

// answered is what every payload that records a reply can tell.
type answered interface{ Knew() council.Seq }

// Take takes in the next entry of the log.
func (a *Account) Take(e wire.Entry) {
	if p, ok := e.Payload.(council.SessionStarted); ok {
		a.on, a.seats = p.Charter.Deliberation.MarkCitations, p.Charter.Seats()
		a.given, a.counts, a.marks = citation.NewGiven(), map[council.MemberID]*artifact.CitedBy{}, map[council.Seq]bool{}
	}
	if !a.on || e.Payload == nil {
		return
	}
	a.given.Take(e.Event)
	at, ok := moment(e)
	if !ok {
		return
	}
	kept := 0
	a.count(e.Actor, 0, 0)
	for _, c := range a.all(e, at) {
		if c.Fault == "" {
			a.count(e.Actor, 1, 0)
			continue
		}
		a.count(e.Actor, 1, 1)
		a.marks[e.Seq] = true
		if kept++; kept <= maxKept {
			a.bad = append(a.bad, artifact.Unfounded{
				Event: e.Seq.ID(), Member: e.Actor, Citation: c.Text, Fault: string(c.Fault),
			})
		}
	}
}

func moment(e wire.Entry) (citation.Moment, bool) {
	p, ok := e.Payload.(answered)
	if !ok {
		return citation.Moment{}, false
	}
	return citation.Moment{AsOf: p.Knew(), Event: e.Seq}, true
}

// all are the citations in everything that an entry says, and those that an assessment gives as such.
func (a *Account) all(e wire.Entry, at citation.Moment) []citation.Citation {
	var out []citation.Citation
	rewritten(e.Payload, func(text string) string {
		out = append(out, citation.In(text, a.given, at)...)
		return text
	})
	if p, ok := e.Payload.(council.PhaseAssessed); ok {
		for _, cite := range alone(p.Assessment) {
			out = append(out, a.given.Alone(cite, at)...)
		}
	}
	return out
}

func (a *Account) count(m council.MemberID, all, bad int) {
	c := a.counts[m]
	if c == nil {
		c = &artifact.CitedBy{Member: m}
		a.counts[m] = c
	}
	c.Cited += all
	c.Unfounded += bad
}

// Marked returns an entry as it is to be shown: with a mark behind each citation that did not hold when it was written.
func (a *Account) Marked(e wire.Entry) wire.Entry {
	at, ok := moment(e)
	if a.on && ok && a.marks[e.Seq] {
		e.Payload = rewritten(e.Payload, func(text string) string { return a.mark(text, at) })
	}
	return e
}

func (a *Account) mark(text string, at citation.Moment) string {
	var out strings.Builder
	done := 0
	for i, c := range citation.Bad(citation.In(text, a.given, at)) {
		if i == maxKept {
			break
		}
		out.WriteString(text[done:c.End] + " ⟨" + string(c.Fault) + "⟩")
		done = c.End
	}
	out.WriteString(text[done:])
	return out.String()
}

// On reports whether citations are marked.
func (a *Account) On() bool { return a.on }

// Report is the account for session.json; nil where citations are not marked.
func (a *Account) Report() *artifact.Citations {
	if !a.on {
		return nil
	}
	r := &artifact.Citations{Members: []artifact.CitedBy{}, Unfounded: append([]artifact.Unfounded{}, a.bad...)}
	for _, m := range a.seats {
		one := artifact.CitedBy{Member: m}
		if c := a.counts[m]; c != nil {
			one = *c
		}
		r.Members = append(r.Members, one)
	}
	return r
}

// Unfounded lists what did not hold in some events, or in all when none is named.
func (a *Account) Unfounded(events ...string) []artifact.Unfounded {
	var out []artifact.Unfounded
	for _, u := range a.bad {
		if len(events) == 0 || slices.Contains(events, u.Event) {
			out = append(out, u)
		}
	}
	return out
}
