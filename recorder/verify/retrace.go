package verify

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

// retrace puts every question again, to the tapes: it writes the prompt, and reads the reply on the tape into the event
// that should have followed. A prompt that differs is a matter of the version of council and is noted; an event that
// differs is not.
func (v *verification) retrace(c *Check, tapes map[council.MemberID]*conversation.Log) {
	s, err := rules.Replay(rules.Log(v.events[0]))
	if err != nil {
		c.find("The log cannot be decided again: %v.", err)
		return
	}
	r := retracing{
		check: c, session: s, settled: v.settled, writers: map[council.MemberID]*prompt.Conversation{},
		lines: map[placed]conversation.Line{}, opened: map[council.AskID]bool{},
	}
	for m, found := range tapes {
		for _, l := range found.Lines {
			if l.Role == conversation.RoleUser && l.Try == 1 || l.Role == conversation.RoleAssistant {
				r.lines[placed{m, l.Ask, l.Role}] = l // of several tries the last reply counts
			}
		}
	}
	for i, e := range v.log.Entries[1:] {
		e.Event = v.events[i+1]
		r.step(e)
		if err := s.Apply(e.Event); err != nil {
			c.find("Event %s does not follow: %v.", e.ID, err)
			return
		}
	}
	r.look()
	r.unasked(tapes)
	if r.foreign > 0 {
		c.note("%d of %d questions are not worded as this version of council would word them.", r.foreign, r.asked)
	}
	if r.lost > 0 {
		c.note("%s of the conversations cannot be compared any more, because words of them were forgotten.",
			plural.Things(r.lost, "question or reply", "questions and replies"))
	}
}

// placed finds a line of a conversation.
type placed struct {
	member council.MemberID
	ask    council.AskID
	role   conversation.Role
}

// retracing walks through the log and compares it with the tapes.
type retracing struct {
	check   *Check
	session *rules.Session
	writers map[council.MemberID]*prompt.Conversation
	lines   map[placed]conversation.Line
	opened  map[council.AskID]bool // every question that was open at some time
	settled int                    // events whose replies have to be in the conversations
	asked   int
	foreign int // questions whose prompt differs
	lost    int // questions and replies of which words were forgotten
}

// step retraces the answer that an event records, if it records one.
func (r *retracing) step(e wire.Entry) {
	asks := r.look()
	a, ok := e.Answered()
	if !ok {
		return
	}
	i := slices.IndexFunc(asks, func(open council.Ask) bool { return open.ID == a.Ask })
	if i < 0 {
		return // Apply will refuse the event
	}
	if int(e.Seq) > r.settled {
		return // its reply came after the conversation was read
	}
	view := r.session.View(asks[i])
	r.question(view, e.Actor)
	if e.Said() != nil {
		r.reply(view, e, a)
	}
}

// look notes which questions are open now.
func (r *retracing) look() []council.Ask {
	asks := r.session.Ready().Asks
	for _, a := range asks {
		r.opened[a.ID] = true
	}
	return asks
}

// unasked looks for questions on the tapes to which the log has not come: they were put, so it had come to them once.
func (r *retracing) unasked(tapes map[council.MemberID]*conversation.Log) {
	for m, found := range sorted(tapes) {
		for _, l := range found.Lines {
			if l.Role == conversation.RoleUser && !r.opened[l.Ask] {
				r.check.find("%s was asked %s, and the log does not come to it: the log has been cut short.", m, l.Ask)
				break
			}
		}
	}
}

// question compares the prompt on the tape with the one that would be sent now.
func (r *retracing) question(view council.View, member council.MemberID) {
	line, ok := r.lines[placed{member, view.Ask.ID, conversation.RoleUser}]
	if !ok {
		return
	}
	writer := r.writers[member]
	if writer == nil {
		writer = prompt.NewConversation(prompt.Limits{})
		r.writers[member] = writer
	}
	if line.Forgotten {
		r.lost++
		return
	}
	r.asked++
	if writer.Next(view).Digest != line.PromptSHA256 {
		r.foreign++
	}
}

// reply reads the reply on the tape into the event that it should have become.
func (r *retracing) reply(view council.View, e wire.Entry, a council.Answered) {
	line := r.lines[placed{e.Actor, a.Ask, conversation.RoleAssistant}]
	if line.Forgotten {
		r.lost++
		return
	}
	body, err := prompt.Parse(view, line.Completion().Text)
	if err != nil {
		r.check.find("Event %s records an answer, but the reply on the tape is unusable: %v.", e.ID, err)
		return
	}
	due, err := r.session.Answer(a.Reply(body))
	if err != nil {
		r.check.find("Event %s records an answer, but the rules refuse the reply on the tape: %v.", e.ID, err)
		return
	}
	if e.Forgotten { // the reply would have lost its words first, had they been in it
		due.Payload, e.Payload = expunge.Bones(due.Payload), expunge.Bones(e.Payload)
	}
	if !sameOnPaper(due, e.Event) {
		r.check.find("Event %s does not say what the reply on the tape says.", e.ID)
	}
}

// sameOnPaper reports whether two events are written alike: an empty list and none are.
func sameOnPaper(a, b council.Event) bool {
	left, err := wire.JSON(a)
	if err != nil {
		return false
	}
	right, err := wire.JSON(b)
	return err == nil && a.Type() == b.Type() && string(left) == string(right)
}
