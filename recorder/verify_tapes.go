package recorder

import (
	"errors"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/wire"
)

// conversations holds the conversations against the events: who answered was asked, and the answer is on the tape.
func (v *verification) conversations() Check {
	c := Check{Name: "conversations", Looked: "The chain of every conversation, and for every recorded answer its question and its reply."}
	members, err := taped(v.files)
	if err != nil {
		c.find("The conversations cannot be read: %v.", err)
		return c
	}
	if len(members) == 0 {
		c.note("The session has no conversations: its members kept no tape.")
		return c
	}
	tapes := map[council.MemberID]*wire.Tape{}
	for _, m := range members {
		if tape := v.tape(&c, m); tape != nil {
			tapes[m] = tape
		}
	}
	v.answers(&c, tapes)
	if len(c.Findings) == 0 && v.follows {
		v.retrace(&c, tapes)
	}
	return c
}

// tape reads one conversation, or says what is wrong with it.
func (v *verification) tape(c *Check, m council.MemberID) *wire.Tape {
	name := conversationsFolder + "/" + string(m) + ".jsonl"
	folder, err := v.files.Folder(conversationsFolder)
	if err != nil {
		c.find("The conversations cannot be opened: %v.", err)
		return nil
	}
	defer folder.Close()
	data, err := atomicfile.Read(folder, string(m)+".jsonl")
	if err != nil {
		c.find("%s cannot be read: %v.", name, err)
		return nil
	}
	tape, err := wire.ScanTape(v.id, m, data)
	if err != nil {
		c.find("%v.", named(name, err))
		return nil
	}
	if tape.Torn {
		c.note("The end of %s is unfinished. Resuming the session repairs it.", name)
	}
	v.order(c, name, tape)
	return tape
}

// order checks that no reply comes without its question.
func (v *verification) order(c *Check, name string, tape *wire.Tape) {
	open := map[asking]bool{}
	for i, l := range tape.Lines {
		key := asking{l.Ask, l.Try}
		switch l.Role {
		case wire.RoleUser:
			open[key] = true
		case wire.RoleAssistant, wire.RoleFault:
			if !open[key] {
				c.find("Line %d of %s answers %s, try %d, which was not asked.", i+1, name, l.Ask, l.Try)
			}
			open[key] = false
		}
	}
}

// answers looks for every recorded answer on the tape of the member that gave it.
func (v *verification) answers(c *Check, tapes map[council.MemberID]*wire.Tape) {
	onTape := map[council.MemberID]map[council.AskID]*wire.TapeLine{}
	for m, tape := range tapes {
		onTape[m] = map[council.AskID]*wire.TapeLine{}
		for i := range tape.Lines {
			if l := &tape.Lines[i]; l.Role == wire.RoleAssistant || l.Role == wire.RoleFault {
				onTape[m][l.Ask] = l
			}
		}
	}
	for _, e := range v.log.Entries {
		a, ok := answered(e)
		if !ok {
			continue
		}
		tape, kept := onTape[e.Actor]
		if !kept {
			v.untaped(c, e)
			continue
		}
		_, fault := e.Payload.(council.MemberFaulted)
		switch l := tape[a.Ask]; {
		case l == nil && fault: // it was given up before it was put
		case l == nil:
			c.find("Event %s records an answer to %s, but the conversation of %s has none.", e.ID, a.Ask, e.Actor)
		case !fault && l.Role == wire.RoleFault:
			c.find("Event %s records an answer to %s, but the conversation of %s ends in a fault.", e.ID, a.Ask, e.Actor)
		}
	}
}

// untaped judges an answer of a member that has no conversation. Members that are no models keep none.
func (v *verification) untaped(c *Check, e wire.Entry) {
	name := string(e.Actor) + ".jsonl"
	if folder, err := v.files.Folder(conversationsFolder); err == nil {
		defer folder.Close()
		if _, err := folder.Lstat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return // it is there and cannot be read, which has been said
		}
	}
	c.find("Event %s records an answer of %s, but there is no %s.", e.ID, e.Actor, name)
}
