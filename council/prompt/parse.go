package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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

// withOwnOptions returns a view with its options in the order in which the member was shown them. The view of an answer
// that the recorder reads has no charter.
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
	var data struct{ Problem, Form string }
	data.Problem = reply.Shorten(hostile.Line(problem), repairProblem)
	bound := repairDocument
	if p.Contract != nil {
		bound, data.Form = repairObject, answerWith(p.Contract.Forms)
	}
	text = reply.Shorten(hostile.Clean(text), bound)
	if strings.TrimSpace(text) == "" {
		text = words("nothing", nil) // providers refuse empty messages
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
	given := citation.GivenIn(e.Minutes.Events)
	var out []string
	at := citation.Moment{AsOf: d.AsOf, Event: e.event.Seq}
	for _, c := range citation.Unfounded(citation.Find(d.Markdown, given, at)) {
		cited := []rune(hostile.Line(c.Text))
		line := string(cited[:min(len(cited), maxCited)]) + " (" + string(c.Fault) + ")"
		if len(out) < maxUnfounded && !slices.Contains(out, line) {
			out = append(out, line)
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

// Fence returns somebody's words, fenced.
func (s *scribe) Fence(text string) string { return s.fence.wrap(text) }

// toolFence marks results of tools for the recipient.
func toolFence(session council.SessionID, recipient council.MemberID) fence {
	return newFence("data", "council tool fence\x00"+string(session)+"\x00"+string(recipient))
}

// fence marks others' words as data. Its token depends on the recipient, so that no peer can close another's fence.
type fence struct {
	word  string // "peer" or "data"
	token string // lower-case hexadecimal
}

// peerFence marks other members' words for the recipient.
func peerFence(session council.SessionID, recipient council.MemberID) fence {
	return newFence("peer", "council peer fence\x00"+string(session)+"\x00"+string(recipient))
}

// dataFence marks the context documents, the same for all members.
func dataFence(session council.SessionID) fence {
	return newFence("data", "council data fence\x00"+string(session))
}

func newFence(word, seed string) fence {
	sum := sha256.Sum256([]byte(seed))
	return fence{word, hex.EncodeToString(sum[:6])} // not guessable, and short enough to repeat
}

// wrap returns s between marks, on one line if it has only one.
func (f fence) wrap(s string) string {
	s = strings.Trim(f.neutralize(s), "\n")
	between := " "
	if strings.Contains(s, "\n") {
		between = "\n"
	}
	return "<<" + f.word + " " + f.token + between + s + between + f.token + " " + f.word + ">>"
}

// neutralize returns s without anything that could be taken for a mark.
func (f fence) neutralize(s string) string {
	s = breakMarks(hostile.Clean(s))
	// The expression is slow, and tokens are rare.
	if strings.Contains(strings.ToLower(s), f.token) {
		s = regexp.MustCompile(`(?i)`+f.token).ReplaceAllLiteralString(s, "[mark]")
	}
	return s
}

// removeMarks removes marks that the recipient copied, in whole or in part.
func (f fence) removeMarks(text string) string {
	if !strings.Contains(strings.ToLower(text), f.token) {
		return text
	}
	return regexp.MustCompile(`(?i)<<\s*`+f.word+`\s+`+f.token+` ?| ?`+f.token+`(?:\s+`+f.word+`(?:\s*>>)?)?`).
		ReplaceAllLiteralString(text, "")
}

// file returns a file's name on one line, between marks if it could be read as anything but a name.
func (f fence) file(name string) string {
	name = hostile.Line(name)
	if utf8.RuneCountInString(name) <= longestPlain && plainFile.MatchString(name) &&
		!strings.Contains(strings.ToLower(name), f.token) {
		return name
	}
	return f.wrap(name)
}

// plainFile matches a name without spaces, brackets and quotes, of any length: a bound in it would take 10 MB.
var plainFile = regexp.MustCompile(`^[\p{L}\p{M}\p{N}._/\\@+~:=,#%^-]+$`)

const longestPlain = 255 // bounds a plain name, in characters

// title returns a name from the charter on one line, without marks.
func title(name string) string { return breakMarks(hostile.Line(name)) }

// breakMarks breaks up anything that looks like a mark.
func breakMarks(s string) string {
	if strings.Contains(s, "<") {
		s = opening.ReplaceAllString(s, "< $1")
	}
	if strings.Contains(s, ">") {
		s = closing.ReplaceAllString(s, "$1 >")
	}
	return s
}

// opening and closing match anything that looks like a mark, however its brackets are spread.
var (
	opening = regexp.MustCompile(`(?i)<(?:\s*<)+\s*(peer|data)`)
	closing = regexp.MustCompile(`(?i)(peer|data)\s*>(?:\s*>)+`)
)
