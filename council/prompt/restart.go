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
	return bounds{short: min(shortWords, c.limits.KeepBytes/(3*members)), long: min(longWords, c.limits.KeepBytes/12),
		motions: max(1, min(30, c.limits.KeepBytes/500))}
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
	stands, motions := s.place(), s.minutes.Motions
	type line struct{ ID, Who, Text string }
	data := struct {
		*scribe
		From        string
		Memory      bool // not its length, but another rule on memory made it start again
		Told        bool // its own memory
		Shortened   bool
		Short, Long int // characters of a text
		Lasting     []string
		Leader      council.MemberID
		Results     []string
		Motions     []*minutes.Motion
		Phase       *council.Phase // under way
		Summary     *minutes.Summary
		LastWords   []line
	}{
		scribe: s, From: from.ID(), Memory: why == otherMemory, Told: remembers, Shortened: from > 1, Short: most.short,
		Long: most.long, Leader: stands.leader, Results: s.phaseResults(most.long), Phase: stands.phase,
		Motions: motions[max(0, len(motions)-most.motions):], Summary: s.minutes.Summary,
	}
	for _, e := range s.minutes.Events {
		if e.Payload.Row().Lasts {
			lasting := s.entry(e)
			lasting.Short = true
			data.Lasting = append(data.Lasting, lasting.Line())
		}
	}
	for _, id := range s.Charter.Seats() {
		if e, ok := last[id]; ok {
			motion, _ := e.Payload.(council.MotionMade)
			said, _ := e.Payload.(council.ContributionMade)
			text := cmp.Or(said.Message, motion.MotionText, motion.MotionTitle)
			data.LastWords = append(data.LastWords, line{e.Seq.ID(), s.Name(id), s.Cut(text, most.short)})
		}
	}
	return words("restart", data)
}

// Cut returns somebody's words, fenced, and cut to so many characters.
func (s *scribe) Cut(text string, most int) string { return s.Fence(reply.Shorten(text, most)) }

// Result describes the result of a motion.
func (s *scribe) Result(m *minutes.Motion) string {
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
				data.Motions = append(data.Motions, "motion "+m.Event+" carried. "+came+": "+s.Cut(m.Decision, long))
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

// PositionOf names a member's position: by its author, or by its number where it has one.
func (s *scribe) PositionOf(m council.MemberID) string {
	if n := s.pseudonyms; n != nil && m != s.Me {
		return n.title(n.members[m])
	}
	return s.Name(m)
}

// Strongest returns the strongest reason for a side of the division, fenced, or "".
func (a asking) Strongest(side minutes.Side) string {
	p, ok := side.Strongest.Payload.(council.PositionSealed)
	if !ok {
		return ""
	}
	words := p.Position.Position
	if a.Split.Crux == "" && p.ChangeMind != "" {
		words += "\nWhat would change this mind: " + p.ChangeMind
	}
	return a.Fence(words)
}
