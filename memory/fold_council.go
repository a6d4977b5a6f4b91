package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

// The files of a session that evidence points to.
const (
	transcript    = "transcript.md"
	documentation = "documentation.md"
)

// dissented remembers a dissent: as a risk in the council's book, as a preference in that of the member.
func (f *folding) dissented(e *wire.Entry, text string) {
	s := claim(e, KindRiskPattern, 3, text, fmt.Sprintf("%s dissented%s.", f.minutes.name(e.Actor), f.minutes.on()))
	s.mark, s.who = "dissent", e.Actor
	if f.book.Member != "" {
		s.kind, s.who, s.confidence = KindPreference, "", shown
		s.detail = sentences(fmt.Sprintf("Its dissent%s.", f.minutes.on()), f.ending())
	}
	f.remember(s)
}

// split writes a count for people.
func split(d council.Decision) string {
	c := d.Count
	text := fmt.Sprintf("%d YES to %d NO", c.Yes, c.No)
	if silent := c.Abstain + c.Invalid + c.Absent; silent > 0 {
		text += fmt.Sprintf(", %d neither", silent)
	}
	return text
}

// weight returns the certainty that a vote gives a decision: the share of YES among YES and NO, times the share of
// members with a valid ballot.
func weight(d council.Decision) float64 {
	yes, sides := d.Count.Yes, d.Count.Yes+d.Count.No
	if sides == 0 || d.Rule.Members <= 0 {
		return 0
	}
	valid := min(1, float64(d.Count.Valid())/float64(d.Rule.Members))
	return float64(yes) / float64(sides) * valid
}

// decided remembers a resolution of the session, and as a finding one of its phase alone; of a rehearsal neither. A
// resolution replaces or settles the records that it names, and the decisions of the session that this one reopens.
func (f *folding) decided(e *wire.Entry, p council.MotionDecided) {
	m := f.minutes
	moved := m.Motion(p.Motion)
	if moved == nil || !m.resolved(p.Motion) || m.Rehearsed() {
		return
	}
	how := fmt.Sprintf("Moved by %s in phase “%s”; carried %s.", m.name(moved.Mover), plainText(string(moved.Phase)),
		split(p.Decision))
	if p.Choice != nil {
		how = sentences("Chosen by ranked ballots from "+strings.Join(moved.Options, ", ")+".",
			council.WhyChosen(moved.Options, p.Choice))
	}
	came := resolution(moved.Title, moved.Decision)
	how = sentences(how, ended(plainText(moved.Text)))
	if !m.final(p.Motion) {
		if came != "" {
			came = "A finding, not a decision" + m.on() + ": " + came
		}
		f.remember(fact(e, KindOutcome, 2, came, how))
		return
	}
	s := claim(e, KindDecision, 4, came, how)
	s.claimant, s.like, s.confidence, s.vote, s.artifact = "", onTopic, weight(p.Decision), split(p.Decision), transcript
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
		case !f.concerns(r) || r.standing():
		case isNamed && slices.Contains(supersedable, r.Kind), r.Kind == KindDecision && f.reopens(r):
			f.supersede(at, i, when(e))
		case isNamed && slices.Contains(resolvable, r.Kind):
			f.resolve(r, e, "")
		}
	}
}

// resolution returns a motion's decision under its title. It is empty when either was erased.
func resolution(title, decision string) string {
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
func (f *folding) reopens(r *Record) bool {
	again := f.minutes.Started.Topic.Reopens
	return again != nil && f.concerns(r) && f.inSession(r) == 0 && slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
		return e.SessionID == again.Session && !personal(e)
	})
}

func phaseOf(r *Record) string {
	at := slices.IndexFunc(r.Tags, func(tag string) bool { return strings.HasPrefix(tag, "phase:") })
	if at < 0 {
		return ""
	}
	return r.Tags[at]
}

// assessed remembers the leader's assessment of a phase. It was not voted on, so its constraints are assumptions.
func (f *folding) assessed(e *wire.Entry, a council.Assessment) {
	in := fmt.Sprintf(" in phase “%s” by %s, who led.", plainText(string(e.Phase)), f.minutes.name(e.Actor))
	for _, text := range slices.Concat(a.Constraints, a.Assumptions) {
		s := claim(e, KindAssumption, 2, text, "Taken for granted"+in)
		s.confidence = assumed
		f.remember(s)
	}
	for _, risk := range a.Risks {
		f.remember(claim(e, KindRiskPattern, 3, risk.Risk, sentences("Named"+in, labelled("Mitigation", risk.Mitigation))))
	}
}

