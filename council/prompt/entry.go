package prompt

import (
	"strings"

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
func (p Prompt) After(uses []council.ToolUse, try int) Prompt {
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
