// Package prompt turns an ask and its view into messages for a model, and a reply's text into a body.
//
// Both directions are pure. The messages of a member over a session are one append-only conversation: a later prompt
// extends an earlier one, so that a provider's prompt cache can serve it, and the whole conversation can be derived
// again from the session's log.
package prompt

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

// Prompt is the content of one call.
type Prompt struct {
	View     council.View // members without a language model read it directly
	Try      int          // 1 for the question itself, 2 and 3 for its repairs
	System   System
	Messages []Message // alternately user and assistant, beginning and ending with user
	Fresh    int       // index of the first message that the member's previous prompt did not have
	Restart  int       // how often the conversation has been started again from a digest
	Contract *Contract // nil where the reply is free Markdown
	Digest   string    // SHA-256 over System and Messages, in hexadecimal
}

// Bytes returns the size of the content.
func (p *Prompt) Bytes() int64 {
	n := len(p.System.Shared) + len(p.System.Persona)
	for _, m := range p.Messages {
		n += len(m.Content)
	}
	return int64(n)
}

// System is the part before the conversation.
type System struct {
	Shared  string // charter, topic and context documents: the same for all members of a session
	Persona string // the member's role and manner
}

// Message is one message of the conversation.
type Message struct {
	Role    Role
	Content string
}

// Role is the author of a message.
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

// Completion is the result of a call.
type Completion struct {
	Text      string
	Stop      Stop
	Usage     council.Usage // of this call; Usage.Model is the model as the provider reports it
	RequestID string        // the provider's own name for the call
	Cut       []council.Cut // secrets that were taken out of it
	Hidden    []council.Cut // characters in it that readers do not see
}

// Mark adds facts about a completion to the body that was parsed from it.
func (c Completion) Mark(body council.Body) council.Body {
	if d, is := body.(council.Draft); is {
		d.NoStopReason = c.Stop == StopUnknown
		return d
	}
	return body
}

// Stop is the reason why a model stopped writing.
type Stop string

// The reasons to stop. Length: the reply was cut by a token limit. TooLong: it exceeded the limit of bytes. Runaway:
// it repeated itself, or was far too long, and reading ended early. Failed: the provider broke it off. Unknown: the
// provider gave no reason, so the reply may be a part.
const (
	StopEnd     Stop = "end"
	StopLength  Stop = "length"
	StopRefusal Stop = "refusal"
	StopTooLong Stop = "too-long"
	StopRunaway Stop = "runaway"
	StopFailed  Stop = "failed"
	StopUnknown Stop = "unknown"
)

// Digest returns the SHA-256 of a prompt in hexadecimal, each part preceded by its length. [Prompt.Digest] holds it.
func Digest(system System, messages []Message) string {
	return digestWith(sumSystem(system), messages...)
}

func sumSystem(s System) hash.Cloner {
	sum := sha256.New().(hash.Cloner) // as all hashes of the standard library are
	sumParts(sum, s.Shared, s.Persona)
	return sum
}

// sumParts adds parts. Writing to a hash never fails.
func sumParts(sum hash.Hash, parts ...string) {
	for _, part := range parts {
		_ = binary.Write(sum, binary.BigEndian, uint64(len(part)))
		_, _ = io.WriteString(sum, part)
	}
}

// digestWith returns the digest of sum and further messages, so that only these are hashed. It does not change sum.
func digestWith(sum hash.Cloner, messages ...Message) string {
	with, err := sum.Clone()
	if err != nil {
		panic(err) // the standard library's SHA-256 can be cloned
	}
	for _, m := range messages {
		sumParts(with, string(m.Role), m.Content)
	}
	return hex.EncodeToString(with.Sum(nil))
}

// Limits bound a conversation without its system part, in bytes. Zero means the default.
type Limits struct {
	// a longer prompt restarts the conversation; default [MaxBytes], or by the model's context
	MaxBytes  int
	KeepBytes int // how much of the record, the newest, a new start carries over; default 60,000
}

