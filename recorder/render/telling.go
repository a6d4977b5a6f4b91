package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// telling is an event as the templates of the reports see it, with the session up to it.
type telling struct {
	*session
	P         council.Payload // with a mark behind each citation that did not hold; nil if it was erased
	ID        string          // "e12"
	Actor     council.MemberID
	At        time.Time
	Forgotten bool // words of it were erased

	event      council.Event
	transcript bool // it is for the transcript
}

// telling returns an event for a report other than the transcript.
func (s *session) telling(e council.Event) *telling {
	e = s.Marked(e)
	return &telling{session: s, P: e.Payload, ID: e.Seq.ID(), Actor: e.Actor, event: e}
}

// Tellings returns several events as telling does.
func (s *session) Tellings(events []council.Event) []*telling { return council.Map(events, s.telling) }

// definitions returns the templates of the event in the transcript. A sealed event, and one without a template, only
// begins its section.
func (t *telling) definitions() []string {
	switch {
	case t.P == nil:
		return []string{"erased", "aside"}
	case t.event.Sealed() || !wording.Has(t.Type()):
		return []string{"section", "aside"}
	}
	return []string{"section", t.Type(), "aside"}
}

// Type returns the type of the event.
func (t *telling) Type() string { return string(t.event.Type()) }

// Level returns the marks of a heading: one level below that of the report, or, in the transcript, of the section or
// round that the event belongs to.
func (t *telling) Level() markdown {
	switch {
	case !t.transcript:
		return "##"
	case t.event.Round > 0:
		return "####"
	}
	return "###"
}

// Enter begins a section of the transcript and returns its heading, or "" if the section is under way.
func (t *telling) Enter(section string) markdown {
	if t.section == section {
		return ""
	}
	t.section = section
	return "## " + hostile.Inlined(section)
}

// Repeated names the reply that a ballot repeats: a position, or an earlier ballot.
func (t *telling) Repeated() string {
	ballot, _ := t.P.(council.RankingCast)
	repeats := council.Find(t.Events, func(e council.Event) bool { return e.Seq == ballot.From })
	if repeats != nil && repeats.Type() == "POSITION_SEALED" {
		return "position"
	}
	return "ballot"
}

// Who returns the actor's name.
func (t *telling) Who() markdown { return t.Name(t.Actor) }

// Speaker returns the actor's name and role.
func (t *telling) Speaker() markdown {
	role := markdown("")
	if m := t.Started.Charter.Member(t.Actor); m != nil {
		role = hostile.Inlined(hostile.Shorten(hostile.Line(m.Role), 80))
	}
	if t.Leader != nil && t.Leader.Member == t.Actor {
		role = markdown(strings.TrimPrefix(string(role)+", leader", ", "))
	}
	if role == "" {
		return t.Who()
	}
	return t.Who() + " (" + role + ")"
}

// Asked returns the kind of ask that the event answers, or "".
func (t *telling) Asked() council.AskKind {
	r, _ := t.event.Reply()
	return r.Ask.Kind()
}

// Answers returns the answers of the last count.
func (t *telling) Answers() []*telling {
	answers := t.Tellings(t.Heard)
	for _, a := range answers {
		a.transcript = t.transcript
	}
	return answers
}

// Shortened returns the fields of a reply that were too long and were cut.
func (t *telling) Shortened() []council.Shortened {
	a, _ := t.event.Answered()
	return a.Shortened
}

// Refused returns the replies to the event's question that were not taken as a document.
func (t *telling) Refused() []minutes.RefusedDraft {
	a, _ := t.event.Answered()
	return council.Map(a.Refused, func(one council.RefusedDraft) minutes.RefusedDraft {
		return minutes.RefusedDraft{RefusedDraft: one, Version: a.Ask.Version(), By: t.event.Actor, Seq: t.event.Seq}
	})
}

// Cited returns the events that the draft cites.
func (t *telling) Cited() []council.Event {
	p, _ := t.P.(council.DraftWritten)
	return minutes.CitedIn(t.Events, p.Markdown, t.event.Seq)
}

// Tied names the candidates that had as many votes as the leader, if it was not the only one.
func (t *telling) Tied() markdown {
	p, ok := t.P.(council.LeaderElected)
	var tied []markdown
	for _, v := range p.Votes {
		if ok && v.Votes == p.Votes[0].Votes {
			tied = append(tied, t.Name(v.Candidate))
		}
	}
	if len(tied) < 2 {
		return ""
	}
	last := len(tied) - 1
	return join(tied[:last], ", ") + " and " + tied[last]
}

// Assessment returns the leader's assessment of the phase that ends, or nil.
func (t *telling) Assessment() *telling {
	v := t.Visit()
	if v == nil || v.Assessment == nil {
		return nil
	}
	return t.telling(*v.Assessment)
}

// Deliverable returns a deliverable of the phase that ends, or nil.
func (t *telling) Deliverable(id string) *council.Deliverable {
	phase := cmp.Or(t.Started.Charter.Phase(t.Visit().Phase), &council.Phase{})
	return council.Find(phase.Deliverables, func(d council.Deliverable) bool { return d.ID == id })
}

