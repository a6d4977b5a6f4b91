package prompt

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/internal/hostile"
)

// maxUnfounded bounds what members are told of the citations in a draft, maxCited the length of each in runes.
const (
	maxUnfounded = 20
	maxCited     = 120
)

// citable returns what the events read so far give to cite. Most conversations never ask.
func (s *scribe) citable() *citation.Given {
	given := citation.NewGiven()
	for _, e := range s.minutes.Events {
		given.Take(e)
	}
	return given
}

// Unfounded lists what a draft cites that does not hold, where the charter has citations marked: those who vote on it
// and the one who revises it are told, and nobody's words are changed.
func (e entry) Unfounded() []string {
	d, ok := e.P.(council.DraftWritten)
	if !ok || !e.scribe.charter.Deliberation.MarkCitations {
		return nil
	}
	var out []string
	at := citation.Moment{AsOf: d.AsOf, Event: e.event.Seq}
	for _, c := range citation.Bad(citation.In(d.Markdown, e.scribe.citable(), at)) {
		cited := []rune(hostile.Line(c.Text))
		told := string(cited[:min(len(cited), maxCited)]) + " (" + string(c.Fault) + ")"
		if !slices.Contains(out, told) {
			out = append(out, told)
		}
		if len(out) == maxUnfounded {
			break
		}
	}
	return out
}
