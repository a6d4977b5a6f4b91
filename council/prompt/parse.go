package prompt

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

// MaxReply is the longest reply that is read, in bytes.
const MaxReply = reply.MaxReply

// Parse reads the reply to the view's ask. A JSON answer is the whole text, or the one object in prose, in a code
// fence or after reasoning in <think> tags. What can mean only one thing is taken as it is meant; what is empty, or
// says two different things, is refused, and so is a verdict that stands in prose alone. A draft is Markdown, followed
// by an object with the answers to blockers. The error wraps [council.ErrBadReply] and says what to change, in words
// for the one who wrote the reply.
//
// A reply that was cut by a length limit must not come here: a document shows no sign of it.
//
// Where members know one another by pseudonyms, the body has the members that they stand for. Real ids, which no
// pseudonym can be, are read too: people and programs that are shown names answer with them.
//
// Marks of fences that the member copied from its prompt are left out.
func Parse(v council.View, text string) (council.Body, error) {
	text = peerFence(v.Session, v.Ask.Member).without(dataFence(v.Session).without(text))
	hung := pseudonymsOf(v)
	if hung == nil {
		return reply.Parse(v, text)
	}
	body, err := reply.Parse(hung.view(v, v.Events), text)
	if body == nil || responses(body) < len(v.Blockers) {
		if plain, bad := reply.Parse(v, text); plain != nil && (body == nil || responses(plain) > responses(body)) {
			return plain, bad
		}
	}
	if body == nil {
		return nil, err
	}
	return hung.lift(v, body), err
}

// responses counts the answers to blockers.
func responses(b council.Body) int {
	d, _ := b.(council.Draft)
	return len(d.Responses)
}

// ErrUnclear: an order of options cannot be read, or could be read in several ways. It is asked for once more, and not
// twice. The error is a [council.ErrBadReply] too.
var ErrUnclear = reply.ErrUnclear

// ErrLacksSections: a document lacks sections that the charter asks for. [Parse] returns the draft with the error,
// which is a [council.ErrBadReply] too. The sections are asked for once, and then the document is taken without them.
var ErrLacksSections = reply.ErrLacksSections

// ErrNamesNothing: the brief of a summary names nothing that the council carried, or something that it did not. [Parse]
// returns the summary with the error, which is a [council.ErrBadReply] too. It is asked for once more, and then taken.
var ErrNamesNothing = reply.ErrNamesNothing

// ReadRanking reads an order of options that a person wrote, such as "2 > 1 = 3". Its error is [ErrUnclear].
func ReadRanking(options []string, text string) (council.Ranks, error) {
	return reply.Ranking(options, text)
}

// Refused reports whether a short text without JSON and without headings declines to answer. It is a heuristic for
// naming a fault; of what is used, it decides only that such a text is not a document.
func Refused(text string) bool { return reply.Refused(text) }

// Call reads a reply that calls a tool instead of answering the view's ask. It is false for everything else.
func Call(v council.View, text string) (council.ToolCall, bool) { return reply.Call(v, text) }

// RefusedDraft returns what is kept of a reply to the question for a document that was not taken.
func RefusedDraft(try int, text, why string) council.RefusedDraft {
	return council.RefusedDraft{Try: try, Why: reply.Shorten(hostile.Line(why), repairProblem),
		Text: reply.Shorten(hostile.Clean(text), reply.MaxDraft)}
}

// contractOf returns the contract of a reply in one of some forms, or nil where the answer is free Markdown.
func contractOf(kind council.AskKind, forms []form.Form) *Contract {
	if forms == nil {
		return nil
	}
	return &Contract{Name: "reply." + string(kind), Forms: forms}
}

// How much of an unusable reply its repair shows again, in characters: enough to see what was wrong, and for a
// document enough to mend it.
const (
	repairObject   = 8_000
	repairDocument = 60_000
	repairProblem  = 1_000
)

// Repair returns the prompt that asks once more after a reply that could not be used. It extends p by the text of the
// reply, bounded and cleaned, and by a message that quotes the problem. It does not change p.
func (p *Prompt) Repair(text, problem string) *Prompt {
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
	if p.Contract != nil {
		data.Form = answerWith(p.Contract.Forms)
	}
	return p.extended(p.Try+1, len(p.Messages), []Message{{Assistant, text}, {User, words("repair", data)}})
}

