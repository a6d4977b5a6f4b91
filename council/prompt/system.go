package prompt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

// systemOf returns the part before the conversation; own says whether the member is told its own memory.
func systemOf(v council.View, own bool) System {
	return System{Shared: shared(v), Persona: persona(v, own)}
}

// shared tells what is the same for all members: charter, rules, topic and documents. It depends on nothing else.
func shared(v council.View) string {
	type document struct {
		Name  string
		Lines int
		Text  string
		Left  int // of a note: characters that had no room
	}
	data := struct {
		*council.Charter
		Seated    []*council.Member
		Topic     string
		Documents []document
		Notes     []document
		Memory    *memory
		Reopens   *council.Reopened
	}{Charter: v.Charter, Topic: strings.TrimSpace(hostile.Clean(v.Topic.Text)), Memory: memoryOf(v, "")}
	for _, id := range v.Charter.Seats() {
		data.Seated = append(data.Seated, v.Charter.Member(id))
	}
	fence := dataFence(v.Session)
	for _, d := range v.Topic.Documents {
		text, lines := numbered(d.Text)
		if d.Note != nil {
			text = fence.neutral(strings.TrimSpace(text))
			data.Notes = append(data.Notes, document{fence.file(d.Name), lines, text, d.Note.Left})
			continue
		}
		data.Documents = append(data.Documents, document{fence.file(d.Name), lines, fence.wrap(text), 0})
	}
	if r := v.Topic.Reopens; r != nil {
		told := council.EditTexts(*r, func(_ council.TextKind, text string) string { return fence.wrap(text) })
		told.Closed, told.Record = hostile.Line(r.Closed), fence.file(r.Record)
		if r.Draft != "" {
			told.Draft = fence.file(r.Draft)
		}
		told.Because = strings.TrimSpace(hostile.Clean(r.Because)) // the words of the person who convened
		data.Reopens = &told
	}
	return words("shared", data)
}

// numbered writes the number of each line before it: members quote documents by line. The lines are those that the
// session counts when it checks a citation.
func numbered(text string) (string, int) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		// A line end within the line, such as a lone carriage return, is none that the session counts.
		line = strings.ReplaceAll(hostile.Clean(strings.TrimSuffix(line, "\r")), "\n", " ")
		fmt.Fprintf(&b, "%d| %s\n", i+1, line)
	}
	return b.String(), len(lines)
}

// persona tells who the member is and how it is to answer.
func persona(v council.View, own bool) string {
	type focus struct{ Name, Weight string }
	m := v.Seat
	if m == nil {
		m = &council.Member{ID: v.Ask.Member}
	}
	data := struct {
		*council.Member
		Focus  []focus
		Memory *memory
		Lookup *lookup
		Token  string
	}{Member: m, Lookup: lookupOf(v, m), Token: peerFence(v.Session, v.Ask.Member).token}
	if own {
		data.Memory = memoryOf(v, v.Ask.Member)
	}
	for _, name := range m.Focuses() {
		data.Focus = append(data.Focus, focus{name, strconv.FormatFloat(m.FocusWeights[name], 'g', -1, 64)})
	}
	return words("persona", data)
}

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
