package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

func (f *bookFold) addSessionResult(e *wire.Entry, o council.Outcome) {
	approved := o.Documentation == council.DocumentationApproved
	s := newFact(e, KindOutcome, 2, f.resultSentence(), f.leaderAccount())
	if s.artifact = transcript; approved {
		s.artifact = documentation
	}
	f.remember(s)
	if f.Rehearsed() {
		return // it leaves nothing open
	}
	for _, b := range f.blockers {
		if b.Answer == council.AnswerDeferred || b.Open() && !approved {
			s := f.blockerRisk(b, f.book.Member)
			s.Kind, s.mark, s.rule, s.Importance = KindOpenLoop, loopBlocker, matchOnTopic, s.Importance+2
			f.remember(s)
		}
	}
	if !o.Decided {
		f.addOpenLoop(e, loopResolution, fmt.Sprintf("Nothing was resolved%s.", f.onTopic()), f.leaderAccount())
	}
	switch o.Documentation {
	case council.DocumentationMissing:
		f.addOpenLoop(e, loopDocument, fmt.Sprintf("No document was written%s.", f.onTopic()), "")
	case council.DocumentationUnapproved:
		f.addOpenLoop(e, loopDocument, fmt.Sprintf("The document%s stands unapproved.", f.onTopic()), "")
	}
	switch h := f.handoffs[f.closing]; {
	case h.Brief == nil:
	case h.Status == council.ExecutionAwaitingApproval:
		f.addPendingApproval(e, *h.Brief)
	case h.Status == council.ExecutionCleared:
		f.addCriteria(f.entry(h.BriefIn.ID()), *h.Brief)
	}
}

// addOpenLoop remembers an open matter, unless the session's topic was erased.
func (f *bookFold) addOpenLoop(e *wire.Entry, mark, what, detail string) {
	s := newFact(e, KindOpenLoop, 4, what, detail)
	s.rule, s.mark, s.replacesDetail = matchMark, mark, true
	if f.topic != "" {
		f.remember(s)
	}
}

func (f *bookFold) addPendingApproval(e *wire.Entry, brief council.Brief) {
	what := fmt.Sprintf("What was decided%s awaits approval of its execution.", f.onTopic())
	f.addOpenLoop(e, loopExecution, what, withLabel("Objective", brief.Objective))
}

func (m *sessionLog) leaderAccount() string {
	if m.Summary == nil {
		return ""
	}
	return withLabel(m.name(m.Summary.Event.Actor)+"'s account, not voted on", m.Summary.SummaryMarkdown)
}

// resolutions quotes the decisions of a session: “A” and “B”. Erased ones are left out.
func resolutions(o council.Outcome) string {
	var all []string
	for _, decision := range o.Decisions() {
		if clip(decision, maxQuote) != "" {
			all = append(all, quote(decision))
		}
	}
	return strings.Join(all, " and ")
}

// resultSentence returns the result of a session in one sentence, empty once erased.
func (m *sessionLog) resultSentence() string {
	o := m.Outcome
	if o == nil || m.topic == "" {
		return ""
	}
	text := "On “" + m.topic + "” "
	switch {
	case o.Rehearsed:
		return text + "there was a rehearsal, which decides nothing."
	case o.Decided && len(o.Resolutions) > 0:
		decided := resolutions(*o)
		if decided == "" {
			return ""
		}
		text += "the council resolved " + decided
	case o.Ended == council.SessionCutShort:
		text += "nothing was resolved, as the session was adjourned"
	default:
		text += "nothing was resolved"
	}
	return text + map[council.DocumentationStatus]string{
		council.DocumentationApproved:   "; its document was approved",
		council.DocumentationUnapproved: "; its document was not approved",
		council.DocumentationMissing:    "; no document was written",
	}[o.Documentation] + "."
}

func (f *bookFold) addCriteria(e *wire.Entry, brief council.Brief) {
	_, _, criteria := brief.Lists()
	for _, text := range criteria {
		s := newClaim(e, KindConstraint, 3, text,
			join("An execution is accepted only if this holds.", withLabel("Objective", brief.Objective)))
		s.claimant = "" // a ballot or a person cleared the brief
		f.remember(s)
	}
}

// The marks of open matters, by the event that closes them.
const (
	loopResolution = "loop:resolution" // a session that reopens theirs decides
	loopDocument   = "loop:document"   // … approves a document
	loopBlocker    = "loop:blocker"    // … approves a document
	loopExecution  = "loop:execution"  // a person rules on it, or a session that reopens theirs decides
)

// The kinds that a motion which names a record may settle or replace: neither a person's preference nor an outcome.
var (
	resolvable   = []Kind{KindOpenLoop, KindRiskPattern, KindAssumption, KindLesson}
	supersedable = []Kind{KindDecision, KindConstraint, KindAssumption}
)

