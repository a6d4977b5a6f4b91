package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder/wire"
)

// The files of a session that evidence points to.
const (
	transcript    = "transcript.md"
	documentation = "documentation.md"
)

// addDissent remembers a dissent: as a risk in the council's book, as a preference in that of the member.
func (f *bookFold) addDissent(e *wire.Entry, text string) {
	how := fmt.Sprintf("%s dissented%s.", f.minutes.name(e.Actor), f.minutes.onTopic())
	s := newClaim(e, KindRiskPattern, 3, text, how)
	s.mark, s.about = "dissent", e.Actor
	if f.book.Member != "" {
		s.kind, s.about, s.confidence = KindPreference, "", shown
		s.detail = join(fmt.Sprintf("Its dissent%s.", f.minutes.onTopic()), f.minutes.endingSentence(f.book.Member))
	}
	f.remember(s)
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
	m := f.minutes
	moved := m.Motion(p.Motion)
	isFinding := func(v *minutes.Visit) bool { return slices.Contains(v.Resolutions, p.Motion) }
	if moved == nil || m.Rehearsed() || !m.isFinal(p.Motion) && !slices.ContainsFunc(m.Visits, isFinding) {
		return
	}
	how := fmt.Sprintf("Moved by %s in phase “%s”; carried %s.", m.name(moved.Mover), plainText(string(moved.Phase)),
		voteWords(p.Decision))
	if p.Choice != nil {
		how = join("Chosen by ranked ballots from "+strings.Join(moved.Options, ", ")+".",
			council.WhyChosen(moved.Options, p.Choice))
	}
	came := decisionText(moved.Title, moved.Decision)
	how = join(how, endSentence(plainText(moved.Text)))
	if !m.isFinal(p.Motion) {
		if came != "" {
			came = "A finding, not a decision" + m.onTopic() + ": " + came
		}
		f.remember(newFact(e, KindOutcome, 2, came, how))
		return
	}
	s := newClaim(e, KindDecision, 4, came, how)
	s.claimant, s.rule, s.artifact = "", matchOnTopic, transcript
	s.confidence, s.vote = voteConfidence(p.Decision), voteWords(p.Decision)
	if m.Outcome.Documentation == council.DocumentationApproved {
		s.artifact = documentation
	}
	at := f.remember(s)
	if at < 0 {
		return
	}
	named := council.RecordsReplaced(moved.Title, moved.Text, moved.Decision)
	for i := range f.book.Records {
		r := &f.book.Records[i]
		isNamed := slices.Contains(named, r.ID)
		switch {
		case !f.minutes.mayChange(r) || r.isRule():
		case isNamed && slices.Contains(supersedable, r.Kind), r.Kind == KindDecision && f.minutes.reopens(r):
			f.supersede(at, i, eventTime(e))
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
	return again != nil && m.mayChange(r) && m.countEvidence(r) == 0 && countEvidence(r, again.Session) > 0
}

func phaseOf(r *Record) string {
	at := slices.IndexFunc(r.Tags, func(tag string) bool { return strings.HasPrefix(tag, "phase:") })
	if at < 0 {
		return ""
	}
	return r.Tags[at]
}

// addAssessment remembers the leader's assessment of a phase. It was not voted on, so its constraints are assumptions.
func (f *bookFold) addAssessment(e *wire.Entry, a council.Assessment) {
	in := fmt.Sprintf(" in phase “%s” by %s, who led.", plainText(string(e.Phase)), f.minutes.name(e.Actor))
	for _, text := range slices.Concat(a.Constraints, a.Assumptions) {
		s := newClaim(e, KindAssumption, 2, text, "Taken for granted"+in)
		s.confidence = assumed
		f.remember(s)
	}
	for _, risk := range a.Risks {
		f.remember(newClaim(e, KindRiskPattern, 3, risk.Risk, join("Named"+in, withLabel("Mitigation", risk.Mitigation))))
	}
}

func (f *bookFold) addBriefRisks(e *wire.Entry, brief *council.Brief) {
	if brief == nil {
		return
	}
	for _, risk := range brief.Risks {
		f.remember(newClaim(e, KindRiskPattern, 3, risk.Risk, join("A risk of the execution.",
			withLabel("Objective", brief.Objective), withLabel("Mitigation", risk.Mitigation))))
	}
}

// addLesson remembers a thing that went badly in the deliberation, in a sentence that is the same for the same thing.
// Faults of members, and their consequences alone, leave no lessons: the next session may have other models.
func (f *bookFold) addLesson(e *wire.Entry, what, detail string) {
	f.remember(newFact(e, KindLesson, 2, what, detail))
}

var endings = map[council.DebateEnd]string{
	council.EndRoundLimit:   "its rounds ran out",
	council.EndAllPassed:    "everybody passed",
	council.EndUncontested:  "nobody was of another mind",
	council.EndNothingNew:   "a round brought nothing new",
	council.EndMajorityVote: "a vote ended its debate",
}

func (f *bookFold) addPhaseEnd(e *wire.Entry, p council.PhaseEnded) {
	phase := plainText(string(p.Phase))
	if len(p.Resolutions) == 0 && p.Reason != council.EndUnanswered {
		f.addLesson(e, fmt.Sprintf("Phase “%s” ended without a resolution: %s.", phase, endings[p.Reason]),
			withLabel("Its fallback", p.Fallback))
	}
	for _, missing := range p.Missing {
		if missing = plainText(missing); missing != "" && p.Assessed {
			what := fmt.Sprintf("Phase “%s” did not show what was required: %s", phase, shorten(missing, maxTopic))
			f.addLesson(e, endSentence(what), "")
		}
	}
	if p.LimitReached {
		f.addLesson(e, "The session went to its closing because it had gone through as many phases as it may.", "")
	}
}

// maxRaised bounds the blockers of one session in the council's book. A member's book has all of its own.
const maxRaised = 12

// addBlockers remembers the blockers of one review as risks. They weigh least at first, and more with each session.
func (f *bookFold) addBlockers(e *wire.Entry) {
	for _, b := range f.minutes.blockers {
		if b.entry != e {
			continue
		}
		s := f.minutes.blockerRisk(b, f.book.Member)
		if f.book.Member == "" && f.findSame(s) < 0 {
			if f.newBlockers >= maxRaised {
				continue
			}
			f.newBlockers++
		}
		f.remember(s)
	}
}

func (m *sessionLog) blockerRisk(b blocker, owner council.MemberID) statement {
	s := newClaim(b.entry, KindRiskPattern, 1, b.summary(), m.blockerDetail(b, owner))
	s.mark = "blocker"
	for _, grave := range []string{"critical", "high", "severe"} { // the member's own word
		if strings.Contains(strings.ToLower(b.Severity), grave) {
			s.importance = 2
		}
	}
	if owner == "" {
		s.about = b.entry.Actor
	}
	return s
}

// summary returns the problem, else the change that is asked for; empty when that was erased.
func (b blocker) summary() string {
	if problem := clip(b.Problem, MaxSummary); problem != "" || strings.TrimSpace(b.Problem) == council.ForgottenMark {
		return problem
	}
	return clip(b.RequiredChange, MaxSummary)
}

func (m *sessionLog) blockerDetail(b blocker, owner council.MemberID) string {
	by := "Raised"
	if owner == "" {
		by += " by " + m.name(b.entry.Actor)
	}
	answer := ""
	if b.Answer != "" {
		answer = endSentence("Answered: " + strings.TrimSuffix(plainText(string(b.Answer))+", "+clip(b.Note, maxTopic), ", "))
	}
	return join(fmt.Sprintf("%s against draft %d%s.", by, b.Version, m.onTopic()), withLabel("Section", b.Section),
		withLabel("Impact", b.Impact), withLabel("Asked for", b.RequiredChange), answer)
}
