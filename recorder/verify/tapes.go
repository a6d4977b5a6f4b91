package verify

import (
	"errors"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
)

// conversations holds the conversations against the events: who answered was asked, and the answer is on the tape.
func (v *verification) conversations() Check {
	c := looked(Completeness, "conversations",
		"The chain of every conversation, and for every recorded answer its question and its reply.")
	members, err := conversation.Members(v.Files)
	if err != nil {
		c.find("The conversations cannot be read: %v.", err)
		return c
	}
	if len(members) == 0 {
		c.note("The session has no conversations: its members kept no tape.")
		return c
	}
	tapes := map[council.MemberID]*conversation.Log{}
	for _, m := range members {
		if found := v.tape(&c, m); found != nil {
			tapes[m] = found
		}
	}
	v.answers(&c, tapes)
	if len(c.Findings) == 0 && v.follows {
		v.retrace(&c, tapes)
	}
	return c
}

// tape reads one conversation. It returns nil, and notes a finding, when it cannot be read.
func (v *verification) tape(c *Check, m council.MemberID) *conversation.Log {
	found, err := conversation.Read(v.Files, v.ID, m)
	switch {
	case errors.Is(err, chain.ErrDamaged):
		c.find("%v.", err)
		return nil
	case err != nil:
		c.find("%s cannot be read: %v.", conversation.FileName(m), err)
		return nil
	case found.Torn && v.writer == "":
		c.note("The end of %s is unfinished. Resuming the session repairs it.", conversation.FileName(m))
	}
	v.order(c, conversation.FileName(m), found)
	return found
}

// order checks that no reply comes without its question.
func (v *verification) order(c *Check, name string, found *conversation.Log) {
	open := map[question]bool{}
	for i, l := range found.Lines {
		key := question{l.Ask, l.Try}
		switch l.Role {
		case conversation.RoleUser:
			open[key] = true
		case conversation.RoleAssistant, conversation.RoleFault:
			if !open[key] {
				c.find("Line %d of %s answers %s, try %d, which was not asked.", i+1, name, l.Ask, l.Try)
			}
			open[key] = false
		}
	}
}

// answers looks for every recorded answer on the tape of the member that gave it. An answer that was recorded while the
// conversations were read may be missing in what was read of them.
func (v *verification) answers(c *Check, tapes map[council.MemberID]*conversation.Log) {
	onTape := map[council.MemberID]map[council.AskID]*conversation.Line{}
	for m, found := range tapes {
		onTape[m] = map[council.AskID]*conversation.Line{}
		for i := range found.Lines {
			if l := &found.Lines[i]; l.Role == conversation.RoleAssistant || l.Role == conversation.RoleFault {
				onTape[m][l.Ask] = l
			}
		}
	}
	for _, e := range v.log.Entries[:v.settled] {
		a, ok := e.Answered()
		if !ok {
			continue
		}
		lines, kept := onTape[e.Actor]
		if !kept {
			v.untaped(c, e)
			continue
		}
		fault := e.Said() == nil
		switch l := lines[a.Ask]; {
		case l == nil && fault: // it was given up before it was put
		case l == nil:
			c.find("Event %s records an answer to %s, but the conversation of %s has none.", e.ID, a.Ask, e.Actor)
		case !fault && l.Role == conversation.RoleFault:
			c.find("Event %s records an answer to %s, but the conversation of %s ends in a fault.", e.ID, a.Ask, e.Actor)
		}
	}
}

// untaped judges an answer of a member whose conversation could not be had.
func (v *verification) untaped(c *Check, e wire.Entry) {
	// Any other error has been reported.
	if _, err := conversation.Read(v.Files, v.ID, e.Actor); errors.Is(err, fs.ErrNotExist) {
		c.find("Event %s records an answer of %s, but there is no %s.", e.ID, e.Actor, conversation.FileName(e.Actor))
	}
}

// question is one try of an ask; each repair is a question of its own.
type question struct {
	ask council.AskID
	try int
}
