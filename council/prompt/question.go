package prompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/quorum"
)

// question is one ask, open or answered, with everything its words depend on.
type question struct {
	kind  council.AskKind
	asOf  council.Seq
	phase council.PhaseID
	round int
	turn  int
}

// asking is a question for its template. The state of the protocol when it was asked is that of the record as far as
// the scribe has read it, so that an old question can be written again.
type asking struct {
	*scribe
	Phase   *council.Phase
	Round   int
	Turn    int             // 0 where all members have theirs at once
	Vote    majority        // of the vote at hand
	Motion  *minutes.Motion // before the council, or nil
	Options []string        // to rank, with none of these; on a turn those that the phase ranks
	Spare   bool            // the member is asked because the seats could not decide
	MayAdd  bool            // the member may add an option

	options []string // to rank, as the record has them
	ranks   []string // the options that the phase under way ranks, as they are known
}

// write returns the question in words, and the forms of its answer.
func (q question) write(s *scribe) (ask string, forms []form.Form) {
	c := s.Charter
	a := asking{scribe: s, Phase: cmp.Or(c.Phase(q.phase), &council.Phase{ID: q.phase}), Round: q.round, Turn: q.turn,
		Motion: s.openMotion()}
	a.Vote = majorityOf(c, a.Phase.Governance)
	if s.Minutes.Visit() != nil {
		a.ranks, a.MayAdd = c.OptionsAt(s.phase(), s.Minutes.Added, council.Seq(len(s.Minutes.Events)), s.Me)
	}
	switch {
	case a.Motion != nil:
		a.options = a.Motion.Options
	case q.kind == council.AskBallot:
		a.Vote = majorityOf(c, c.DraftGovernance())
	case q.kind == council.AskPosition && q.phase != "": // of a spare
		a.Spare, a.options = true, s.answers
	case q.kind == council.AskPosition:
		a.Phase, a.options = c.DecidingPhase(), c.Options
	}
	a.Options = s.listOptions(a.options)
	if q.kind == council.AskTurn && a.Motion == nil {
		a.Options = s.listOptions(a.ranks)
	}
	return words(string(q.kind), a), a.forms(q.kind)
}

// answerWith asks for an answer in one of the forms; it is empty for a document, which has none.
func answerWith(forms []form.Form) string {
	if forms == nil {
		return ""
	}
	return "\n" + words("answer with", forms)
}

// MayAsk reports whether a turn may put a question.
func (a asking) MayAsk() bool {
	visit := a.Minutes.Visit()
	return a.Turn > 0 && visit != nil && visit.Asked < a.Phase.StopConditions.MaxQuestions
}

// Choices reports whether a turn may propose a choice.
func (a asking) Choices() bool { return a.Phase.Governance.Choices && a.Turn > 0 && a.ranks == nil }

// Amends reports whether amendments to the motion may be proposed.
func (a asking) Amends() bool { return a.Phase.Governance.Amends() && len(a.options) == 0 }

// Seats returns the members by their names and ids where they know one another under pseudonyms, in a drawn order: it
// shows neither who has which pseudonym nor who sealed which position.
func (a asking) Seats() []*council.Member {
	if a.pseudonyms == nil {
		return nil
	}
	named := a.pseudonyms.named
	return council.Map(council.DrawOrder(a.session, "candidate", named.Seats()), named.Member)
}

// Candidates lists the members that may lead.
func (a asking) Candidates() (ids []string) {
	if ids = council.Map(a.Seats(), func(m *council.Member) string { return string(m.ID) }); ids == nil {
		ids = council.Strings(a.Charter.Seats())
	}
	return ids
}

