package verify

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
)

// rewrite writes the log from its facts and compares it, event by event and then byte by byte: consequences come from
// the rules, and replies from the conversations that are kept.
func (v *verification) rewrite(c *Check) {
	started, ok := wire.Started(v.log.Entries)
	if !ok || started.Rules != rules.Version {
		c.find("The session follows other rules than version %d, so this version of council cannot replay it.", rules.Version)
		return
	}
	v.readTapes(c)
	r := v.retrace(c)
	from := fmt.Sprintf("%s drawn by the rules, %s read again in the conversations, %s taken from the log",
		plural.Things(r.consequences, "consequence"), plural.Things(r.replied, "reply", "replies"),
		plural.Things(len(r.events)-r.consequences-r.replied, "other fact"))
	events := plural.Things(len(r.events), "event")
	if slices.ContainsFunc(v.log.Entries, func(e wire.Entry) bool { return e.Forgotten }) {
		c.Looked = fmt.Sprintf("%s decided again: %s.", events, from)
		v.noteForgotten(c)
		c.note("So %s cannot be written again byte for byte, and is not compared with what comes out.", wire.File)
		return
	}
	c.Looked = fmt.Sprintf("%s written again, and compared byte for byte with %s: %s.", events, wire.File, from)
	if len(c.Findings) > 0 {
		return
	}
	again := &wire.Log{Session: v.ID}
	for i, e := range v.log.Entries {
		if _, _, err := again.Next(r.events[i], e.Time, e.Salt); err != nil {
			c.find("Event %s cannot be written again: %v.", e.ID, err)
			return
		}
	}
	if text, err := again.Text(); err != nil || !bytes.Equal(v.data[:v.log.Good], text[:len(text)-len("\n]")]) {
		c.find("%s is not byte for byte what comes out again.", wire.File)
	}
}

// retrace decides the log again, event by event. For each question it compares the prompt with that on the tape, and
// the reply on the tape with the event that followed. A prompt that differs is due to another version of council and is
// noted; an event that differs is a finding.
func (v *verification) retrace(c *Check) *retracing {
	r := &retracing{verification: v, check: c, writers: map[council.MemberID]*prompt.Conversation{},
		opened: map[council.AskID]bool{}}
	for i, e := range v.log.Entries {
		e.Event = v.events[i]
		due, err := e.Event, error(nil)
		if i == 0 {
			r.session, err = rules.Replay(rules.Log(e.Event))
		} else {
			due = r.step(e)
			err = r.session.Apply(e.Event)
		}
		if err != nil {
			c.find("Event %s does not follow: %v.", e.ID, err)
			return r
		}
		r.events = append(r.events, due)
	}
	r.noteOpenQuestions()
	for _, m := range slices.Sorted(maps.Keys(v.beside.tapes)) {
		for _, l := range linesOf(v.beside.tapes[m]) {
			if l.Role == conversation.RoleUser && !r.opened[l.Ask] { // it was put, so the log had come to it once
				c.find("%s was asked %s, and the log does not come to it: the log has been cut short.", m, l.Ask)
				break
			}
		}
	}
	if r.foreign > 0 {
		c.note("%d of %d questions are not worded as this version of council would word them.", r.foreign, r.asked)
	}
	if r.lost > 0 {
		c.note("%s of the conversations cannot be compared any more, because words of them were forgotten.",
			plural.Things(r.lost, "question or reply", "questions and replies"))
	}
	return r
}

type retracing struct {
	*verification
	check   *Check
	session *rules.Session // nil before the first event
	writers map[council.MemberID]*prompt.Conversation
	opened  map[council.AskID]bool // every question that was open at some time
	events  []council.Event        // as they were decided again

	consequences, replied int // of these events
	asked, foreign        int // questions that were compared; those whose prompt differs
	lost                  int // questions and replies that lost words
}

// step returns the event that should have followed: a consequence by the rules, the reply on the tape, or else the fact
// on record.
func (r *retracing) step(e wire.Entry) council.Event {
	ready := r.noteOpenQuestions()
	if ready.Event != nil {
		r.consequences++
		return *ready.Event
	}
	a, _ := e.Answered()
	i := slices.IndexFunc(ready.Asks, func(open council.Ask) bool { return open.ID == a.Ask })
	if i < 0 || int(e.Seq) > r.settled { // Apply refuses an answer without an ask; or the tape was read before its reply
		return e.Event
	}
	view := r.session.View(ready.Asks[i])
	r.comparePrompt(view, e.Actor)
	line, ok := r.lines[placed{e.Actor, a.Ask, conversation.RoleAssistant}]
	switch {
	case !ok || e.Body() == nil: // a fault
		r.checkRefused(e, a)
		return e.Event
	case line.Forgotten:
		r.lost++
		return e.Event
	}
	r.replied++
	return r.compareReply(view, e, a, line)
}

func (r *retracing) noteOpenQuestions() council.Ready {
	ready := r.session.Ready()
	for _, a := range ready.Asks {
		r.opened[a.ID] = true
	}
	return ready
}

func (r *retracing) comparePrompt(view council.View, member council.MemberID) {
	line, ok := r.lines[placed{member, view.Ask.ID, conversation.RoleUser}]
	r.writers[member] = cmp.Or(r.writers[member], prompt.NewConversation(prompt.Limits{}))
	switch {
	case !ok:
	case line.Forgotten:
		r.lost++
	default:
		if r.asked++; r.writers[member].Next(view).Digest != line.PromptSHA256 {
			r.foreign++
		}
	}
}

