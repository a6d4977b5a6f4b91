package prompt

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

// memory is a reminder as the templates of the system part see it.
type memory struct {
	Text string // fenced, one line for each record and one for its detail
	Left int
}

// memoryOf returns what the session was given of a memory, the council's or a member's, or nil. It is model output of
// earlier sessions: data, on lines that it cannot break.
func memoryOf(v council.View, of council.MemberID) *memory {
	return reminding(v.Session, openingOf(v).Reminder(of))
}

// Reminding returns what members are told of a reminder, as it stands in the system part of their prompts, or "" when
// there is nothing to be reminded of. Only the token of its fence depends on the session.
func Reminding(session council.SessionID, r council.Reminder) string {
	told := reminding(session, r)
	if told == nil {
		return ""
	}
	return words("memory", told)
}

func reminding(session council.SessionID, r council.Reminder) *memory {
	if len(r.Records) == 0 {
		return nil
	}
	return &memory{Text: dataFence(session).wrap(words("records", r.Records)), Left: r.Left}
}

// openingOf returns the event that opened the session.
func openingOf(v council.View) council.SessionStarted {
	var opening council.SessionStarted
	if len(v.Events) > 0 {
		opening, _ = v.Events[0].Started()
	}
	return opening
}

// remembers reports whether the member has a memory of its own and may be told it at this place.
func (s *scribe) remembers(at place) bool {
	var phase council.PhaseID // the one entered last; "" before the first
	if at.last != nil {
		phase = at.last.ID
	}
	return len(s.opening.Reminder(s.me).Records) > 0 && s.charter.ReadsMemberMemory(phase)
}

// reminded reports whether the member is told anything that it could settle.
func (s *scribe) reminded(at place) bool {
	return len(s.opening.Reminder("").Records) > 0 || s.remembers(at)
}

// recollection is one hit as the templates of the record see it.
type recollection struct {
	ID, Kind, Date string
	Words          string // who said what, fenced
}

// Recollections returns what memory was found to hold.
func (e entry) Recollections() []recollection {
	p, _ := e.P.(council.MemoryRecalled)
	var hits []recollection
	for _, hit := range p.Hits {
		text := hit.Text
		if e.Short {
			text = reply.Shorten(text, shortWords) // in a conversation that starts again
		}
		if speaker := hostile.Line(hit.Speaker); speaker != "" {
			text = speaker + ": " + text
		}
		hits = append(hits, recollection{hit.ID, hit.Kind, hit.Date, e.scribe.fence.wrap(text)})
	}
	return hits
}

// Settled returns the settlements of a summary that count.
func (e entry) Settled() []council.Settlement {
	p, _ := e.P.(council.SummaryWritten)
	return e.scribe.opening.Settled(e.event.Actor, p.Summary)
}