// Holders lists the positions, by their authors, or by their numbers where they have some.
func (a asking) Holders() (ids []string) {
	if n := a.pseudonyms; n != nil {
		return council.Map(n.sealed, func(e council.Event) string { return n.title(e.Actor) })
	}
	for _, id := range a.Charter.Seats() {
		if _, sealed := a.Minutes.Positions()[id]; sealed {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// Others lists the members that a question may be put to.
func (a asking) Others() []string {
	ids := slices.DeleteFunc(council.Strings(a.Charter.Seats()), func(id string) bool { return id == string(a.Me) })
	if a.Charter.Deliberation.Convener {
		ids = append(ids, string(council.Convener))
	}
	return ids
}

// Stances reports whether a ballot asks for the member's preferred answer.
func (a asking) Stances() bool {
	return a.Charter.AsksStances() && a.Motion != nil && len(a.Amendments()) == 0
}

// BriefForm describes the form of a brief for a revision.
func (a asking) BriefForm() string { return form.Show([]form.Form{{brief(a.Standing())}}) }

// Settle reports whether the member sees any record that it could settle.
func (a asking) Settle() bool { return len(a.opening.Reminder("").Records) > 0 || a.remembers() }

// listOptions lists options to be ranked in the reader's order, fenced if members proposed them. Only an order that all
// share has numbers: a number in a member's words would mean another option to others.
func (s *scribe) listOptions(options []string) []string {
	if len(options) == 0 {
		return nil
	}
	show := func(o string) string {
		if slices.Contains(s.Charter.Options, o) {
			return o
		}
		return s.fence.wrap(o)
	}
	if !s.Charter.ShufflesOptions() {
		return council.ListOptions(options, show)
	}
	return append(council.Map(s.DrawOptions(options), show), council.NoneOfThese)
}

// DrawOptions returns options in the reader's order.
func (s *scribe) DrawOptions(options []string) []string {
	if s.pseudonyms != nil {
		return s.pseudonyms.named.DrawOptions(s.session, s.Self(), options)
	}
	return s.Charter.DrawOptions(s.session, s.Me, options)
}

// Packet returns the phase context packet: a description of a phase, by the charter's verbosity; "" between phases.
func (s *scribe) Packet(phase *council.Phase) string {
	if phase == nil {
		return ""
	}
	return words("packet", asking{scribe: s, Phase: phase, Vote: majorityOf(s.Charter, phase.Governance)})
}

// majority is how votes are decided by the charter, and the rule that follows for its seats.
type majority struct {
	council.Governance
	Rule quorum.Rule
}

func majorityOf(c *council.Charter, g council.Governance) majority {
	return majority{g, g.Rule(len(c.Seats()))}
}

func (s *scribe) openMotion() *minutes.Motion {
	if n := len(s.Minutes.Motions); n > 0 && s.Minutes.Motions[n-1].Status == minutes.MotionOpen {
		return s.Minutes.Motions[n-1]
	}
	return nil
}

func motionEvent(m *minutes.Motion) string { return m.Event }

// lastPhase returns the phase entered last, or one without an id before the first.
func (s *scribe) lastPhase() *council.Phase {
	if v := s.Minutes.Visit(); v != nil {
		return s.Charter.Phase(v.Phase)
	}
	return &council.Phase{}
}

// phase returns the phase under way, or nil between phases.
func (s *scribe) phase() *council.Phase {
	if v := s.Minutes.Visit(); v == nil || v.End != nil {
		return nil
	}
	return s.lastPhase()
}

// Standing lists the events of the standing motions of the visit under way, or, after it, of the resolutions.
func (a asking) Standing() []string {
	if v := a.Minutes.Visit(); v != nil && v.End == nil {
		return council.Map(v.Standing, motionEvent)
	}
	return council.Map(a.Minutes.Resolved(), motionEvent)
}

// Findings lists the events of the motions that carried and decide nothing.
func (a asking) Findings() []string { return council.Map(a.Minutes.Findings(), motionEvent) }

// Mover returns the mover of the motion before the council.
func (a asking) Mover() string {
	if a.Motion.Mover == a.Me {
		return "yourself"
	}
	return a.nameOf(a.Motion.Mover)
}

// Amendments returns those to the motion before the council: all, or the one on which ballots are cast.
func (a asking) Amendments() []*minutes.Amendment {
	switch pending := a.Motion.Pending(); {
	case !a.Motion.Weighed:
		return a.Motion.Amendments
	case pending != nil:
		return []*minutes.Amendment{pending}
	}
	return nil
}

// Split returns the division before a round on the difference, or nil.
func (a asking) Split() *minutes.Division {
	if visit := a.Minutes.Visit(); a.Motion != nil && visit != nil && visit.Rounds > 0 {
		return a.Minutes.Division()
	}
	return nil
}

// Proposed reports whether the ballot is the first on answers that the leader proposed.
func (a asking) Proposed() bool { return a.Minutes.Proposed != nil && len(a.Minutes.Motions) == 1 }

// Blocks reports whether the draft was approved, and the member did not vote YES on it.
func (a asking) Blocks() bool {
	d := a.Minutes.LastDraft()
	return d != nil && d.Approved() && !slices.ContainsFunc(d.Ballots, func(b minutes.Ballot) bool {
		return b.Member == a.Me && b.Ballot == string(council.ChoiceYes)
	})
}

// Blockers lists the ids of the blockers of the last vote on a draft.
func (a asking) Blockers() []string {
	for _, d := range slices.Backward(a.Minutes.Drafts) {
		if d.Vote != nil {
			return council.Map(a.Minutes.Raised(d), func(b minutes.RaisedBlocker) string { return b.ID })
		}
	}
	return nil
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
	if a.Split().Crux == "" && p.ChangeMind != "" {
		words += "\nWhat would change this mind: " + p.ChangeMind
	}
	return a.Fence(words)
}

// entry is one event for the templates of the record.
type entry struct {
	ID     string // "e12"
	P      council.Payload
	Mine   bool    // the reader itself is the actor
	Sealed []entry // withheld until this event
	Short  bool    // long words are cut

	event council.Event
	*scribe
}

func (s *scribe) entry(e council.Event) entry {
	return entry{ID: e.Seq.ID(), P: e.Payload, Mine: e.Actor == s.Me, event: e, scribe: s}
}

// Line returns the event in words, by the template of its type.
func (e entry) Line() string { return words(string(e.event.Type()), e) }

// Text returns the actor's words, by the named template.
func (e entry) Text(name string) string { return words(name, e) }

// Number returns the number of the position that the event sealed, where members know one another under pseudonyms.
func (e entry) Number() int {
	if e.pseudonyms == nil {
		return 0
	}
	return e.pseudonyms.number(e.event.Seq)
}

// Say returns the actor and a verb: others for another member, own for the reader.
func (e entry) Say(others, own string) string {
	if e.Mine {
		return "you " + own
	}
	return e.nameOf(e.event.Actor) + " " + others
}

// Known reports whether the words are already among the reader's answers.
func (e entry) Known() bool { return e.Mine && !e.retell }

// Words ends a line with somebody's words, as data, unless they are empty or the reader knows them.
func (e entry) Words(text string) string {
	if e.Known() || strings.TrimSpace(text) == "" {
		return "."
	}
	return ": " + e.Fence(text)
}

// Motion names a motion by the event that made it.
func (e entry) Motion(id council.MotionID) string {
	if m := e.Minutes.Motion(id); m != nil {
		return m.Event
	}
	return string(id)
}

// Moved reports whether the actor moved the motion.
func (e entry) Moved(id council.MotionID) bool {
	m := e.Minutes.Motion(id)
	return m != nil && m.Mover == e.event.Actor
}

// Prior returns the results of the phases before one, where it shows them.
func (e entry) Prior(phase *council.Phase) []string {
	if phase == nil || !phase.MemoryPolicy.IncludePriorPhaseSummary {
		return nil
	}
	return e.phaseResults(longWords)
}
