package prompt

import (
	"reflect"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

const MaxReply = reply.MaxReply // the longest reply that is parsed, in bytes

// Parse parses the reply to the view's ask. A JSON answer is the whole text, or the one object in prose, in a code
// fence or after reasoning in <think> tags. A slip with only one possible meaning is accepted; an empty or
// contradictory reply, and a verdict in prose alone, is refused. A draft is Markdown, followed by an object with the
// answers to blockers. The error wraps [council.ErrBadReply] and names the necessary change to the author.
//
// Replies that a length limit cut must not be passed: a document does not show that it was cut.
//
// Pseudonyms in the reply are replaced by member ids; real ids are accepted too. A number of an option is that in the
// member's own order. Marks of fences that the member copied from its prompt are removed.
func Parse(v council.View, text string) (council.Body, error) {
	v = withOwnOptions(v)
	hidden, hung := v, pseudonymsOf(v)
	if hung != nil {
		hidden = hung.view(v, v.Events)
	}
	text = peerFence(v.Session, hidden.Ask.Member).removeMarks(dataFence(v.Session).removeMarks(text))
	if hung == nil {
		return reply.Parse(v, text)
	}
	if v.Ask.Kind == council.AskPosition || v.Ask.Kind == council.AskNominate { // a candidate is given by its real id
		c := *v.Charter
		c.TurnOrder, c.Members = c.Seats(), slices.Concat(c.Members, hidden.Charter.Members)
		hidden.Charter = &c
	}
	if v.Ask.Kind == council.AskPropose { // positions are given by their numbers
		hidden = v
		hidden.Charter = hung.numbered()
	}
	body, err := reply.Parse(hidden, text)
	if body == nil || responses(body) < len(v.Blockers) {
		if plain, bad := reply.Parse(v, text); plain != nil && (body == nil || responses(plain) > responses(body)) {
			return plain, bad
		}
	}
	if body == nil {
		return nil, err
	}
	return hung.resolve(v, body), err
}

// withOwnOptions returns a view with its options in the order in which the member was shown them.
func withOwnOptions(v council.View) council.View {
	if v.Charter == nil || !v.Charter.ShufflesOptions() {
		return v
	}
	c := *v.Charter
	c.Options = c.DrawOptions(v.Session, v.Ask.Member, c.Options)
	v.Charter = &c
	if v.Ask.Kind == council.AskPosition { // of a spare
		v.Options = c.DrawOptions(v.Session, v.Ask.Member, v.Options)
	}
	if v.Motion != nil {
		m := *v.Motion
		m.Options = c.DrawOptions(v.Session, v.Ask.Member, m.Options)
		v.Motion = &m
	}
	return v
}

func responses(b council.Body) int {
	d, _ := b.(council.Draft)
	return len(d.Responses)
}

// Errors of [Parse]; each is a [council.ErrBadReply] too. The last two come with a body: the member is asked once more,
// and then it is accepted.
var (
	ErrUnclear       = reply.ErrUnclear       // an order of options is unreadable or ambiguous; it is asked for once more
	ErrLacksSections = reply.ErrLacksSections // a document lacks sections of the charter
	ErrNamesNothing  = reply.ErrNamesNothing  // the brief of a summary names no motion that carried, or one that did not
)

// ReadRanking parses a person's order of options, such as "2 > 1 = 3". Its error is [ErrUnclear].
func ReadRanking(options []string, text string) (council.Ranks, error) {
	return reply.Ranking(options, text)
}

// IsRefusal reports whether a short text without JSON and headings declines to answer. It is a heuristic for naming a
// fault; such a text is no document either.
func IsRefusal(text string) bool { return reply.Refused(text) }

// Call parses a reply that calls a tool instead of answering. It is false for everything else.
func Call(v council.View, text string) (council.ToolCall, bool) { return reply.Call(v, text) }

// RefusedDraft returns the record of a reply that was not accepted as a document.
func RefusedDraft(try int, text, why string) council.RefusedDraft {
	return council.RefusedDraft{Try: try, Why: reply.Shorten(hostile.Line(why), repairProblem),
		Text: reply.Shorten(hostile.Clean(text), reply.MaxDraft)}
}

// How much of an unusable reply its repair quotes, in characters; of a document enough to mend it.
const repairObject, repairDocument, repairProblem = 8_000, 60_000, 1_000

// Repair returns the prompt that asks again after an unusable reply. It extends p by the reply, bounded and cleaned,
// and a message with the problem. It does not change p.
func (p *Prompt) Repair(text, problem string) *Prompt {
	problem = strings.TrimPrefix(problem, council.ErrBadReply.Error()+": ")
	problem = strings.ToUpper(problem[:1]) + problem[1:]
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
	return p.extend(p.Try+1, len(p.Messages), []Message{{Assistant, text}, {User, words("repair", data)}})
}

// extend returns a prompt for a further try, with more messages; fresh is the index of the first new one.
func (p *Prompt) extend(try, fresh int, by []Message) *Prompt {
	q := *p
	q.Try, q.Fresh = try, fresh
	q.Messages = append(slices.Clip(p.Messages), by...)
	q.Digest = Digest(q.System, q.Messages)
	return &q
}

// maxUnfounded bounds the citations of a draft that members are warned of, maxCited the length of each in runes.
const maxUnfounded, maxCited = 20, 120

// Unfounded lists unfounded citations in a draft, for its voters and its author, where the charter has them checked.
func (e entry) Unfounded() []string {
	d, ok := e.P.(council.DraftWritten)
	if !ok || !e.Charter.Deliberation.MarkCitations {
		return nil
	}
	given := citation.NewGiven()
	for _, e := range e.Minutes.Events {
		given.Take(e)
	}
	var out []string
	at := citation.Moment{AsOf: d.AsOf, Event: e.event.Seq}
	for _, c := range citation.Unfounded(citation.Find(d.Markdown, given, at)) {
		cited := []rune(hostile.Line(c.Text))
		line := string(cited[:min(len(cited), maxCited)]) + " (" + string(c.Fault) + ")"
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
		if len(out) == maxUnfounded {
			break
		}
	}
	return out
}

// Text encodes an answer: as JSON, or as the Markdown of a draft followed by an object with the answers to blockers
// and a new brief. [Parse] reads it back. Lists that the contract requires are present even if empty, so that a member
// never sees an answer of its own that would be refused.
func Text(b council.Body) string {
	switch b := b.(type) {
	case council.Draft:
		return draftText(b)
	case council.Position:
		var overlooked any // no field of positions at the pace auto
		if b.Counter == "" {
			overlooked = withLists(b.Overlooked)
		}
		return council.CompactJSON(struct {
			Position    string           `json:"position"`
			Counter     string           `json:"counter,omitempty"`
			ChangeMind  string           `json:"changeMind,omitempty"`
			Confidence  float64          `json:"confidence"`
			Overlooked  any              `json:"overlooked,omitempty"`
			Stance      string           `json:"stance,omitempty"` // which is asked for only where it counts
			Ranking     []string         `json:"ranking,omitempty"`
			Missing     string           `json:"missing,omitempty"`
			CandidateID council.MemberID `json:"candidateId,omitempty"`
		}{b.Position, b.Counter, b.ChangeMind, b.Confidence, overlooked, b.Stance, b.Ranking.Groups(), b.Missing,
			b.CandidateID})
	case council.Answers:
		answers, answerOf := []string{}, map[council.MemberID]int{}
		for i, one := range b.Answers {
			answers = append(answers, one.Answer)
			for _, m := range one.HeldBy {
				answerOf[m] = i + 1
			}
		}
		return council.CompactJSON(struct {
			Crux     string                   `json:"crux"`
			Answers  []string                 `json:"answers"`
			AnswerOf map[council.MemberID]int `json:"answerOf"`
			Text     string                   `json:"text"`
			council.Summary
		}{b.Crux, answers, answerOf, b.Text, withLists(b.Summary)})
	case council.Ranked:
		return council.CompactJSON(struct {
			Rationale string   `json:"rationale"`
			Ranking   []string `json:"ranking"`
			Blockers  []string `json:"blockers,omitempty"`
			Missing   string   `json:"missing,omitempty"`
		}{b.Rationale, b.Ranking.Groups(), b.Blockers, b.Missing})
	}
	return council.CompactJSON(withLists(b))
}

func draftText(d council.Draft) string {
	text := strings.TrimRight(d.Markdown, "\n")
	if len(d.Responses) == 0 && d.ExecutionBrief == nil {
		return text
	}
	responses := council.Map(d.Responses, func(r council.BlockerResponse) string {
		said := string(r.Answer)
		if r.Note != "" {
			said += " - " + r.Note
		}
		return council.CompactJSON(r.BlockerID) + ": " + council.CompactJSON(said)
	})
	text += "\n\n" + `{"responses": {` + strings.Join(responses, ", ") + "}"
	if d.ExecutionBrief != nil {
		text += `, "executionBrief": ` + council.CompactJSON(withLists(d.ExecutionBrief))
	}
	return text + "}"
}

// withLists returns a copy of an answer, or of a part of one, in which every list is present, even if empty.
func withLists[T any](in T) T { return fillLists(reflect.ValueOf(in)).Interface().(T) }

func fillLists(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(fillLists(v.Field(i)))
		}
	case v.Kind() == reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(fillLists(v.Index(i)))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(fillLists(v.Elem()))
	default:
		return v
	}
	return out
}

// Runaway reports whether an unfinished reply need not be read further: it repeats itself without end, or exceeds the
// length that the question asks for by more than room bytes. A thought before an answer may have any length.
func (p *Prompt) Runaway(text string, room int) bool {
	long := p.Contract != nil && len(text) > form.MostBytes(p.Contract.Forms)+room
	return long && !reply.BeginsThought(text) || repeats(text)
}

// A text repeats itself if it ends in the same passage over and over: of at most longestPassage bytes, fewestTimes and
// in leastRepeated bytes at least. A table or a rule of dashes is shorter.
const longestPassage, fewestTimes, leastRepeated = 600, 6, 1_500

func repeats(text string) bool {
	for passage := 1; passage <= longestPassage; passage++ {
		repeated := max(leastRepeated, fewestTimes*passage)
		if len(text) < repeated {
			return false
		}
		end := text[len(text)-repeated:]
		if end[passage:] == end[:repeated-passage] {
			return true
		}
	}
	return false
}