func (c *bookCopy) expireRecords(at time.Time) {
	for _, r := range c.records {
		if r.Status == StatusActive && r.HasExpired(at) {
			r.Status = StatusStale
			r.touch(at)
		}
	}
}

// touch moves the last change of a record to the given time, unless it is later.
func (r *Record) touch(at time.Time) {
	if at.After(r.UpdatedAt) {
		r.UpdatedAt = at
	}
}

// settleLoops resolves the open matters of the session that this one reopens, if it closed them and did not leave them
// open again.
func (f *bookFold) settleLoops() {
	o := f.Outcome
	if o == nil {
		return
	}
	var closed []string
	if o.Decided {
		closed = append(closed, loopResolution, loopExecution)
	}
	if o.Documentation == council.DocumentationApproved {
		closed = append(closed, loopDocument, loopBlocker)
	}
	for _, r := range f.records {
		if f.reopens(r) && slices.ContainsFunc(closed, r.hasTag) {
			f.resolve(r, &f.entries[f.closing], "")
		}
	}
}

// resolve resolves an active or stale record, unless this is a rehearsal.
func (f *bookFold) resolve(r *Record, by *wire.Entry, because string) {
	if f.Rehearsed() || r.Status != StatusActive && r.Status != StatusStale {
		return
	}
	place := f.newEvidence(by, "", "")
	place.Note = "settled"
	if because = clip(because, maxTopic); because != "" {
		place.Note += ": " + because
	}
	r.addEvidence(place, eventTime(by))
	r.SetStatus(StatusResolved, eventTime(by))
}

// supersede puts one record in the place of an active or stale one, unless this is a rehearsal.
func (f *bookFold) supersede(by, old *Record, at time.Time) {
	if f.Rehearsed() || by == old || old.Status != StatusActive && old.Status != StatusStale {
		return
	}
	old.Status = StatusSuperseded
	old.touch(at)
	if !slices.Contains(by.Supersedes, old.ID) {
		by.Supersedes = append(by.Supersedes, old.ID)
	}
}

// noteSettlementClaims notes at active records that the leader's summary claims them settled: see
// [council.SessionStarted.Settled]. They stay active until a motion names them or a person settles them.
func (f *bookFold) noteSettlementClaims() {
	summary := f.Summary
	if summary == nil {
		return
	}
	leader := summary.Event.Actor
	for _, s := range f.Started.Settled(leader, summary.Summary) {
		r := f.find(s.Record)
		if r == nil { // it is of another book
			continue
		}
		if r.Status != StatusActive || !f.mayChange(r) || r.Kind == KindOpenLoop && r.countEvidence(f.id) > 0 {
			continue // this session may not settle it, or left it open
		}
		r.SettledBy = f.name(leader)
		if because := clip(s.Because, maxTopic); because != "" {
			r.SettledBy += ": " + because
		}
	}
}

const markStance = "stance"

var results = map[quorum.Result]string{
	quorum.Carried:  "was carried",
	quorum.Lost:     "was lost",
	quorum.NoQuorum: "had no quorum",
}

// addStance remembers a member's position before the debate. It supersedes its stance in the session that this one
// reopens.
func (f *bookFold) addStance(e *wire.Entry, p council.Position) {
	s := newClaim(e, KindPreference, 3, p.Position, join(
		fmt.Sprintf("Its position before the debate%s, %.0f %% sure.", f.onTopic(), p.Confidence*100),
		f.endingSentence(f.book.Member)))
	s.rule, s.mark, s.replacesDetail, s.Confidence = matchOnTopic, markStance, true, p.Confidence
	stance := f.remember(s)
	for _, r := range f.records {
		if stance != nil && r.hasTag(markStance) && f.reopens(r) {
			f.supersede(stance, r, eventTime(e))
		}
	}
	for _, known := range p.Overlooked {
		f.remember(newClaim(e, KindAssumption, 3, known,
			fmt.Sprintf("It said that others may overlook this%s.", f.onTopic())))
	}
}

func (m *sessionLog) voteOf(id council.MemberID) council.Choice {
	o := m.Outcome
	if o == nil || o.Last() == nil {
		return ""
	}
	on := cmp.Or(m.Motion(o.Last().Motion), &minutes.Motion{})
	cast := council.Find(on.Ballots, func(b minutes.Ballot) bool { return b.Member == id && b.Fault == "" })
	return council.Choice(cmp.Or(cast, &minutes.Ballot{}).Ballot)
}

