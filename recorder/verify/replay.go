package verify

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
)

// Replay writes the log of a session again and compares: only facts are taken from the record, and replies from the
// conversations where they are kept; every consequence is drawn by the rules. The errors are those of [Session].
func Replay(s Subject) (Report, error) {
	v, damage, err := begin(s)
	if err != nil {
		return Report{}, err
	}
	r := Report{Session: s.ID, Events: len(v.log.Entries), Writer: v.writer}
	if damage != nil {
		r.Checks = append(r.Checks, v.chain(damage))
	} else {
		again := v.again()
		r.Checks = append(r.Checks, again, v.derived())
	}
	if !r.OK() {
		return r, fmt.Errorf("%w: session %s does not replay", chain.ErrDamaged, s.ID)
	}
	return r, nil
}

// replaying writes a log again.
type replaying struct {
	session *rules.Session
	writer  *wire.Writer
	text    []byte
	replies map[placed]conversation.Line
	settled int // events whose replies have to be in the conversations

	consequences, replied, facts int
}

// again writes the log from its facts and compares it, event by event and then byte by byte. What was rendered from the
// log is then compared with what the log written again renders to.
func (v *verification) again() Check {
	c := looked(Integrity, "events", "")
	started, ok := wire.Started(v.log.Entries)
	if !ok || started.Rules != rules.Version {
		c.find("The session follows other rules than version %d, so this version of council cannot replay it.", rules.Version)
		return c
	}
	p := &replaying{writer: wire.NewWriter(v.ID), text: []byte(wire.Empty), replies: v.replies(&c), settled: v.settled}
	whole := !v.lost() // else the log cannot be written as it was
	var entries []wire.Entry
	for i, e := range v.log.Entries {
		e.Event = v.events[i]
		written, err := p.step(e, whole)
		if err != nil {
			c.find("Event %s does not come out again: %v.", e.ID, err)
			break
		}
		entries = append(entries, written)
	}
	events := plural.Things(len(entries), "event")
	if !whole {
		c.Looked = fmt.Sprintf("%s decided again: %s.", events, p.counted())
		v.forgotten(&c)
		c.note("So %s cannot be written again byte for byte, and is not compared with what comes out.", wire.File)
		return c
	}
	c.Looked = fmt.Sprintf("%s written again, and compared byte for byte with %s: %s.", events, wire.File, p.counted())
	if len(c.Findings) > 0 {
		return c
	}
	if !bytes.Equal(v.data[:v.log.Good], p.text[:len(p.text)-len("\n]")]) {
		c.find("%s is not byte for byte what comes out again.", wire.File)
	}
	v.log.Entries = entries
	return c
}

// step decides the event that should follow, compares it with the one on record and takes it in. When the log is whole,
// it also writes the event, with the time and the salt that it has on record.
func (p *replaying) step(e wire.Entry, whole bool) (wire.Entry, error) {
	due, err := p.next(e)
	if err == nil {
		err = same(due, e.Event)
	}
	if err == nil {
		err = p.apply(due)
	}
	if err != nil || !whole {
		return e, err
	}
	entry, text, err := p.writer.Next(due, e.Time, e.Salt)
	if err == nil {
		p.text = append(p.text[:len(p.text)-wire.Over], text...)
	}
	return entry, err
}

// same returns an error when an event that came out differs from the one on record.
func same(due, recorded council.Event) error {
	if due.Seq == recorded.Seq && due.Phase == recorded.Phase && due.Round == recorded.Round &&
		due.Turn == recorded.Turn && due.Actor == recorded.Actor && sameOnPaper(due, recorded) {
		return nil
	}
	return fmt.Errorf("the log has a %s there, and it comes out as another event (%s)", recorded.Type(), due.Type())
}

// counted tells where the events came from.
func (p *replaying) counted() string {
	return fmt.Sprintf("%s drawn by the rules, %s read again in the conversations, %s taken from the log",
		plural.Things(p.consequences, "consequence"), plural.Things(p.replied, "reply", "replies"),
		plural.Things(p.facts, "other fact"))
}

// next returns the event that should follow: a consequence by the rules, the reply on the tape, or else the
// fact itself.
func (p *replaying) next(e wire.Entry) (council.Event, error) {
	if p.session == nil {
		p.facts++
		return e.Event, nil
	}
	ready := p.session.Ready()
	if ready.Event != nil {
		p.consequences++
		return *ready.Event, nil
	}
	a, answered := e.Answered()
	fault := e.Said() == nil
	line, taped := p.replies[placed{e.Actor, a.Ask, conversation.RoleAssistant}]
	if !answered || fault || !taped || e.Forgotten || line.Forgotten || int(e.Seq) > p.settled {
		p.facts++
		return e.Event, nil // Apply decides it again
	}
	i := slices.IndexFunc(ready.Asks, func(open council.Ask) bool { return open.ID == a.Ask })
	if i < 0 {
		return council.Event{}, fmt.Errorf("%s was not asked then", a.Ask)
	}
	body, err := prompt.Parse(p.session.View(ready.Asks[i]), line.Completion().Text)
	if err != nil {
		return council.Event{}, err
	}
	p.replied++
	return p.session.Answer(a.Reply(body))
}

// apply takes an event into the session, or begins it.
func (p *replaying) apply(due council.Event) (err error) {
	if p.session == nil {
		p.session, err = rules.Replay(rules.Log(due))
		return err
	}
	return p.session.Apply(due)
}

// replies returns the last reply to each ask on every tape.
func (v *verification) replies(c *Check) map[placed]conversation.Line {
	found := map[placed]conversation.Line{}
	members, err := conversation.Members(v.Files)
	if err != nil {
		c.find("The conversations cannot be read: %v.", err)
	}
	for _, m := range members {
		t, err := conversation.Read(v.Files, v.ID, m)
		if err != nil {
			c.find("The conversation of %s cannot be read: %v.", m, err)
			continue
		}
		for _, l := range t.Lines {
			if l.Role == conversation.RoleAssistant {
				found[placed{m, l.Ask, l.Role}] = l
			}
		}
	}
	return found
}