// Claim returns the leader's claim on a deliverable, or a quality gate, of the phase that ends. It names it by its id,
// or as "gate-2" by its place.
func (t *telling) Claim(on council.Finding, place int, gate bool) markdown {
	a := t.Assessment()
	if a == nil {
		return ""
	}
	claims := a.P.(council.PhaseAssessed).Deliverables
	if gate {
		claims = a.P.(council.PhaseAssessed).QualityGates
	}
	claim := council.Find(claims, func(c council.Claim) bool {
		id := strings.TrimSpace(c.ID)
		return strings.EqualFold(id, strings.TrimSpace(on.ID)) || strings.EqualFold(id, "gate-"+strconv.Itoa(place+1))
	})
	switch {
	case claim == nil:
		return ""
	case claim.Met:
		return cell(claim.Claim, a.ID)
	}
	return markdown(strings.TrimSpace(string(cell(claim.Claim, a.ID)) + " *(not met, says the leader)*"))
}

// Remembered returns the summary of a record that the actor was given.
func (t *telling) Remembered(record string) string {
	given := slices.Concat(t.Started.Reminder("").Records, t.Started.Reminder(t.Actor).Records)
	same := func(r council.Remembered) bool { return r.ID == record }
	return cmp.Or(council.Find(given, same), &council.Remembered{}).Summary
}

// Idle quotes the settlements of a summary that count for nothing.
func (t *telling) Idle() markdown {
	p, ok := t.P.(council.SummaryWritten)
	if !ok {
		return ""
	}
	counts := t.Started.Settled(t.Actor, p.Summary)
	var idle []markdown
	for _, settled := range p.Settles {
		same := func(s council.Settlement) bool { return s.Record == settled.Record }
		if !slices.ContainsFunc(counts, same) && hostile.Line(settled.Record) != "" {
			idle = append(idle, markdown(quoted(settled.Record, 100)))
		}
	}
	return join(idle, ", ")
}

func whyChosen(m *minutes.Motion) markdown {
	return hostile.Inlined(council.WhyChosen(m.Options, m.Choice))
}

type counted struct {
	Why     markdown
	Options []markdown // with none of these as the last
	Rows    []markdown // each option with the number of ballots that prefer it to each of the others, as cells
}

// countOf returns the count of a choice; nil for any other motion, and where its options were erased.
func countOf(m *minutes.Motion) *counted {
	if m == nil || m.Choice == nil || !m.Choice.Counts(len(m.Options)) {
		return nil
	}
	c := &counted{Why: whyChosen(m)}
	for i, o := range council.WithNone(m.Options) {
		name := markdown(strconv.Itoa(i+1)) + ". " + hostile.Inlined(hostile.Shorten(o, 60))
		var cells []markdown
		for j, n := range m.Choice.Prefers[i] {
			cell := markdown(strconv.Itoa(n))
			if i == j {
				cell = "–"
			} else if n > m.Choice.Prefers[j][i] {
				cell = "**" + cell + "**"
			}
			cells = append(cells, cell)
		}
		c.Options, c.Rows = append(c.Options, name), append(c.Rows, name+" | "+join(cells, " | "))
	}
	return c
}

// Moved reports whether the actor moved the motion.
func (t *telling) Moved(id council.MotionID) bool {
	m := t.Motion(id)
	return m != nil && m.Mover == t.Actor
}

// mark marks a person's words; empty ones get no marks.
func mark(mark, words string) markdown {
	if shown := hostile.Inlined(words); shown != "" {
		return markdown(mark) + shown + markdown(mark)
	}
	return ""
}

// difference returns the words after a change, with the deleted and inserted ones marked.
func difference(before, after string) markdown {
	var runs []markdown
	for _, c := range Changes(strings.Fields(before), strings.Fields(after)) {
		runs = append(runs, mark("~~", strings.Join(c.Gone, " ")), mark("**", strings.Join(c.Come, " ")),
			hostile.Inlined(strings.Join(c.Kept, " ")))
	}
	return join(slices.DeleteFunc(runs, func(m markdown) bool { return m == "" }), " ")
}

// Change is a difference between two texts: the words before and after it, and those that both have next.
type Change struct{ Gone, Come, Kept []string }

// maxCompared bounds the work of a comparison: beyond it everything went, and everything came.
const maxCompared = 1 << 22

// Changes compares two lists of words or lines by their longest common subsequence. The first change is only what they
// have in common at the beginning.
func Changes(before, after []string) []Change {
	var kept, trail int
	for kept < min(len(before), len(after)) && before[kept] == after[kept] {
		kept++
	}
	a, b := before[kept:], after[kept:]
	for trail < min(len(a), len(b)) && a[len(a)-1-trail] == b[len(b)-1-trail] {
		trail++
	}
	changes := []Change{{Kept: before[:kept]}}
	a, b = a[:len(a)-trail], b[:len(b)-trail]
	if len(a)*len(b) > maxCompared {
		return append(changes, Change{a, b, before[len(before)-trail:]})
	}
	longest := make([][]uint16, len(a)+1) // of the words from a place on
	for i := range longest {
		longest[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	i, j := 0, 0
	same := func() bool { return i < len(a) && j < len(b) && a[i] == b[j] }
	for i < len(a) || j < len(b) {
		var c Change
		for (i < len(a) || j < len(b)) && !same() {
			if j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1] {
				c.Gone = append(c.Gone, a[i])
				i++
			} else {
				c.Come = append(c.Come, b[j])
				j++
			}
		}
		for ; same(); i, j = i+1, j+1 {
			c.Kept = append(c.Kept, a[i])
		}
		changes = append(changes, c)
	}
	if last := &changes[len(changes)-1]; trail > 0 {
		last.Kept = append(last.Kept[:len(last.Kept):len(last.Kept)], before[len(before)-trail:]...)
	}
	return changes
}
