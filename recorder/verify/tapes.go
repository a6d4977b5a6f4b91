package verify

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
)

// placed finds a line of a conversation: the first try of a question, or the last reply to it, or with the role settled
// what ended it.
type placed struct {
	member council.MemberID
	ask    council.AskID
	role   conversation.Role
}

const settled conversation.Role = "settled"

// readTapes reads every conversation, and checks that no reply comes without its question. One that cannot be read is
// a nil Log.
func (v *verification) readTapes(c *Check) {
	members, err := conversation.Members(v.Files)
	if err != nil {
		c.find("The conversations cannot be read: %v.", err)
	}
	for _, m := range members {
		found, err := conversation.Read(v.Files, v.ID, m)
		switch {
		case errors.Is(err, chain.ErrDamaged):
			found = nil
			c.find("%v.", err)
		case err != nil:
			found = nil
			c.find("%s cannot be read: %v.", conversation.FileName(m), err)
		case found.Torn:
			v.unfinished(c, conversation.FileName(m))
		}
		v.tapes[m] = found
		type question struct { // each repair is one of its own
			ask council.AskID
			try int
		}
		open := map[question]bool{}
		for i, l := range lines(found) {
			key := question{l.Ask, l.Try}
			switch l.Role {
			case conversation.RoleUser:
				if open[key] = true; l.Try == 1 {
					v.lines[placed{m, l.Ask, l.Role}] = l
				}
			case conversation.RoleAssistant, conversation.RoleFault:
				if !open[key] {
					c.find("Line %d of %s answers %s, try %d, which was not asked.", i+1, conversation.FileName(m), l.Ask, l.Try)
				}
				open[key] = false
				v.lines[placed{m, l.Ask, l.Role}], v.lines[placed{m, l.Ask, settled}] = l, l
			}
		}
	}
}

// lines returns the lines of a conversation that could be read.
func lines(found *conversation.Log) []conversation.Line {
	if found == nil {
		return nil
	}
	return found.Lines
}

// conversations holds the conversations against the events: who answered was asked, and the answer is on the tape. An
// answer that was recorded while the conversations were read may be missing in what was read of them.
func (v *verification) conversations(c *Check) {
	v.readTapes(c)
	if len(v.tapes) == 0 {
		if len(c.Findings) == 0 {
			c.note("The session has no conversations: its members kept no tape.")
		}
		return
	}
	for _, e := range v.log.Entries[:v.settled] {
		a, ok := e.Answered()
		if !ok {
			continue
		}
		found, listed := v.tapes[e.Actor]
		l, ended := v.lines[placed{e.Actor, a.Ask, settled}]
		switch {
		case !listed:
			c.find("Event %s records an answer of %s, but there is no %s.", e.ID, e.Actor, conversation.FileName(e.Actor))
		case found == nil, e.Said() == nil: // it was reported; or it is a fault, which may have come before the question
		case !ended:
			c.find("Event %s records an answer to %s, but the conversation of %s has none.", e.ID, a.Ask, e.Actor)
		case l.Role == conversation.RoleFault:
			c.find("Event %s records an answer to %s, but the conversation of %s ends in a fault.", e.ID, a.Ask, e.Actor)
		}
	}
	if len(c.Findings) == 0 && v.follows {
		v.retrace(c)
	}
}

// sorted ranges over a map in the order of its keys.
func sorted[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
