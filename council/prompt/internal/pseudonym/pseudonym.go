// Package pseudonym hides who is who from the members of a council that calls its peers by pseudonyms.
package pseudonym

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Names stand between one session and its members: what they are sent calls everybody by a pseudonym, as if the charter
// had. It hides names, ids and others' roles where the record gives them; words that members wrote are left as
// they are. The pseudonyms follow from the session's id and the members' ids.
type Names struct {
	prefix  string          // of the ids of pseudonyms
	charter council.Charter // as members may know it
	aliases map[council.MemberID]council.MemberID
	members map[council.MemberID]council.MemberID // the real ids, by alias
}

// prefix begins the ids of a council's pseudonyms. No member's own id begins like that.
func prefix(c *council.Charter) string {
	begins := "member-"
	for slices.ContainsFunc(c.Members, func(m council.Member) bool { return strings.HasPrefix(string(m.ID), begins) }) {
		begins = "the-" + begins
	}
	return begins
}

// Over returns the pseudonyms of the view's session, or nil where its members know one another by name.
func Over(v council.View) *Names {
	if v.Charter == nil || !v.Charter.Deliberation.AnonymizePeers {
		return nil
	}
	h := &Names{prefix(v.Charter), *v.Charter, map[council.MemberID]council.MemberID{}, map[council.MemberID]council.MemberID{}}
	lots := map[[sha256.Size]byte]council.MemberID{}
	for _, m := range h.charter.Members {
		lots[sha256.Sum256([]byte("council pseudonym\x00"+string(v.Session)+"\x00"+string(m.ID)))] = m.ID
	}
	drawn := slices.SortedFunc(maps.Keys(lots), func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	for i, lot := range drawn {
		alias := council.MemberID(h.prefix + strings.ToLower(letters(i)))
		h.aliases[lots[lot]], h.members[alias] = alias, lots[lot]
	}
	h.charter.Members = slices.Clone(h.charter.Members)
	for i, m := range h.charter.Members {
		h.charter.Members[i] = *h.seat(&m)
		h.charter.Members[i].Role = ""
	}
	h.charter.TurnOrder = h.each(h.charter.TurnOrder)
	return h
}

// letters counts A to Z, then AA and on.
func letters(i int) string {
	name := string(rune('A' + i%26))
	if i < 26 {
		return name
	}
	return letters(i/26-1) + name
}

// Alias is the pseudonym of a member; of anybody else, the id itself.
func (h *Names) Alias(id council.MemberID) council.MemberID {
	if alias, ok := h.aliases[id]; ok {
		return alias
	}
	return id
}

func (h *Names) each(ids []council.MemberID) []council.MemberID {
	out := slices.Clone(ids)
	for i := range out {
		out[i] = h.Alias(out[i])
	}
	return out
}

// seat is a member under its pseudonym.
func (h *Names) seat(m *council.Member) *council.Member {
	if m == nil {
		return nil
	}
	out := *m
	out.ID = h.Alias(m.ID)
	out.Name = "Member " + strings.ToUpper(strings.TrimPrefix(string(out.ID), h.prefix))
	return &out
}

// View is what a member may be shown, under pseudonyms; events are those of the view, hidden already.
func (h *Names) View(v council.View, events []council.Event) council.View {
	v.Charter, v.Seat, v.Seats = &h.charter, h.seat(v.Seat), h.each(v.Seats)
	v.Ask.Member, v.Leader = h.Alias(v.Ask.Member), h.Alias(v.Leader)
	if v.Motion != nil {
		motion := *v.Motion
		motion.Mover = h.Alias(motion.Mover)
		v.Motion = &motion
	}
	if v.Draft != nil {
		draft := *v.Draft
		draft.Responses = h.responses(draft.Responses)
		v.Draft = &draft
	}
	v.Blockers, v.Memory, v.Events = h.blockers(v.Blockers), h.reminders(v.Memory), events
	return v
}

// Event is an event under pseudonyms. It shares nothing that it changes.
func (h *Names) Event(e council.Event) council.Event {
	e.Actor = h.Alias(e.Actor)
	switch p := e.Payload.(type) {
	case council.SessionStarted:
		p.Charter, p.Memory = h.charter, h.reminders(p.Memory)
		e.Payload = p
	case council.MemoryRecalled:
		p.Hits = slices.Clone(p.Hits)
		for i := range p.Hits {
			p.Hits[i].Speaker = ""
		}
		e.Payload = p
	case council.LeaderBallotCast:
		p.CandidateID = h.Alias(p.CandidateID)
		e.Payload = p
	case council.LeaderElected:
		p.Leader, p.Ranking, p.Votes = h.Alias(p.Leader), h.each(p.Ranking), slices.Clone(p.Votes)
		for i := range p.Votes {
			p.Votes[i].Candidate = h.Alias(p.Votes[i].Candidate)
		}
		e.Payload = p
	case council.LeaderSucceeded:
		p.From, p.To = h.Alias(p.From), h.Alias(p.To)
		e.Payload = p
	case council.ServerMoved:
		p.Member = h.Alias(p.Member)
		e.Payload = p
	case council.MotionSeconded:
		p.Seconder = h.Alias(p.Seconder)
		e.Payload = p
	case council.ReviewGiven:
		p.CriticalBlockers = h.blockers(p.CriticalBlockers)
		e.Payload = p
	case council.DraftWritten:
		p.Responses = h.responses(p.Responses)
		e.Payload = p
	}
	return e
}

// blocker is the id of a blocker, which says whose it is, under the pseudonym: "d1.member-c.b1" for "d1.skeptic.b1".
func (h *Names) blocker(id string) string {
	parts := strings.Split(id, ".")
	if len(parts) != 3 {
		return id
	}
	return parts[0] + "." + string(h.Alias(council.MemberID(parts[1]))) + "." + parts[2]
}

func (h *Names) blockers(in []council.Blocker) []council.Blocker {
	out := slices.Clone(in)
	for i := range out {
		out[i].ID = h.blocker(out[i].ID)
	}
	return out
}

func (h *Names) responses(in []council.BlockerResponse) []council.BlockerResponse {
	out := slices.Clone(in)
	for i := range out {
		out[i].BlockerID = h.blocker(out[i].BlockerID)
	}
	return out
}

func (h *Names) reminders(in []council.Reminder) []council.Reminder {
	out := slices.Clone(in)
	for i := range out {
		out[i].Member = h.Alias(out[i].Member)
	}
	return out
}

// Lift is an answer as the record holds it: with the members and the blockers that its pseudonyms stand for.
func (h *Names) Lift(v council.View, b council.Body) council.Body {
	switch b := b.(type) {
	case council.Nomination:
		if id, ok := h.members[b.CandidateID]; ok {
			b.CandidateID = id
		}
		return b
	case council.Draft:
		real := map[string]string{}
		for _, blocker := range v.Blockers {
			real[h.blocker(blocker.ID)] = blocker.ID
		}
		for i, r := range b.Responses { // of a body that was only just read
			if id, ok := real[r.BlockerID]; ok {
				b.Responses[i].BlockerID = id
			}
		}
		return b
	}
	return b
}
