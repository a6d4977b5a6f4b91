package minutes

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
)

// maxKept bounds the citations that are listed of one event, and those that are marked in one text; all are counted.
const maxKept = 20

// Citations counts the members' citations, in turn order, and lists those that did not hold when they were written.
type Citations struct {
	Members   []CitedBy   `json:"members"`
	Unfounded []Unfounded `json:"unfounded"` // at most 20 of one event
}

// CitedBy counts the citations of one member, and those that did not hold.
type CitedBy struct {
	Member    council.MemberID `json:"member"`
	Cited     int              `json:"cited"`
	Unfounded int              `json:"unfounded"`
}

// Unfounded is a citation that did not hold when it was written.
type Unfounded struct {
	Event    string           `json:"event"` // that has it
	Member   council.MemberID `json:"member"`
	Citation string           `json:"citation"`
	Fault    string           `json:"fault"` // no such event then, no such document, no such line
}

// citations keeps the account of citations. It reads events when it is asked for the first time, since most readers of
// minutes never ask. Whether a citation held depends on the events before it alone.
type citations struct {
	read   int // how many events it has looked through
	given  *citation.Given
	counts map[council.MemberID]CitedBy
	bad    []Unfounded
}

// checkCitations returns the account of all events so far.
func (m *Minutes) checkCitations() *citations {
	a := &m.citations
	if !m.Started.Charter.Deliberation.MarkCitations {
		return a
	}
	if a.given == nil {
		a.given, a.counts = citation.NewGiven(), map[council.MemberID]CitedBy{}
	}
	for ; a.read < len(m.Events); a.read++ {
		if e := m.Events[a.read]; e.Payload != nil {
			a.take(e)
		}
	}
	return a
}

func (a *citations) take(e council.Event) {
	a.given.Take(e)
	at, ok := momentOf(e)
	if !ok {
		return
	}
	c, kept := a.counts[e.Actor], 0
	for _, cite := range a.citationsIn(e, at) {
		c.Cited++
		if cite.Fault == "" {
			continue
		}
		c.Unfounded++
		if kept++; kept <= maxKept {
			a.bad = append(a.bad, Unfounded{Event: e.Seq.ID(), Member: e.Actor, Citation: cite.Text, Fault: string(cite.Fault)})
		}
	}
	a.counts[e.Actor] = c
}

func momentOf(e council.Event) (citation.Moment, bool) {
	a, ok := e.Answered()
	return citation.Moment{AsOf: a.AsOf, Event: e.Seq}, ok
}

// citationsIn returns the citations in the texts of an event, and those that an assessment lists.
func (a *citations) citationsIn(e council.Event, at citation.Moment) []citation.Citation {
	var out []citation.Citation
	var alone []string // each once
	for kind, text := range council.Texts(e.Payload) {
		switch {
		case kind.Prose():
			out = append(out, citation.Find(text, a.given, at)...)
		case kind == council.TextCited && !slices.Contains(alone, text):
			alone = append(alone, text)
		}
	}
	for _, cite := range alone {
		out = append(out, a.given.ParseEntry(cite, at)...)
	}
	return out
}

// Marked returns an event with a mark behind each citation that did not hold when it was written, to be shown.
func (m *Minutes) Marked(e council.Event) council.Event {
	if at, _ := momentOf(e); len(m.Unfounded(e.Seq.ID())) > 0 {
		e.Payload = council.EditTexts(e.Payload, func(kind council.TextKind, text string) string {
			if kind.Prose() {
				return m.citations.mark(text, at)
			}
			return text
		})
	}
	return e
}

func (a *citations) mark(text string, at citation.Moment) string {
	var out strings.Builder
	done, bad := 0, citation.Unfounded(citation.Find(text, a.given, at))
	for _, c := range bad[:min(len(bad), maxKept)] {
		out.WriteString(text[done:c.End] + " ⟨" + string(c.Fault) + "⟩")
		done = c.End
	}
	out.WriteString(text[done:])
	return out.String()
}

// Citations returns the account of citations; nil where they are not marked.
func (m *Minutes) Citations() *Citations {
	if !m.Started.Charter.Deliberation.MarkCitations {
		return nil
	}
	a := m.checkCitations()
	r := &Citations{Members: []CitedBy{}, Unfounded: append([]Unfounded{}, a.bad...)}
	for _, id := range m.Started.Charter.Seats() {
		c := a.counts[id]
		r.Members = append(r.Members, CitedBy{id, c.Cited, c.Unfounded})
	}
	return r
}

// Unfounded lists the citations that did not hold in some events, or in all when none is named.
func (m *Minutes) Unfounded(events ...string) []Unfounded {
	return slices.DeleteFunc(slices.Clone(m.checkCitations().bad), func(u Unfounded) bool {
		return len(events) > 0 && !slices.Contains(events, u.Event)
	})
}

// Citing returns the events whose texts cite the given one, in the order of the log.
func Citing(log []council.Event, seq council.Seq) []council.Event {
	var by []council.Event
	for _, e := range log[min(int(seq), len(log)):] {
		if e.Payload == nil {
			continue
		}
		for _, text := range council.Texts(e.Payload) {
			cites := func(c council.Event) bool { return c.Seq == seq }
			if strings.Contains(text, seq.ID()) && slices.ContainsFunc(CitedIn(log, text, e.Seq), cites) {
				by = append(by, e)
				break
			}
		}
	}
	return by
}

// CitedIn returns the events before the given one that a text cites, in the order of the log, without erased ones.
func CitedIn(log []council.Event, text string, before council.Seq) []council.Event {
	cited := map[string]bool{}
	for _, c := range citation.Find(text, citation.NewGiven(), citation.Moment{AsOf: before - 1}) {
		cited[c.Text] = true
	}
	return slices.DeleteFunc(slices.Clone(log), func(e council.Event) bool {
		return e.Payload == nil || !cited[e.Seq.ID()]
	})
}