func (f *folding) briefRisks(e *wire.Entry, brief *council.Brief) {
	if brief == nil {
		return
	}
	for _, risk := range brief.Risks {
		f.remember(claim(e, KindRiskPattern, 3, risk.Risk, sentences("A risk of the execution.",
			labelled("Objective", brief.Objective), labelled("Mitigation", risk.Mitigation))))
	}
}

// lesson remembers a thing that went badly in the deliberation, in a sentence that is the same for the same thing.
// Faults of members, and their consequences alone, leave no lessons: the next session may have other models.
func (f *folding) lesson(e *wire.Entry, what, detail string) {
	f.remember(fact(e, KindLesson, 2, what, detail))
}

// endings are the reasons why a debate ended, in words.
var endings = map[council.DebateEnd]string{
	council.EndRoundLimit:   "its rounds ran out",
	council.EndAllPassed:    "everybody passed",
	council.EndUncontested:  "nobody was of another mind",
	council.EndNothingNew:   "a round brought nothing new",
	council.EndMajorityVote: "a vote ended its debate",
}

func (f *folding) phaseEnded(e *wire.Entry, p council.PhaseEnded) {
	phase := plainText(string(p.Phase))
	if len(p.Resolutions) == 0 && p.Reason != council.EndUnanswered {
		f.lesson(e, fmt.Sprintf("Phase “%s” ended without a resolution: %s.", phase, endings[p.Reason]),
			labelled("Its fallback", p.Fallback))
	}
	for _, missing := range p.Missing {
		if missing = plainText(missing); missing != "" && p.Assessed {
			f.lesson(e, ended(fmt.Sprintf("Phase “%s” did not show what was required: %s", phase, cut(missing, maxTopic))), "")
		}
	}
	if p.LimitReached {
		f.lesson(e, "The session went to its closing because it had gone through as many phases as it may.", "")
	}
}

func (f *folding) draftDecided(e *wire.Entry, p council.DraftDecided) {
	if p.Result == quorum.Lost {
		f.lesson(e, "A draft of the document was not approved.",
			fmt.Sprintf("Version %d%s: %s; %d YES were needed.", p.Version, f.minutes.on(), split(p.Decision), p.Needed))
	}
}

// maxRaised bounds the blockers of one session in the council's book. A member's book has all of its own.
const maxRaised = 12

// raised remembers the blockers of one review as risks. They weigh least at first, and more with each session.
func (f *folding) raised(e *wire.Entry) {
	for _, b := range f.minutes.blockers {
		if b.entry != e {
			continue
		}
		s := f.risk(b)
		if f.book.Member == "" && f.find(s) < 0 {
			if f.raisedNew >= maxRaised {
				continue
			}
			f.raisedNew++
		}
		f.remember(s)
	}
}

func (f *folding) risk(b blocker) said {
	s := claim(b.entry, KindRiskPattern, 1, b.summary(), f.blockerDetail(b))
	s.mark = "blocker"
	for _, grave := range []string{"critical", "high", "severe"} { // the member's own word
		if strings.Contains(strings.ToLower(b.Severity), grave) {
			s.importance = 2
		}
	}
	if f.book.Member == "" {
		s.who = b.entry.Actor
	}
	return s
}

// summary returns the problem, else the change that is asked for; empty when that was erased.
func (b blocker) summary() string {
	if problem := clip(b.Problem, MaxSummary); problem != "" || strings.TrimSpace(b.Problem) == forgotten {
		return problem
	}
	return clip(b.RequiredChange, MaxSummary)
}

func (f *folding) blockerDetail(b blocker) string {
	by := "Raised"
	if f.book.Member == "" {
		by += " by " + f.minutes.name(b.entry.Actor)
	}
	answer := ""
	if b.Answer != "" {
		answer = ended("Answered: " + strings.TrimSuffix(plainText(string(b.Answer))+", "+clip(b.Note, maxTopic), ", "))
	}
	return sentences(fmt.Sprintf("%s against draft %d%s.", by, b.Version, f.minutes.on()), labelled("Section", b.Section),
		labelled("Impact", b.Impact), labelled("Asked for", b.RequiredChange), answer)
}
