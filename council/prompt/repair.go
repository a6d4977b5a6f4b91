package prompt

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

// How much of an unusable reply its repair shows again, in characters: enough to see what was wrong, and for a
// document enough to mend it.
const (
	repairObject   = 8_000
	repairDocument = 60_000
	repairProblem  = 1_000
)

// Repair returns the prompt that asks once more after a reply that could not be used. It extends p by the text of the
// reply, bounded and cleaned, and by a message that quotes the problem. It does not change p.
func (p Prompt) Repair(text, problem string) Prompt {
	problem = strings.TrimPrefix(problem, council.ErrBadReply.Error()+": ")
	bound := repairDocument
	if p.Contract != nil {
		bound = repairObject
	}
	text = reply.Shorten(hostile.Clean(text), bound)
	if strings.TrimSpace(text) == "" {
		text = words("nothing", nil) // providers refuse empty messages
	}
	data := struct {
		Problem string
		Object  bool
		Form    string
	}{reply.Shorten(hostile.Line(problem), repairProblem), p.Contract != nil, ""}
	if last := p.Messages[len(p.Messages)-1].Content; !strings.HasSuffix(last, p.form) {
		data.Form = p.form
	}
	return p.extended(p.Try+1, len(p.Messages), []Message{{Assistant, text}, {User, words("repair", data)}})
}

// extended returns a prompt for a further try, with more messages, of which the first one that is new stands at fresh.
func (p Prompt) extended(try, fresh int, by []Message) Prompt {
	p.Try, p.Fresh = try, fresh
	p.Messages = append(slices.Clip(p.Messages), by...)
	p.Digest = Digest(p.System, p.Messages)
	return p
}

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