// extended returns a prompt for a further try, with more messages, of which the first one that is new stands at fresh.
func (p *Prompt) extended(try, fresh int, by []Message) *Prompt {
	q := *p
	q.Try, q.Fresh = try, fresh
	q.Messages = append(slices.Clip(p.Messages), by...)
	q.Digest = Digest(q.System, q.Messages)
	return &q
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

// Text returns what a member writes to answer with b: the JSON of its contract, or the Markdown of a draft, followed by
// an object with the answers to blockers and a brief that is stated anew. [Parse] reads it back. Every list that the
// contract requires is there even when it is empty, so that a member is never shown an answer of its own that would be
// refused.
func Text(b council.Body) string {
	switch b := b.(type) {
	case council.Draft:
		return draftText(b)
	case council.Position:
		return council.CompactJSON(positionForm{b.Position, b.Confidence, list(b.Overlooked), b.Stance, groups(b.Ranking),
			b.CandidateID})
	case council.Ranked:
		return council.CompactJSON(rankForm{b.Rationale, groups(b.Ranking)})
	case council.Amend:
		b.Amendments = list(b.Amendments)
		return council.CompactJSON(b)
	case council.Assessment:
		b.Deliverables, b.QualityGates = claims(b.Deliverables), claims(b.QualityGates)
		b.Assumptions, b.Risks = list(b.Assumptions), list(b.Risks)
		b.Constraints, b.Citations = list(b.Constraints), list(b.Citations)
		return council.CompactJSON(b)
	case council.Summary:
		b.ExecutionBrief = withLists(b.ExecutionBrief)
		return council.CompactJSON(b)
	case council.Review:
		b.CriticalBlockers, b.SuggestedChanges = list(b.CriticalBlockers), list(b.SuggestedChanges)
		return council.CompactJSON(b)
	}
	return council.CompactJSON(b)
}

// The forms of answers with a ranking, which is written with equals in one text.
type (
	positionForm struct {
		Position    string           `json:"position"`
		Confidence  float64          `json:"confidence"`
		Overlooked  []string         `json:"overlooked"`
		Stance      string           `json:"stance,omitempty"` // which is asked for only where it counts
		Ranking     []string         `json:"ranking,omitempty"`
		CandidateID council.MemberID `json:"candidateId,omitempty"`
	}
	rankForm struct {
		Rationale string   `json:"rationale"`
		Ranking   []string `json:"ranking"`
	}
)

// draftText returns a draft as its leader wrote it, with the answers to blockers and the brief that it gave.
func draftText(d council.Draft) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(d.Markdown, "\n"))
	if len(d.Responses) == 0 && d.ExecutionBrief == nil {
		return b.String()
	}
	b.WriteString("\n\n{\"responses\": {")
	for i, r := range d.Responses {
		said := string(r.Answer)
		if r.Note != "" {
			said += " - " + r.Note
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(council.CompactJSON(r.BlockerID) + ": " + council.CompactJSON(said))
	}
	b.WriteString("}")
	if d.ExecutionBrief != nil {
		b.WriteString(", \"executionBrief\": " + council.CompactJSON(withLists(d.ExecutionBrief)))
	}
	return b.String() + "}"
}

// withLists returns a brief with all its lists, also where they are empty.
func withLists(b *council.Brief) *council.Brief {
	if b == nil {
		return nil
	}
	brief := *b
	brief.Steps, brief.Risks, brief.AcceptanceCriteria = list(b.Steps), list(b.Risks), list(b.AcceptanceCriteria)
	return &brief
}

// groups returns an order of options as a contract wants it: equals in one text.
func groups(r council.Ranks) []string {
	var out []string
	for _, group := range r {
		out = append(out, strings.Join(group, " = "))
	}
	return out
}

// claims returns claims that all have a list of citations.
func claims(in []council.Claim) []council.Claim {
	out := append([]council.Claim{}, in...)
	for i := range out {
		out[i].Citations = list(out[i].Citations)
	}
	return out
}

// list makes an empty list of none.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
