package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder/wire"
)

// MaxEvidence bounds the evidence of a record: its origin, and the newest of the rest.
const MaxEvidence = 12

// assumptionLasts is the time after which an assumption that nothing bears out expires.
const assumptionLasts = 180 * 24 * time.Hour

// The confidence in a record, unless a vote or a member gives one.
const (
	shown   = 1.0 // the log shows it, or a person said it
	unvoted = 0.6 // a member said it
	assumed = 0.5
)

type matchRule int

const (
	matchStatement matchRule = iota // the same statement, on any topic
	matchWords                      // the same words: they are ours, and differ where they mean something else
	matchOnTopic                    // the same statement on the same topic
	matchMark                       // any with the same mark on the same topic
)

// statement is a record as an event yields it. The book may have it already.
type statement struct {
	Record
	entry          *wire.Entry
	rule           matchRule
	mark           string           // a tag that sets it apart in its kind, such as "loop:document"
	about          council.MemberID // the member that it is about, in the council's book
	artifact       string
	claimant       council.MemberID // its author, where it was not voted on
	replacesDetail bool             // the newest detail replaces the one before
}

const mostClaimants = 3

func newClaim(e *wire.Entry, kind Kind, importance int, summary, detail string) statement {
	return statement{Record: Record{Kind: kind, Importance: importance, Summary: summary, Detail: detail,
		Confidence: unvoted}, entry: e, claimant: e.Actor}
}

// newFact returns a statement that the log shows, in words of ours.
func newFact(e *wire.Entry, kind Kind, importance int, summary, detail string) statement {
	s := newClaim(e, kind, importance, summary, detail)
	s.rule, s.Confidence, s.claimant = matchWords, shown, ""
	return s
}

func (s statement) expiry() *time.Time {
	if s.Kind != KindAssumption {
		return nil
	}
	return new(eventTime(s.entry).Add(assumptionLasts))
}

const topicNote = "on: "

// remember adds a statement to the book and returns its record, or nil for an empty one. If the book has the same
// statement, that record gets the new evidence.
func (f *bookFold) remember(s statement) *Record {
	key := string(s.Kind) + " " + s.entry.Seq.ID()
	f.places[key]++ // also where the words were erased, so that ids stay
	s.Summary = clip(s.Summary, MaxSummary)
	if s.Summary == "" {
		return nil
	}
	id := NewID(string(f.book.Member), string(f.id), s.entry.Seq.ID(), string(s.Kind), strconv.Itoa(f.places[key]))
	if r := f.find(id); r != nil {
		return r
	}
	if r := f.findSame(s); r != nil {
		f.repeatRecord(r, s)
		return r
	}
	r := new(s.Record)
	r.ID, r.Status, r.Detail, r.Tags, r.Supersedes = id, StatusActive, clip(s.Detail, MaxDetail), f.tagsOf(s), []string{}
	r.Confidence, r.ExpiresAt, r.Rehearsed = math.Round(s.Confidence*100)/100, s.expiry(), f.Rehearsed()
	r.CreatedAt, r.UpdatedAt = eventTime(s.entry), eventTime(s.entry)
	r.Evidence = []Evidence{f.newEvidence(s.entry, s.artifact, f.topic)}
	if s.claimant != "" {
		r.ClaimedBy = []string{f.name(s.claimant)}
	}
	f.records = append(f.records, r)
	return r
}

func (c *bookCopy) find(id string) *Record {
	return council.First(c.records, func(r *Record) bool { return r.ID == id })
}

func (m *sessionLog) newEvidence(e *wire.Entry, artifact, topic string) Evidence {
	place := Evidence{SessionID: m.id, EventID: e.Seq.ID(), ArtifactPath: artifact}
	if topic != "" {
		place.Note = topicNote + topic
	}
	return place
}

func (f *bookFold) tagsOf(s statement) []string {
	tags := f.topicWords()
	for prefix, value := range map[string]string{"": s.mark, "phase:": string(s.entry.Phase), "member:": string(s.about)} {
		if value = clip(value, maxName); value != "" {
			tags = append(tags, prefix+value)
		}
	}
	slices.Sort(tags)
	return append([]string{}, slices.Compact(tags)...)
}

