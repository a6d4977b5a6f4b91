// Package prompt turns an ask and its view into the messages a model is sent, and a reply's text back into a body.
//
// Both directions are pure. What a member is sent over a session is one append-only conversation: a later prompt
// extends an earlier one, so that a provider's prompt cache can serve what it has seen, and the whole conversation
// can be derived again from the session's log.
package prompt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

// Prompt is everything that one call sends.
type Prompt struct {
	View     council.View // what the member may know; members that are no language models read it directly
	Try      int          // 1 for the question itself, 2 and 3 for its repairs
	System   System
	Messages []Message // alternately user and assistant, beginning and ending with user
	Fresh    int       // index of the first message that the member's previous prompt did not have
	Restart  int       // how often the conversation has been started again from a digest
	Contract *Contract // nil where the reply is free Markdown
	Digest   string    // SHA-256 over System and Messages, in hexadecimal
}

// Bytes returns the size of all that is sent, what providers wrap it in apart.
func (p *Prompt) Bytes() int64 {
	n := len(p.System.Shared) + len(p.System.Persona)
	for _, m := range p.Messages {
		n += len(m.Content)
	}
	return int64(n)
}

// System is what comes before the conversation.
type System struct {
	Shared  string // charter, topic and context documents: the same for all members of a session
	Persona string // who the member is and how it is to answer
}

// Message is one message of the conversation.
type Message struct {
	Role    Role
	Content string
}

// Role says who speaks in a conversation.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Contract describes the JSON object that a reply must be.
type Contract struct {
	Name   string      // such as "reply.ballot"
	Forms  []form.Form // of which the reply has one
	OrCall bool        // the reply may call a tool instead
}

// Completion is what came back from a call.
type Completion struct {
	Text      string
	Stop      Stop
	Usage     council.Usage // of this call; Usage.Model is the model as the provider reports it
	RequestID string        // the provider's own name for the call
	Cut       []council.Cut // secrets that were taken out of it
	Hidden    []council.Cut // characters in it that readers do not see
}

// Mark returns the body that was read from a completion, with what the completion shows beside its text.
func (c Completion) Mark(body council.Body) council.Body {
	if d, is := body.(council.Draft); is {
		d.NoStopReason = c.Stop == StopUnknown
		return d
	}
	return body
}

// Stop says why a model stopped writing.
type Stop string

// The reasons to stop. Length: the reply was cut by a token limit. TooLong: it had more text than is taken of one.
// Runaway: it repeated itself, or was far longer than asked for, and was not read to its end.
// Failed: the provider broke it off. Unknown: the provider gave no reason, so the reply may be a part.
const (
	StopEnd     Stop = "end"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
	StopTooLong Stop = "too-long"
	StopRunaway Stop = "runaway"
	StopFailed  Stop = "failed"
	StopUnknown Stop = "unknown"
)

// Digest returns the SHA-256 over everything that a prompt sends, in hexadecimal: each part with its length before it,
// so that no two different prompts run together. [Prompt.Digest] holds it.
func Digest(system System, messages []Message) string {
	return digestWith(sumSystem(system), messages...)
}

func sumSystem(s System) hash.Cloner {
	sum := sha256.New().(hash.Cloner) // as all hashes of the standard library are
	sumParts(sum, s.Shared, s.Persona)
	return sum
}

func sumMessage(sum hash.Hash, m Message) { sumParts(sum, string(m.Role), m.Content) }

// sumParts adds parts. Writing to a hash never fails.
func sumParts(sum hash.Hash, parts ...string) {
	for _, part := range parts {
		_ = binary.Write(sum, binary.BigEndian, uint64(len(part)))
		_, _ = io.WriteString(sum, part)
	}
}

// digestWith returns the digest of what sum holds and further messages. It does not change sum, so that a prompt's
// digest costs what is new in the prompt.
func digestWith(sum hash.Cloner, messages ...Message) string {
	with, err := sum.Clone()
	if err != nil {
		panic(err) // the standard library's SHA-256 can be cloned
	}
	for _, m := range messages {
		sumMessage(with, m)
	}
	return hex.EncodeToString(with.Sum(nil))
}

// Limits bound a conversation, in bytes of its messages; the system part comes on top. Zero means the default.
type Limits struct {
	// a prompt that would exceed it starts the conversation again; default [MaxBytes], or what the model's context has
	// room for
	MaxBytes  int
	KeepBytes int // how much of the record, the newest, a new start carries over; default 60,000
}

// MaxBytes is how long a conversation becomes before it starts again from a digest, where the model's context is not
// known to be smaller.
const MaxBytes = 240_000

const defaultKeepBytes = 60_000

// leastBytes is the least that a conversation is cut down to: a question, what it is about, and a digest of the rest. A
// model that does not hold as much cannot follow a debate.
const leastBytes = 6_000

// of settles limits for the seat of a view. They follow from the charter alone, so that a conversation is the same
// whenever it is laid out.
func (l Limits) of(v council.View, s System) Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = MaxBytes
		if room := room(v, len(s.Shared)); room > 0 {
			l.MaxBytes = min(l.MaxBytes, room)
		}
	}
	if l.KeepBytes <= 0 {
		l.KeepBytes = defaultKeepBytes
	}
	// A new start that is as long as the limit would be followed by another at once.
	l.KeepBytes = min(l.KeepBytes, l.MaxBytes/2)
	return l
}