func (m *sessionLog) endingSentence(id council.MemberID) string {
	o := m.Outcome
	switch {
	case o == nil:
		return ""
	case o.Rehearsed:
		return "In the end nothing was decided, because it was a rehearsal."
	case len(o.Resolutions) == 0:
		return "In the end nothing was resolved."
	}
	decision := resolutions(*o)
	if decision != "" {
		decision = " " + decision
	}
	vote := m.voteOf(id)
	how := map[council.Choice]string{"": ", without its vote", council.ChoiceAbstain: "; it abstained"}[vote]
	return "In the end the council resolved" + decision + cmp.Or(how, "; it voted "+string(vote)) + "."
}

func (f *bookFold) addOwnMotion(e *wire.Entry, id council.MotionID, became string) {
	moved := f.Motion(id)
	if moved == nil || moved.Mover == "" || moved.Mover != f.book.Member {
		return
	}
	if name := clip(moved.Title, maxTopic); name != "" {
		f.remember(newFact(e, KindOutcome, 2, fmt.Sprintf("Its motion “%s” %s.", name, became),
			withLabel("It would have decided", moved.Decision)))
	}
}

func voteWords(d council.Decision) string {
	c := d.Count
	text := fmt.Sprintf("%d YES to %d NO", c.Yes, c.No)
	if silent := c.Abstain + c.Invalid + c.Absent; silent > 0 {
		text += fmt.Sprintf(", %d neither", silent)
	}
	return text
}

// voteConfidence returns the certainty that a vote gives a decision: the share of YES among YES and NO, times the share
// of members with a valid ballot.
func voteConfidence(d council.Decision) float64 {
	yes, sides := d.Count.Yes, d.Count.Yes+d.Count.No
	if sides == 0 || d.Rule.Members <= 0 {
		return 0
	}
	valid := min(1, float64(d.Count.Valid())/float64(d.Rule.Members))
	return float64(yes) / float64(sides) * valid
}

// addDecision remembers a resolution of the session, and as a finding one of its phase alone; of a rehearsal neither. A
// resolution replaces or settles the records that it names, and the decisions of the session that this one reopens.
func (f *bookFold) addDecision(e *wire.Entry, p council.MotionDecided) {
	moved := f.Motion(p.Motion)
	isFinding := func(v *minutes.Visit) bool { return slices.Contains(v.Resolutions, p.Motion) }
	if moved == nil || f.Rehearsed() || !f.isFinal(p.Motion) && !slices.ContainsFunc(f.Visits, isFinding) {
		return
	}
	how := fmt.Sprintf("Moved by %s in phase “%s”; carried %s.", f.name(moved.Mover), plainText(string(moved.Phase)),
		voteWords(p.Decision))
	if p.Choice != nil {
		how = join("Chosen by ranked ballots from "+strings.Join(moved.Options, ", ")+".",
			council.WhyChosen(moved.Options, p.Choice))
	}
	came := decisionText(moved.Title, moved.Decision)
	how = join(how, endSentence(plainText(moved.Text)))
	if !f.isFinal(p.Motion) {
		if came != "" {
			came = "A finding, not a decision" + f.onTopic() + ": " + came
		}
		f.remember(newFact(e, KindOutcome, 2, came, how))
		return
	}
	s := newClaim(e, KindDecision, 4, came, how)
	s.claimant, s.rule, s.artifact = "", matchOnTopic, transcript
	s.Confidence, s.Vote = voteConfidence(p.Decision), voteWords(p.Decision)
	if f.Outcome.Documentation == council.DocumentationApproved {
		s.artifact = documentation
	}
	decided := f.remember(s)
	if decided == nil {
		return
	}
	named := council.RecordsReplaced(moved.Title, moved.Text, moved.Decision)
	for _, r := range f.records {
		isNamed := slices.Contains(named, r.ID)
		switch {
		case !f.mayChange(r) || r.isRule():
		case isNamed && slices.Contains(supersedable, r.Kind), r.Kind == KindDecision && f.reopens(r):
			f.supersede(decided, r, eventTime(e))
		case isNamed && slices.Contains(resolvable, r.Kind):
			f.resolve(r, e, "")
		}
	}
}

// decisionText returns a motion's decision under its title. It is empty when either was erased.
func decisionText(title, decision string) string {
	title, decision = clip(title, maxQuote), plainText(decision)
	if title == "" || decision == "" {
		return ""
	}
	if strings.HasPrefix(strings.ToLower(decision), strings.ToLower(title)) {
		return decision
	}
	return title + ": " + decision
}

// reopens reports whether a record rests on the session that this one reopens, and not on this one.
func (m *sessionLog) reopens(r *Record) bool {
	again := m.Started.Topic.Reopens
	return again != nil && m.mayChange(r) && r.countEvidence(m.id) == 0 && r.countEvidence(again.Session) > 0
}