// findSame returns the record with the same statement, or nil: the newest active one, else the newest.
func (f *bookFold) findSame(s statement) (found *Record) {
	for _, r := range f.records {
		better := found == nil || r.Status == StatusActive || found.Status != StatusActive
		if better && r.Kind == s.Kind && f.mayChange(r) && f.matches(r, s) {
			found = r
		}
	}
	return found
}

func (f *bookFold) matches(r *Record, s statement) bool {
	switch s.rule {
	case matchWords:
		return f.normalized(r.Summary).Equal(f.normalized(s.Summary))
	case matchMark:
		return r.hasTag(s.mark) && f.sameTopic(r)
	case matchOnTopic:
		return (s.mark == "" || r.hasTag(s.mark)) && f.normalized(r.Summary).Says(f.normalized(s.Summary)) && f.sameTopic(r)
	}
	return f.normalized(r.Summary).Says(f.normalized(s.Summary))
}

func (r *Record) hasTag(tag string) bool { return slices.Contains(r.Tags, tag) }

// mayChange reports whether this session may change a record: rehearsals change only the records of rehearsals, and
// nothing else does.
func (m *sessionLog) mayChange(r *Record) bool { return r.Rehearsed == m.Rehearsed() }

// sameTopic reports whether a record comes from a session on the same topic, word for word.
func (f *bookFold) sameTopic(r *Record) bool {
	if len(r.Evidence) == 0 || !f.mayChange(r) {
		return false
	}
	if r.Evidence[0].SessionID == f.id {
		return true
	}
	return f.normalized(r.topic()).Equal(f.normalized(f.topic))
}

// topic returns the topic on which a record came up first; "" where it is not known.
func (r *Record) topic() string {
	if topic, known := strings.CutPrefix(r.Evidence[0].Note, topicNote); known {
		return topic
	}
	return ""
}

// repeatRecord adds evidence to a record. It becomes active, and more important once for each session.
func (f *bookFold) repeatRecord(r *Record, s statement) {
	place := f.newEvidence(s.entry, s.artifact, "")
	if slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
		return e.SessionID == place.SessionID && e.EventID == place.EventID
	}) {
		return // named twice in one breath
	}
	if n := r.countEvidence(f.id); n == 0 || n == 1 && r.Evidence[0].SessionID == f.id { // once a session
		heaviest := 5
		if r.Kind == KindLesson || r.Kind == KindOutcome { // decisions weigh more
			heaviest = 4
		}
		r.Importance = min(r.Importance+1, max(r.Importance, heaviest))
	}
	if s.replacesDetail && !slices.ContainsFunc(r.Evidence, isPersonal) {
		r.Detail = clip(s.Detail, MaxDetail)
	}
	switch by := f.name(s.claimant); {
	case s.claimant == "":
		r.ClaimedBy = nil
	case len(r.ClaimedBy) > 0 && len(r.ClaimedBy) < mostClaimants && !slices.Contains(r.ClaimedBy, by):
		r.ClaimedBy = append(r.ClaimedBy, by)
	}
	r.SettledBy = ""
	r.addEvidence(place, eventTime(s.entry))
	r.Vote = cmp.Or(s.Vote, r.Vote)
	if s.Kind == KindDecision || s.Confidence > r.Confidence {
		r.Confidence = math.Round(s.Confidence*100) / 100
	}
	if until := s.expiry(); until == nil && r.Status == StatusStale ||
		until != nil && (r.ExpiresAt == nil || r.ExpiresAt.Before(*until)) {
		r.ExpiresAt = until
	}
	f.reactivate(r)
}

func isPersonal(e Evidence) bool { return e.EventID == "" }

// countEvidence counts the places of a session, without those of persons after it.
func (r *Record) countEvidence(session council.SessionID) (n int) {
	for _, e := range r.Evidence {
		if e.SessionID == session && !isPersonal(e) {
			n++
		}
	}
	return n
}

func (r *Record) addEvidence(place Evidence, at time.Time) {
	r.Evidence = WithEvidence(r.Evidence, place)
	r.touch(at)
}