// compareReply returns the event that the reply on the tape should have become.
func (r *retracing) compareReply(view council.View, e wire.Entry, a council.Answered,
	line conversation.Line) council.Event {
	line, body, err := r.usedReply(view, e, line)
	r.checkRefused(e, a)
	if err != nil {
		r.check.find("Event %s records an answer, but the reply on the tape is unusable: %v.", e.ID, err)
		return e.Event
	}
	due, err := r.session.Answer(a.Reply(line.Completion().Mark(body)))
	if err != nil {
		r.check.find("Event %s records an answer, but the rules refuse the reply on the tape: %v.", e.ID, err)
		return e.Event
	}
	left, err := wire.JSON(due)
	right, failed := wire.JSON(e.Event)
	if err != nil || failed != nil || due.Type() != e.Type() || !bytes.Equal(left, right) {
		r.check.find("Event %s does not say what the reply on the tape says.", e.ID)
	}
	return due
}

func (r *retracing) repliesTo(member council.MemberID, ask council.AskID) []conversation.Line {
	return slices.DeleteFunc(slices.Clone(linesOf(r.beside.tapes[member])), func(l conversation.Line) bool {
		return l.Ask != ask || l.Role != conversation.RoleAssistant
	})
}

// usedReply returns the reply on the tape from which an event was read, and its body: the last one, or an earlier one
// that was preferred to a repair, as may happen with a summary or a draft. The error is that of the last.
func (r *retracing) usedReply(view council.View, e wire.Entry, last conversation.Line) (conversation.Line, council.Body,
	error) {
	body, err := prompt.Parse(view, last.Completion().Text)
	written, drafted := e.Payload.(council.DraftWritten)
	if _, summarised := e.Payload.(council.SummaryWritten); !summarised && !drafted {
		return last, body, err
	}
	a, _ := e.Answered()
	for _, l := range slices.Backward(r.repliesTo(e.Actor, a.Ask)) {
		found, bad := prompt.Parse(view, l.Completion().Text)
		draft, is := found.(council.Draft)
		if errors.Is(bad, prompt.ErrNamesNothing) || is && drafted && council.Digest(draft.Markdown) == written.SHA256 &&
			(bad == nil || errors.Is(bad, prompt.ErrLacksSections)) {
			return l, found, nil
		}
		if bad == nil && !drafted {
			break
		}
	}
	return last, body, err
}

// checkRefused checks that the replies which an event records as refused are on the tape.
func (r *retracing) checkRefused(e wire.Entry, a council.Answered) {
	for _, one := range a.Refused {
		found := slices.ContainsFunc(r.repliesTo(e.Actor, a.Ask), func(l conversation.Line) bool {
			return l.Forgotten || prompt.RefusedDraft(one.Try, l.Completion().Text, "").Text == one.Text
		})
		if !found && !e.Forgotten && r.beside.tapes[e.Actor] != nil {
			r.check.find("Event %s records a refused reply that is not on the tape.", e.ID)
		}
	}
}

// placed finds a line of a conversation: the first try of a question, the last reply to it, or, with the role settled,
// its last line of any kind.
type placed struct {
	member council.MemberID
	ask    council.AskID
	role   conversation.Role
}

const endOf conversation.Role = "settled"

// readTapes finds the lines of every conversation, and checks that no reply comes without its question.
func (v *verification) readTapes(c *Check) {
	if err := v.beside.failed[""]; err != nil {
		c.find("The conversations cannot be read: %v.", err)
	}
	for _, m := range slices.Sorted(maps.Keys(v.beside.tapes)) {
		found, err := v.beside.tapes[m], v.beside.failed[m]
		switch {
		case errors.Is(err, chain.ErrDamaged):
			c.find("%v.", err)
			continue
		case err != nil:
			c.find("%s cannot be read: %v.", conversation.FileName(m), err)
			continue
		case found.Torn:
			v.noteTorn(c, conversation.FileName(m))
		}
		for _, call := range found.Calls() {
			if put := call.Put; put != nil && put.Try == 1 {
				v.lines[placed{m, put.Ask, conversation.RoleUser}] = *put
			}
			end := call.End
			if end == nil {
				continue
			}
			if call.Put == nil {
				c.find("Line %d of %s answers %s, try %d, which was not asked.", call.Line, conversation.FileName(m), end.Ask,
					end.Try)
			}
			v.lines[placed{m, end.Ask, end.Role}], v.lines[placed{m, end.Ask, endOf}] = *end, *end
		}
	}
}

func linesOf(found *conversation.Log) []conversation.Line {
	if found == nil {
		return nil
	}
	return found.Lines
}

// checkConversations compares the conversations with the events: each recorded answer has its question and its reply.
func (v *verification) checkConversations(c *Check) {
	v.readTapes(c)
	if len(v.beside.tapes) == 0 {
		if len(c.Findings) == 0 {
			c.note("The session has no conversations: its members kept no tape.")
		}
		return
	}
	v.checkAnswers(c)
	if len(c.Findings) == 0 && v.follows {
		v.retrace(c)
	}
}

// checkAnswers looks up every recorded answer in the conversations, except those that were recorded while these were
// read.
func (v *verification) checkAnswers(c *Check) {
	for _, e := range v.log.Entries[:v.settled] {
		a, ok := e.Answered()
		if !ok {
			continue
		}
		found, listed := v.beside.tapes[e.Actor]
		l, ended := v.lines[placed{e.Actor, a.Ask, endOf}]
		switch {
		case e.Body() == nil: // a fault, which may have come before the question
		case !listed:
			c.find("Event %s records an answer of %s, but there is no %s.", e.ID, e.Actor, conversation.FileName(e.Actor))
		case found == nil: // it was reported
		case !ended:
			c.find("Event %s records an answer to %s, but the conversation of %s has none.", e.ID, a.Ask, e.Actor)
		case l.Role == conversation.RoleFault:
			c.find("Event %s records an answer to %s, but the conversation of %s ends in a fault.", e.ID, a.Ask, e.Actor)
		}
	}
}
