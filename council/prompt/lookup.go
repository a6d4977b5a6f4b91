package prompt

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

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
