package prompt

import (
	"cmp"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt/internal/reply"
)

// The longest text and the longest decision in a digest, in characters.
const shortWords, longWords = 500, 2000

// bounds are those of a digest: of one text, in characters, and the number of motions.
type bounds struct{ short, long, motions int }

// bounds are smaller where KeepBytes is small, to leave room for the newest events.
func (c *Conversation) bounds() bounds {
	members := max(1, len(c.scribe.Charter.Members))
	return bounds{
		short:   min(shortWords, c.limits.KeepBytes/(3*members)),
		long:    min(longWords, c.limits.KeepBytes/12),
		motions: max(1, min(30, c.limits.KeepBytes/500)),
	}
}

// cause is why a conversation restarts.
type cause int

// The causes. The second: the phase has another rule than the one before on showing members their own memory.
const (
	goesOn cause = iota
	grewLong
	otherMemory
)

// restart returns the first message of a restarted conversation, without its question: a digest of the record, then
// the newest events in full. It is a function of the log up to the question's AsOf.
func (c *Conversation) restart(v council.View, q question, at place, why cause) string {
	log := v.Events[:q.asOf]
	from := c.keepFrom(log, at)
	s := newScribe(v, c.pseudonyms)
	s.retell = true
	s.minutes.Follow(log[:from])
	head := s.digest(council.Seq(from+1), why, c.scribe.remembers(at), lastWords(log[:from], log[from:]), c.bounds())
	s.digestedTo = council.Seq(from)
	parts := []string{head}
	for n := range log[from:] {
		if text := s.describeNext(log[:from+n+1]); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// keepFrom returns the index of the first event that a restart shows in full: by KeepBytes, and what is asked about.
func (c *Conversation) keepFrom(log []council.Event, at place) int {
	short := c.bounds().short // the digest is estimated, so that the message stays near KeepBytes
	from, room := len(log), c.limits.KeepBytes-min(c.limits.KeepBytes/3, len(c.scribe.Charter.Members)*(short+60)+4*short)
	for from > 0 {
		if room -= weight(log[from-1]); room < 0 {
			break
		}
		from--
	}
	// A group of blind answers is shown whole or not at all.
	for from < len(log) && log[from].Sealed() {
		from++
	}
	for _, needed := range []council.Seq{at.motionSeq, at.draftSeq} {
		if needed > 0 && (at.phase == nil || needed == at.motionSeq) {
			from = min(from, int(needed)-1)
		}
	}
	return from
}

// lastWords returns each member's last words before the kept events, unless it speaks in those.
func lastWords(before, after []council.Event) map[council.MemberID]council.Event {
	last := map[council.MemberID]council.Event{}
	for _, e := range before {
		switch e.Payload.(type) {
		case council.MotionMade, council.ContributionMade:
			last[e.Actor] = e
		}
	}
	for _, e := range after {
		delete(last, e.Actor)
	}
	return last
}

// digest returns a digest of the events before from; remembers: with the member's own memory.
func (s *scribe) digest(
	from council.Seq, why cause, remembers bool, last map[council.MemberID]council.Event, most bounds,
) string {
	stands := s.place()
	type line struct{ ID, Who, Text, Result string }
	data := struct {
		From      string
		Memory    bool // not its length, but another rule on memory made it start again
		Told      bool // its own memory
		Shortened bool
		Lasting   []string
		Leader    string
		Results   []string
		Motions   []line
		Packet    string
		Summary   *line
		LastWords []line
	}{
		From: from.ID(), Memory: why == otherMemory, Told: remembers, Shortened: from > 1, Results: s.phaseResults(most.long),
		Packet: s.Packet(stands.phase),
	}
	for _, e := range s.minutes.Events {
		if e.Payload.Row().Lasts {
			lasting := s.entry(e)
			lasting.Short = true
			data.Lasting = append(data.Lasting, lasting.Line())
		}
	}
	if stands.leader != "" {
		data.Leader = s.Name(stands.leader)
	}
	motions := s.minutes.Motions
	for _, m := range motions[max(0, len(motions)-most.motions):] {
		mover := "The recorder"
		if m.Mover != "" {
			mover = s.Name(m.Mover)
		}
		data.Motions = append(data.Motions, line{m.Event, mover, s.short(m.Title, most.short), s.result(m)})
	}
	if summary := s.minutes.Summary; summary != nil {
		data.Summary = &line{ID: summary.Event.Seq.ID(), Text: s.short(summary.SummaryMarkdown, most.long)}
	}
	for _, id := range s.Charter.Seats() {
		if e, ok := last[id]; ok {
			motion, _ := e.Payload.(council.MotionMade)
			said, _ := e.Payload.(council.ContributionMade)
			text := cmp.Or(said.Message, motion.MotionText, motion.MotionTitle)
			data.LastWords = append(data.LastWords, line{ID: e.Seq.ID(), Who: s.Name(id), Text: s.short(text, most.short)})
		}
	}
	return words("restart", data)
}

func (s *scribe) short(text string, most int) string { return s.fence.wrap(reply.Shorten(text, most)) }

func (s *scribe) result(m *minutes.Motion) string {
	switch {
	case m.Status == minutes.MotionJoined:
		return "was put as one choice with the others of its round."
	case m.Status == minutes.MotionDied:
		return "died without a second."
	case m.Status == minutes.MotionWithdrawn:
		return "was withdrawn by its mover."
	case m.Choice != nil:
		return s.fence.wrap(council.WhyChosen(m.Options, m.Choice))
	case m.Vote != nil:
		return words("result", *m.Vote)
	}
	return "is before the council."
}

// Name returns a member's name, or "you" for the reader.
func (s *scribe) Name(id council.MemberID) string {
	if id == s.Me {
		return "you"
	}
	return s.nameOf(id)
}

func (s *scribe) phaseResults(long int) []string {
	var lines []string
	for _, v := range s.minutes.Visits {
		if v.End == nil {
			continue
		}
		data := struct {
			Phase    council.PhaseID
			Motions  []string
			Fallback string
			Missing  []string
		}{Phase: v.Phase, Fallback: v.End.Fallback, Missing: v.Missing}
		came := "Decided"
		if !s.Charter.DecidesIn(v.Phase) {
			came = "A finding"
		}
		for _, id := range v.Resolutions {
			if m := s.minutes.Motion(id); m != nil {
				data.Motions = append(data.Motions, "motion "+m.Event+" carried. "+came+": "+s.short(m.Decision, long))
			}
		}
		lines = append(lines, words("phase-result", data))
	}
	return lines
}

// weight estimates the number of characters of an event in words.
func weight(e council.Event) int {
	const line = 90 // the id, the name, the fence
	if wording().Lookup(string(e.Type())) == nil {
		return 0
	}
	switch e.Payload.(type) {
	case council.PhaseStarted, council.PhaseAssessed, council.ReviewGiven: // they have words of ours too
		return 20 * line
	}
	n := line
	for kind, text := range council.Texts(e.Payload) {
		if kind.Prose() || kind == council.TextShort || kind == council.TextOption {
			n += len(text)
		}
	}
	return n
}

// split is what divides a council at the pace auto, before a round on the difference.
type split struct {
	Crux  string // fenced; "" where options are given
	Sides []side
}

// side is an answer that members rank first, with the strongest reason for it.
type side struct {
	Answer    string // fenced
	Members   []string
	Strongest string // its author
	Words     string // fenced
}

// positionOf names a member's position: by its author, or by its number where it has one.
func (s *scribe) positionOf(m council.MemberID) string {
	if n := s.pseudonyms; n != nil && m != s.Me {
		return n.title(n.members[m])
	}
	return s.Name(m)
}

// split returns what divided the council in its last ballot, or nil before a round on the difference.
func (s *scribe) split() *split {
	d := s.minutes.Division()
	if d == nil || s.minutes.Visit().Rounds == 0 {
		return nil
	}
	found := &split{}
	if d.Crux != "" {
		found.Crux = s.fence.wrap(d.Crux)
	}
	for _, held := range d.Sides {
		one := side{Answer: s.fence.wrap(held.Answer), Members: council.Map(held.Members, s.Name)}
		if p, ok := held.Strongest.Payload.(council.PositionSealed); ok {
			words := p.Position.Position
			if d.Crux == "" && p.ChangeMind != "" {
				words += "\nWhat would change this mind: " + p.ChangeMind
			}
			one.Strongest, one.Words = s.positionOf(held.Strongest.Actor), s.fence.wrap(words)
		}
		found.Sides = append(found.Sides, one)
	}
	return found
}