// WithEvidence returns evidence with one more place. Beyond [MaxEvidence], the oldest after the origin goes.
func WithEvidence(all []Evidence, place Evidence) []Evidence {
	all = append(slices.Clone(all), place)
	if len(all) > MaxEvidence {
		all = slices.Delete(all, 1, 2)
	}
	return all
}

// reactivate makes a record active, unless a person's record supersedes it.
func (c *bookCopy) reactivate(r *Record) {
	if r.Status == StatusSuperseded {
		if slices.ContainsFunc(c.records, func(by *Record) bool {
			return by.isPersons() && slices.Contains(by.Supersedes, r.ID)
		}) {
			return
		}
		for _, by := range c.records {
			by.Supersedes = slices.DeleteFunc(by.Supersedes, func(id string) bool { return id == r.ID })
		}
	}
	r.SetStatus(StatusActive, time.Time{})
}

// The files of a session that evidence points to.
const (
	transcript    = "transcript.md"
	documentation = "documentation.md"
)

// addDissent remembers a dissent: as a risk in the council's book, as a preference in that of the member.
func (f *bookFold) addDissent(e *wire.Entry, text string) {
	how := fmt.Sprintf("%s dissented%s.", f.name(e.Actor), f.onTopic())
	s := newClaim(e, KindRiskPattern, 3, text, how)
	s.mark, s.about = "dissent", e.Actor
	if f.book.Member != "" {
		s.Kind, s.about, s.Confidence = KindPreference, "", shown
		s.Detail = join(fmt.Sprintf("Its dissent%s.", f.onTopic()), f.endingSentence(f.book.Member))
	}
	f.remember(s)
}

func phaseOf(r *Record) string {
	return council.First(r.Tags, func(tag string) bool { return strings.HasPrefix(tag, "phase:") })
}

// addAssessment remembers the leader's assessment of a phase. It was not voted on, so its constraints are assumptions.
func (f *bookFold) addAssessment(e *wire.Entry, a council.Assessment) {
	in := fmt.Sprintf(" in phase “%s” by %s, who led.", plainText(string(e.Phase)), f.name(e.Actor))
	for _, text := range slices.Concat(a.Constraints, a.Assumptions) {
		s := newClaim(e, KindAssumption, 2, text, "Taken for granted"+in)
		s.Confidence = assumed
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
	for _, b := range f.blockers {
		if b.Event != e.Seq.ID() {
			continue
		}
		s := f.blockerRisk(b, f.book.Member)
		if f.book.Member == "" && f.findSame(s) == nil {
			if f.newBlockers >= maxRaised {
				continue
			}
			f.newBlockers++
		}
		f.remember(s)
	}
}

func (m *sessionLog) blockerRisk(b minutes.RaisedBlocker, owner council.MemberID) statement {
	e := m.entry(b.Event)
	s := newClaim(e, KindRiskPattern, 1, blockerSummary(b), m.blockerDetail(b, owner, e.Actor))
	s.mark = "blocker"
	for _, grave := range []string{"critical", "high", "severe"} { // the member's own word
		if strings.Contains(strings.ToLower(b.Severity), grave) {
			s.Importance = 2
		}
	}
	if owner == "" {
		s.about = e.Actor
	}
	return s
}

// blockerSummary returns the problem, else the change that is asked for; empty when that was erased.
func blockerSummary(b minutes.RaisedBlocker) string {
	if problem := clip(b.Problem, MaxSummary); problem != "" || strings.TrimSpace(b.Problem) == council.ForgottenMark {
		return problem
	}
	return clip(b.RequiredChange, MaxSummary)
}

func (m *sessionLog) blockerDetail(b minutes.RaisedBlocker, owner, author council.MemberID) string {
	by := "Raised"
	if owner == "" {
		by += " by " + m.name(author)
	}
	answer := ""
	if b.Answer != "" {
		answer = endSentence("Answered: " + strings.TrimSuffix(plainText(string(b.Answer))+", "+clip(b.Note, maxTopic), ", "))
	}
	return join(fmt.Sprintf("%s against draft %d%s.", by, b.Version, m.onTopic()), withLabel("Section", b.Section),
		withLabel("Impact", b.Impact), withLabel("Asked for", b.RequiredChange), answer)
}
