package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// entry is one event for the templates of the record.
type entry struct {
	ID     string // "e12"
	P      council.Payload
	Mine   bool    // the reader itself is the actor
	Sealed []entry // withheld until this event
	Short  bool    // long words are cut

	event council.Event
	*scribe
}

func (s *scribe) entry(e council.Event) entry {
	return entry{ID: e.Seq.ID(), P: e.Payload, Mine: e.Actor == s.Me, event: e, scribe: s}
}

// Line returns the event in words, by the template of its type.
func (e entry) Line() string { return words(string(e.event.Type()), e) }

// Text returns the actor's words, by the named template.
func (e entry) Text(name string) string { return words(name, e) }

// Number returns the number of the position that the event sealed, where members know one another under pseudonyms.
func (e entry) Number() int {
	if e.pseudonyms == nil {
		return 0
	}
	return e.pseudonyms.number(e.event.Seq)
}

// Say returns the actor and a verb: others for another member, own for the reader.
func (e entry) Say(others, own string) string {
	if e.Mine {
		return "you " + own
	}
	return e.nameOf(e.event.Actor) + " " + others
}

// Known reports whether the words are already among the reader's answers.
func (e entry) Known() bool { return e.Mine && !e.retell }

// Words ends a line with somebody's words, as data, unless they are empty or the reader knows them.
func (e entry) Words(text string) string {
	if e.Known() || strings.TrimSpace(text) == "" {
		return "."
	}
	return ": " + e.Fence(text)
}

// Motion names a motion by the event that made it.
func (e entry) Motion(id council.MotionID) string {
	if m := e.Minutes.Motion(id); m != nil {
		return m.Event
	}
	return string(id)
}

// Fence returns somebody's words, fenced.
func (s *scribe) Fence(text string) string { return s.fence.wrap(text) }

// Moved reports whether the actor moved the motion.
func (e entry) Moved(id council.MotionID) bool {
	m := e.Minutes.Motion(id)
	return m != nil && m.Mover == e.event.Actor
}

// Prior returns the results of the phases before one, where it shows them.
func (e entry) Prior(phase *council.Phase) []string {
	if phase == nil || !phase.MemoryPolicy.IncludePriorPhaseSummary {
		return nil
	}
	return e.phaseResults(longWords)
}

// CallsLeft returns how many tool calls the view's ask allows.
func CallsLeft(v council.View) int { return callsAfter(v, council.Uses(v.Events, v.Ask.Member)) }

// callsAfter returns how many tool calls are left to a question, after so many in the session.
func callsAfter(v council.View, before int) int {
	if v.Seat == nil {
		return 0
	}
	return v.Seat.Tools.Calls(before)
}

// After returns the prompt that continues p after tool calls, with each call and its result. try is the number of the
// prompt before this one. It does not change p.
func (p *Prompt) After(uses []council.ToolUse, try int) *Prompt {
	reader := p.View.Ask.Member
	if hung := pseudonymsOf(p.View); hung != nil {
		reader = hung.alias(reader)
	}
	messages := lookups(p.View.Session, reader, uses, CallsLeft(p.View))
	return p.extend(try+1, len(p.Messages)+max(0, len(messages)-2), messages)
}

// lookups returns the messages of the tool calls of one question, and their results.
func lookups(session council.SessionID, member council.MemberID, uses []council.ToolUse, may int) []Message {
	var messages []Message
	fence := toolFence(session, member)
	for i, u := range uses {
		data := struct {
			council.ToolUse
			Name   string
			N, May int
			Words  string
		}{u, fence.file(u.Tool), i + 1, may, fence.wrap(u.Result)}
		messages = append(messages, Message{Assistant, u.Call().Text()}, Message{User, words("lookup-result", data)})
	}
	return messages
}

// toolFence marks results of tools for the recipient.
func toolFence(session council.SessionID, recipient council.MemberID) fence {
	return newFence("data", "council tool fence\x00"+string(session)+"\x00"+string(recipient))
}

// fence marks others' words as data. Its token depends on the recipient, so that no peer can close another's fence.
type fence struct {
	word  string // "peer" or "data"
	token string // lower-case hexadecimal
}

const tokenLength = 12 // the number of hexadecimal digits of a token: not guessable, and short enough to repeat

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
	return fence{word, hex.EncodeToString(sum[:])[:tokenLength]}
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
