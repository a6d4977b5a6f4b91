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

// entry is one event as the templates of the record see it.
type entry struct {
	ID     string // "e12"
	P      council.Payload
	Mine   bool    // the reader itself is the actor
	Sealed []entry // what was kept back until this event
	Short  bool    // long words are cut

	event  council.Event
	scribe *scribe
}

func (s *scribe) entry(e council.Event) entry {
	return entry{ID: e.Seq.ID(), P: e.Payload, Mine: e.Actor == s.me, event: e, scribe: s}
}

// Line returns the event in words, by the template of its type.
func (e entry) Line() string { return words(string(e.event.Type()), e) }

// Text returns what the actor wrote, by the named template.
func (e entry) Text(name string) string { return words(name, e) }

// Say names the actor and what it does: in the first form for others, in the second for the reader.
func (e entry) Say(others, own string) string {
	if e.Mine {
		return "you " + own
	}
	return e.scribe.name(e.event.Actor) + " " + others
}

// Known reports whether the words stand in the reader's answers already.
func (e entry) Known() bool { return e.Mine && !e.scribe.retell }

// Words ends a line with what somebody wrote, as data, unless that is nothing or the reader knows it.
func (e entry) Words(text string) string {
	if e.Known() || strings.TrimSpace(text) == "" {
		return "."
	}
	return ": " + e.scribe.fence.wrap(text)
}

// Fence returns what somebody wrote within a line.
func (e entry) Fence(text string) string { return e.scribe.fence.wrap(text) }

// Name names a member, or the reader as "you".
func (e entry) Name(id council.MemberID) string { return e.scribe.who(id) }

// Leads tells who leads.
func (e entry) Leads(id council.MemberID) string {
	if id == e.scribe.me {
		return "You are the leader"
	}
	return "The leader is " + e.scribe.name(id)
}

// Motion names a motion by the event that made it.
func (e entry) Motion(id council.MotionID) string {
	if m := e.scribe.minutes.Motion(id); m != nil {
		return m.Event
	}
	return string(id)
}

// Decides reports whether the event is of the phase that decides the session.
func (e entry) Decides() bool { return e.scribe.charter.DecidesIn(e.event.Phase) }

// Moved reports whether the actor moved the motion.
func (e entry) Moved(id council.MotionID) bool {
	m := e.scribe.minutes.Motion(id)
	return m != nil && m.Mover == e.event.Actor
}

// Why tells how a choice was decided, or "" of any other motion.
func (e entry) Why() string {
	p, _ := e.P.(council.MotionDecided)
	m := e.scribe.minutes.Motion(p.Motion)
	if p.Choice == nil || m == nil {
		return ""
	}
	return council.WhyChosen(m.Options, p.Choice)
}

// Packet returns the phase context packet of a phase that begins.
func (e entry) Packet() string {
	if p, ok := e.P.(council.PhaseStarted); ok {
		return packet(e.scribe.charter, e.scribe.charter.Phase(p.Phase))
	}
	return ""
}

// Documented reports whether a document follows, which comes with the brief.
func (e entry) Documented() bool { return e.scribe.charter.Output.Type == council.OutputDocumentation }

// Brief returns the execution brief that goes with the last draft, or nil.
func (e entry) Brief() *council.Brief { return e.scribe.minutes.LastDraft().Brief }

// Prior returns what the phases before came to, where the charter wants a phase to begin with that.
func (e entry) Prior() []string {
	p, ok := e.P.(council.PhaseStarted)
	if !ok {
		return nil
	}
	if phase := e.scribe.charter.Phase(p.Phase); phase == nil || !phase.MemoryPolicy.IncludePriorPhaseSummary {
		return nil
	}
	return e.scribe.phaseResults(longWords)
}

// Calls returns how many calls of tools the view's ask may take.
func Calls(v council.View) int { return callsAfter(v, council.Uses(v.Events, v.Ask.Member)) }

// callsAfter returns how many calls a question to the view's member may take, after so many of the session.
func callsAfter(v council.View, before int) int {
	if v.Seat == nil {
		return 0
	}
	return v.Seat.Tools.Calls(before)
}

// After returns the prompt that goes on after the member has called tools instead of answering: p, which puts the
// question, then each call with its result. Try is the number of the prompt before this one. It does not change p.
func (p *Prompt) After(uses []council.ToolUse, try int) *Prompt {
	reader := p.View.Ask.Member
	if hung := pseudonymsOf(p.View); hung != nil {
		reader = hung.alias(reader)
	}
	told := lookups(p.View.Session, reader, uses, Calls(p.View))
	return p.extended(try+1, len(p.Messages)+max(0, len(told)-2), told)
}