const MaxBytes = 240_000 // the default size at which a conversation restarts from a digest
const defaultKeepBytes = 60_000
const leastBytes = 6_000 // the least size of a conversation: a question, its subject, and a digest of the rest

// of returns the limits for the seat of a view, beside a shared part of so many bytes. They follow from the charter.
func (l Limits) of(v council.View, shared int) Limits {
	l.MaxBytes = cmp.Or(l.MaxBytes, room(v, shared))
	// With more, one restart would be followed by another at once.
	l.KeepBytes = min(cmp.Or(l.KeepBytes, defaultKeepBytes), l.MaxBytes/2)
	return l
}

// room returns how many bytes of conversation fit into the context of a seat's model beside the rest, up to [MaxBytes].
func room(v council.View, shared int) int {
	if v.Seat.Model.ContextWindow <= 0 {
		return MaxBytes
	}
	tokens := v.Seat.Model.ContextWindow - ReplyTokens(v.Seat.Model)
	system := shared + max(len(persona(v, true)), len(persona(v, false)))
	return min(MaxBytes, max(leastBytes, tokens*council.BytesPerToken-system))
}

// ReplyTokens returns the part of a model's context that is kept for a reply: its bound, or a quarter of a small one.
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

// numberLines puts the number of each line before it, as the check of citations counts them.
func numberLines(text string) (string, int) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		// A line end within the line, such as a lone carriage return, does not count.
		line = strings.ReplaceAll(hostile.Clean(strings.TrimSuffix(line, "\r")), "\n", " ")
		fmt.Fprintf(&b, "%d| %s\n", i+1, line)
	}
	return b.String(), len(lines)
}

// systemOf returns the system part; own: with the member's own memory.
func systemOf(v council.View, own bool) System {
	return System{Shared: sharedPart(v), Persona: persona(v, own)}
}

// persona writes the part of the prompt that is the member's alone; own: with its own memory.
func persona(v council.View, own bool) string {
	m := v.Seat
	data := struct {
		*council.Member
		Memory           *memory
		Servers          []string // their tools, by the names that they are called by
		Token, ToolToken string
		Auto             bool
	}{Member: m, Auto: v.Charter.IsAuto(), Token: peerFence(v.Session, v.Ask.Member).token,
		ToolToken: toolFence(v.Session, v.Ask.Member).token}
	for _, name := range m.Tools.Offered() {
		if name != council.ToolDescribe && !strings.HasPrefix(name, council.WorkspaceTools) {
			data.Servers = append(data.Servers, hostile.Line(name))
		}
	}
	if own {
		data.Memory = memoryOf(v, v.Ask.Member)
	}
	if data.Memory != nil {
		data.Memory.Also = memoryOf(v, "") != nil
	}
	return words("persona", data)
}

// memory is a reminder for the templates of the system part.
type memory struct {
	Text string // fenced, one line for each record and one for its detail
	Left int
	Also bool // the prompt explained another memory before
}

// memoryOf returns the session's reminder of a memory, the council's or a member's, or nil.
func memoryOf(v council.View, of council.MemberID) *memory {
	return fencedReminder(v.Session, openingOf(v).Reminder(of))
}

// Reminding returns a reminder as the system part shows it, or "". Only the token of its fence depends on the session.
func Reminding(session council.SessionID, r council.Reminder) string {
	if shown := fencedReminder(session, r); shown != nil {
		return words("memory", shown)
	}
	return ""
}

// fencedReminder returns a reminder, which is model output, as data on lines that it cannot break; nil without records.
func fencedReminder(session council.SessionID, r council.Reminder) *memory {
	if len(r.Records) == 0 {
		return nil
	}
	return &memory{Text: dataFence(session).wrap(words("records", r.Records)), Left: r.Left}
}