// room returns how many bytes of conversation the context of a seat's model holds beside the system part and a reply; 0
// where the context is not known.
func room(v council.View, shared int) int {
	if v.Seat == nil || v.Seat.Model.ContextWindow <= 0 {
		return 0
	}
	tokens := v.Seat.Model.ContextWindow - ReplyTokens(v.Seat.Model)
	system := shared + max(len(persona(v, true)), len(persona(v, false)))
	return max(leastBytes, tokens*council.BytesPerToken-system)
}

// ReplyTokens returns how much of a model's context is kept free for a reply: its bound, or else a quarter of a small
// context.
func ReplyTokens(m council.Model) int {
	const usual = 4096
	switch {
	case m.MaxTokens > 0:
		return m.MaxTokens
	case m.ContextWindow > 0:
		return min(usual, m.ContextWindow/4)
	}
	return usual
}

// systemOf returns the part before the conversation; own says whether the member is told its own memory.
func systemOf(v council.View, own bool) System {
	return System{Shared: shared(v), Persona: persona(v, own)}
}

// numbered writes the number of each line before it: members quote documents by line. The lines are those that the
// session counts when it checks a citation.
func numbered(text string) (string, int) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		// A line end within the line, such as a lone carriage return, is none that the session counts.
		line = strings.ReplaceAll(hostile.Clean(strings.TrimSuffix(line, "\r")), "\n", " ")
		fmt.Fprintf(&b, "%d| %s\n", i+1, line)
	}
	return b.String(), len(lines)
}

// persona tells who the member is and how it is to answer.
func persona(v council.View, own bool) string {
	type focus struct{ Name, Weight string }
	m := v.Seat
	if m == nil {
		m = &council.Member{ID: v.Ask.Member}
	}
	data := struct {
		*council.Member
		Focus  []focus
		Memory *memory
		Lookup *lookup
		Token  string
	}{Member: m, Lookup: lookupOf(v, m), Token: peerFence(v.Session, v.Ask.Member).token}
	if own {
		data.Memory = memoryOf(v, v.Ask.Member)
	}
	for _, name := range m.Focuses() {
		data.Focus = append(data.Focus, focus{name, strconv.FormatFloat(m.FocusWeights[name], 'g', -1, 64)})
	}
	return words("persona", data)
}

// memory is a reminder as the templates of the system part see it.
type memory struct {
	Text string // fenced, one line for each record and one for its detail
	Left int
}

// memoryOf returns what the session was given of a memory, the council's or a member's, or nil. It is model output of
// earlier sessions: data, on lines that it cannot break.
func memoryOf(v council.View, of council.MemberID) *memory {
	return reminding(v.Session, openingOf(v).Reminder(of))
}

// Reminding returns what members are told of a reminder, as it stands in the system part of their prompts, or "" when
// there is nothing to be reminded of. Only the token of its fence depends on the session.
func Reminding(session council.SessionID, r council.Reminder) string {
	told := reminding(session, r)
	if told == nil {
		return ""
	}
	return words("memory", told)
}

func reminding(session council.SessionID, r council.Reminder) *memory {
	if len(r.Records) == 0 {
		return nil
	}
	return &memory{Text: dataFence(session).wrap(words("records", r.Records)), Left: r.Left}
}

// openingOf returns the event that opened the session.
func openingOf(v council.View) council.SessionStarted {
	var opening council.SessionStarted
	if len(v.Events) > 0 {
		opening, _ = v.Events[0].Started()
	}
	return opening
}

// remembers reports whether the member has a memory of its own and may be told it at this place.
func (s *scribe) remembers(at place) bool {
	var phase council.PhaseID // the one entered last; "" before the first
	if at.last != nil {
		phase = at.last.ID
	}
	return len(s.opening.Reminder(s.me).Records) > 0 && s.charter.ReadsMemberMemory(phase)
}

// reminded reports whether the member is told anything that it could settle.
func (s *scribe) reminded(at place) bool {
	return len(s.opening.Reminder("").Records) > 0 || s.remembers(at)
}

// Recollections returns the hits of a search of memory, with the speaker before the text, fenced.
func (e entry) Recollections() []council.Recollection {
	p, _ := e.P.(council.MemoryRecalled)
	hits := slices.Clone(p.Hits)
	for i := range hits {
		text := hits[i].Text
		if e.Short {
			text = reply.Shorten(text, shortWords) // in a conversation that starts again
		}
		if speaker := hostile.Line(hits[i].Speaker); speaker != "" {
			text = speaker + ": " + text
		}
		hits[i].Text = e.scribe.fence.wrap(text)
	}
	return hits
}

// Settled returns the settlements of a summary that count.
func (e entry) Settled() []council.Settlement {
	p, _ := e.P.(council.SummaryWritten)
	return e.scribe.opening.Settled(e.event.Actor, p.Summary)
}