// lookups tells the calls of one question, of which it may take so many, and their results.
func lookups(session council.SessionID, member council.MemberID, uses []council.ToolUse, may int) []Message {
	var told []Message
	fence := toolFence(session, member)
	for i, u := range uses {
		data := struct {
			council.ToolUse
			Name   string
			N, May int
			Words  string
		}{u, fence.file(u.Tool), i + 1, may, fence.wrap(u.Result)}
		told = append(told, Message{Assistant, u.Call().Text()}, Message{User, words("lookup-result", data)})
	}
	return told
}

// toolFence marks what tools return to the recipient.
func toolFence(session council.SessionID, recipient council.MemberID) fence {
	return newFence("data", "council tool fence\x00"+string(session)+"\x00"+string(recipient))
}

// lookup is what a member is told of the tools that it may call.
type lookup struct {
	Calls     int // for one question
	Token     string
	Workspace bool
	Servers   []string // the tools of servers, by the names that they are called by
}

// lookupOf is nil for a member that has no tools.
func lookupOf(v council.View, m *council.Member) *lookup {
	if m.Tools == nil {
		return nil
	}
	l := &lookup{Calls: m.Tools.Calls(0), Token: toolFence(v.Session, v.Ask.Member).token,
		Workspace: m.Tools.Workspace != nil}
	for _, name := range m.Tools.Offered() {
		if name != council.ToolDescribe && !strings.HasPrefix(name, council.WorkspaceTools) {
			l.Servers = append(l.Servers, hostile.Line(name))
		}
	}
	return l
}

// fence marks words of others as data. Its token is derived from the session and the recipient, so a peer that knows
// the token of its own prompts cannot close the fence in another's.
type fence struct {
	word  string // "peer" or "data"
	token string // lower-case hexadecimal
	match *regexp.Regexp
}

// tokenLength is the number of hexadecimal digits of a token: enough that nobody guesses it, few enough to repeat.
const tokenLength = 12

// peerFence marks the words of other members in what the recipient is sent.
func peerFence(session council.SessionID, recipient council.MemberID) fence {
	return newFence("peer", "council peer fence\x00"+string(session)+"\x00"+string(recipient))
}

// dataFence marks the context documents, which all members of a session are sent alike.
func dataFence(session council.SessionID) fence {
	return newFence("data", "council data fence\x00"+string(session))
}

func newFence(word, seed string) fence {
	sum := sha256.Sum256([]byte(seed))
	token := hex.EncodeToString(sum[:])[:tokenLength]
	return fence{word: word, token: token, match: regexp.MustCompile(`(?i)` + token)}
}

// wrap returns s between marks: on one line when s has only one.
func (f fence) wrap(s string) string {
	s = strings.Trim(f.neutral(s), "\n")
	between := " "
	if strings.Contains(s, "\n") {
		between = "\n"
	}
	return "<<" + f.word + " " + f.token + between + s + between + f.token + " " + f.word + ">>"
}

// neutral returns s without anything that could be taken for a mark.
func (f fence) neutral(s string) string {
	s = unmarked(hostile.Clean(s))
	// The expression is slow, and a token is hardly ever there.
	if strings.Contains(strings.ToLower(s), f.token) {
		s = f.match.ReplaceAllLiteralString(s, "[mark]")
	}
	return s
}

// without returns a text of the recipient without the marks that it copied, in whole or in part.
func (f fence) without(text string) string {
	if !strings.Contains(strings.ToLower(text), f.token) {
		return text
	}
	return regexp.MustCompile(`(?i)<<\s*`+f.word+`\s+`+f.token+` ?| ?`+f.token+`(?:\s+`+f.word+`(?:\s*>>)?)?`).
		ReplaceAllLiteralString(text, "")
}

// file returns a file's name on one line: between marks where it could be read as anything but a name.
func (f fence) file(name string) string {
	name = hostile.Line(name)
	if utf8.RuneCountInString(name) <= longestPlain && plainFile.MatchString(name) &&
		!strings.Contains(strings.ToLower(name), f.token) {
		return name
	}
	return f.wrap(name)
}

// plainFile matches a name without spaces, brackets and quotes: no sentence, and no mark. Its length is held apart: to
// count repetitions of such a class the expression would take 10 MB.
var plainFile = regexp.MustCompile(`^[\p{L}\p{M}\p{N}._/\\@+~:=,#%^-]+$`)

// longestPlain is how many characters a name may have that is told as it is.
const longestPlain = 255

// title returns a name from the charter on one line, which no mark can begin or end in.
func title(name string) string { return unmarked(hostile.Line(name)) }

// unmarked returns s with what looks like a mark pulled apart.
func unmarked(s string) string {
	if strings.Contains(s, "<") {
		s = opening.ReplaceAllString(s, "< $1")
	}
	if strings.Contains(s, ">") {
		s = closing.ReplaceAllString(s, "$1 >")
	}
	return s
}

// opening and closing match what looks like a mark of either kind, however its brackets are spread.
var (
	opening = regexp.MustCompile(`(?i)<(?:\s*<)+\s*(peer|data)`)
	closing = regexp.MustCompile(`(?i)(peer|data)\s*>(?:\s*>)+`)
)