func openingOf(v council.View) council.SessionStarted {
	var opening council.SessionStarted
	if len(v.Events) > 0 {
		opening, _ = v.Events[0].Started()
	}
	return opening
}

// remembers reports whether the member has a memory and may see it here.
func (s *scribe) remembers() bool {
	return len(s.opening.Reminder(s.Me).Records) > 0 && s.Charter.ReadsMemberMemory(s.lastPhase().ID)
}

// Recalled returns a hit of a search of memory, with the speaker before the text, fenced.
func (e entry) Recalled(hit council.Recollection) string {
	if e.Short {
		hit.Text = reply.Shorten(hit.Text, shortWords) // in a conversation that starts again
	}
	if speaker := hostile.Line(hit.Speaker); speaker != "" {
		hit.Text = speaker + ": " + hit.Text
	}
	return e.Fence(hit.Text)
}

// Settled returns the settlements of a summary that count.
func (e entry) Settled() []council.Settlement {
	p, _ := e.P.(council.SummaryWritten)
	return e.opening.Settled(e.event.Actor, p.Summary)
}

// sharedPart writes the part of the prompt that is the same for all members: charter, rules, topic and documents.
func sharedPart(v council.View) string {
	type document struct {
		Name  string
		Lines int
		Text  string
		Left  int // of a note: characters that had no room
	}
	data := struct {
		*council.Charter
		Seated    []*council.Member
		Topic     string
		Documents []document
		Notes     []document
		Unseen    *omittedFiles
		Memory    *memory
		Reopens   *council.Reopened
	}{Charter: v.Charter, Topic: strings.TrimSpace(hostile.Clean(v.Topic.Text)), Memory: memoryOf(v, "")}
	data.Seated = council.Map(v.Charter.Seats(), v.Charter.Member)
	fence := dataFence(v.Session)
	for _, d := range v.Topic.Documents {
		text, lines := numberLines(d.Text)
		if d.Note != nil {
			text = fence.neutralize(strings.TrimSpace(text))
			data.Notes = append(data.Notes, document{fence.file(d.Name), lines, text, d.Note.Left})
			continue
		}
		data.Documents = append(data.Documents, document{fence.file(d.Name), lines, fence.wrap(text), 0})
	}
	data.Unseen = omittedFilesIn(v.Topic.Skipped, fence)
	if r := v.Topic.Reopens; r != nil {
		shown := council.EditTexts(*r, func(_ council.TextKind, text string) string { return fence.wrap(text) })
		shown.Closed, shown.Record = hostile.Line(r.Closed), fence.file(r.Record)
		if r.Draft != "" {
			shown.Draft = fence.file(r.Draft)
		}
		shown.Because = strings.TrimSpace(hostile.Clean(r.Because)) // the words of the convener
		data.Reopens = &shown
	}
	return words("shared", data)
}

// omittedFiles is the list of left-out files for the templates of the system part.
type omittedFiles struct {
	Count int
	Text  string // fenced, a line for each of the largest
	More  int    // files that are not in the list
	Lines int    // of those, as far as they are known
}

// omittedFilesIn returns nil if nothing was left out. A person's own notes are not listed.
func omittedFilesIn(skipped []council.Skipped, fence fence) *omittedFiles {
	var all omittedFiles
	var largest council.Skipped
	why := map[council.LeftFile]string{}
	for _, s := range skipped {
		if s.Notes {
			continue
		}
		all.Count += s.Count
		all.Lines += s.Lines
		for _, f := range s.Files {
			largest.Add(f)
			why[f] = s.Reason
		}
	}
	if all.Count == 0 {
		return nil
	}
	var lines []string
	for _, f := range largest.Files {
		all.Lines -= f.Lines
		reason := why[f]
		f.Name = hostile.Line(f.Name)
		lines = append(lines, "- "+f.String()+": "+hostile.Line(reason))
	}
	all.More = all.Count - len(lines)
	all.Text = fence.wrap(strings.Join(lines, "\n"))
	return &all
}
