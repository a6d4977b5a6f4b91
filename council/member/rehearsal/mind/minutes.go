package mind

import (
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/quorum"
)

// Minutes are what a member remembers of the log that it may see.
type Minutes struct {
	said    strings.Builder // every word of the debate, so that nobody repeats a sentence
	quoted  map[string]bool // the words of the quotes so far, unescaped
	Remarks []Remark
	Motions []*MotionNote
	drafts  []*DraftNote
	Reviews []ReviewNote
	Raised  []Raise // each want once a phase, by whoever was first; positions count as phase 0
	visit   int
	Since   council.Seq // the start of the phase under way
}

// Remark is something that was said: a position, a contribution or a motion.
type Remark struct {
	Seq   council.Seq
	By    council.MemberID
	Kind  council.AskKind
	text  string
	Words string // the text without its quotes
	Wants []concern.Want
	Cites []Cite
	Visit int
}

// Cite is a quote in a remark, with the place it names.
type Cite struct{ Quote, Ref string }

// Raise is a demand with whoever made it first in a phase.
type Raise struct {
	concern.Want
	By    council.MemberID
	Seq   council.Seq
	Visit int
}

// Vote is one ballot with its reason.
type Vote struct {
	By        council.MemberID
	Choice    council.Choice
	Rationale string
	Wants     []concern.Want
	Seq       council.Seq
}

// MotionNote is a motion and what became of it.
type MotionNote struct {
	council.Motion
	Visit, Round, Turn int
	phase              council.PhaseID
	Wants              []concern.Want
	Votes              []Vote
	Seconder           council.MemberID
	Decided            *council.Decision
	DecidedAt          council.Seq
	Died               bool
}

// Carried reports whether the motion carried.
func (n *MotionNote) Carried() bool { return n.Decided != nil && n.Decided.Result == quorum.Carried }

// Failed reports whether the motion is over and did not carry.
func (n *MotionNote) Failed() bool { return n.Died || n.Decided != nil && !n.Carried() }

// DraftNote is a version of the document and how its vote went.
type DraftNote struct {
	council.DraftWritten
	Seq     council.Seq
	Votes   []Vote
	Decided *council.Decision
}

// ReviewNote is a review with its author.
type ReviewNote struct {
	council.ReviewGiven
	By  council.MemberID
	seq council.Seq
}

// Quotation matches a quote, with its words and the place it names, if any.
var Quotation = regexp.MustCompile(`“([^“”]*)”(?: \(([^()]*)\))?`)

var oneSpace = strings.NewReplacer("\n", " ")

// takeMinutes reads the log. Members that are language models speak as they like: what is not recognised stays as
// words.
func takeMinutes(events []council.Event, k *concern.Cast) *Minutes {
	m := &Minutes{quoted: map[string]bool{}}
	for _, e := range events {
		switch p := e.Payload.(type) {
		case council.PhaseStarted:
			m.visit, m.Since = p.Visit, e.Seq
		case council.PositionSealed:
			m.remark(e, council.AskPosition, p.Position.Position+" "+strings.Join(p.OnlyIKnow, " "), k)
		case council.LeaderBallotCast:
			m.hear(p.Rationale)
		case council.ContributionMade:
			m.remark(e, council.AskTurn, p.Message, k)
		case council.TurnPassed:
			m.hear(p.Reason + " " + p.Note)
		case council.MotionMade:
			m.hear(p.MotionText + " " + p.DecisionIfPass)
			m.Motions = append(m.Motions, &MotionNote{
				Motion: council.Motion{ID: p.Motion, Mover: e.Actor, Title: p.MotionTitle, Text: p.MotionText, Decision: p.DecisionIfPass, Seq: e.Seq},
				Visit:  m.visit, Round: e.Round, Turn: e.Turn, phase: e.Phase, Wants: k.WantsIn(p.MotionText + " " + p.DecisionIfPass),
			})
		case council.SecondAnswered:
			m.hear(p.Rationale)
		case council.MotionSeconded:
			m.motion(p.Motion).Seconder = p.Seconder
		case council.MotionDied:
			m.motion(p.Motion).Died = true
		case council.BallotCast:
			m.ballot(e, p, k)
		case council.MotionDecided:
			note := m.motion(p.Motion)
			decision := p.Decision
			note.Decided, note.DecidedAt = &decision, e.Seq
		case council.DraftWritten:
			m.drafts = append(m.drafts, &DraftNote{DraftWritten: p, Seq: e.Seq})
		case council.DraftDecided:
			decision := p.Decision
			m.Draft().Decided = &decision
		case council.ReviewGiven:
			m.Reviews = append(m.Reviews, ReviewNote{p, e.Actor, e.Seq})
			for _, b := range p.CriticalBlockers {
				m.hear(b.Problem + " " + b.Impact + " " + b.RequiredChange)
			}
			m.hear(strings.Join(p.SuggestedChanges, " "))
		}
	}
	return m
}

func (m *Minutes) hear(text string) {
	m.said.WriteString(oneSpace.Replace(text))
	m.said.WriteByte('\n')
	for _, q := range Quotation.FindAllStringSubmatch(text, -1) {
		m.quoted[Plain(q[1])] = true
	}
}

func (m *Minutes) remark(e council.Event, kind council.AskKind, text string, k *concern.Cast) {
	m.hear(text)
	r := Remark{Seq: e.Seq, By: e.Actor, Kind: kind, text: text, Visit: m.visit}
	for _, q := range Quotation.FindAllStringSubmatch(text, -1) {
		if q[2] != "" {
			r.Cites = append(r.Cites, Cite{q[1], q[2]})
		}
	}
	r.Words = Quotation.ReplaceAllString(text, "")
	settled := m.Settled()
	for _, w := range k.WantsIn(r.Words) {
		if slices.Contains(settled, w) {
			continue // it is spoken of, not asked for
		}
		if m.raise(w, e) == e.Actor { // whoever takes up another's demand does not make it
			r.Wants = append(r.Wants, w)
		}
	}
	m.Remarks = append(m.Remarks, r)
}

// raise notes a demand and returns whoever was the first to make it in this phase.
func (m *Minutes) raise(w concern.Want, e council.Event) council.MemberID {
	for _, x := range m.Raised {
		if x.Want == w && x.Visit == m.visit {
			return x.By
		}
	}
	m.Raised = append(m.Raised, Raise{w, e.Actor, e.Seq, m.visit})
	return e.Actor
}

func (m *Minutes) ballot(e council.Event, p council.BallotCast, k *concern.Cast) {
	m.hear(p.Rationale)
	v := Vote{e.Actor, p.Ballot.Ballot, p.Rationale, k.WantsIn(p.Rationale), e.Seq}
	if p.Motion != "" && v.Choice != council.ChoiceYes {
		for _, w := range v.Wants {
			m.raise(w, e)
		}
	}
	if p.Motion != "" {
		note := m.motion(p.Motion)
		note.Votes = append(note.Votes, v)
	} else {
		note := m.Draft()
		note.Votes = append(note.Votes, v)
	}
}

// motion returns the note on a motion. A log that was cut or made by hand may name one that was never made.
func (m *Minutes) motion(id council.MotionID) *MotionNote {
	for _, n := range slices.Backward(m.Motions) {
		if n.ID == id {
			return n
		}
	}
	return &MotionNote{}
}

// Draft is the note on the newest draft; an empty one when there is none.
func (m *Minutes) Draft() *DraftNote {
	if len(m.drafts) == 0 {
		return &DraftNote{}
	}
	return m.drafts[len(m.drafts)-1]
}

// CarriedIn is the last motion that carried in a visit to a phase, or nil.
func (m *Minutes) CarriedIn(visit int) *MotionNote {
	for _, n := range slices.Backward(m.Motions) {
		if n.Visit == visit && n.Carried() {
			return n
		}
	}
	return nil
}

// Resolution is the last motion that the last phase that voted carried, or nil.
func (m *Minutes) Resolution() *MotionNote {
	var deciding *MotionNote
	for _, n := range m.Motions {
		lost := n.Decided != nil && n.Decided.Result == quorum.Lost
		if n.Carried() || lost && (deciding == nil || !deciding.Carried() || deciding.Visit != n.Visit) {
			deciding = n
		}
	}
	if deciding == nil || !deciding.Carried() {
		return nil
	}
	return deciding
}

// Settled lists what earlier phases resolved to want.
func (m *Minutes) Settled() []concern.Want {
	var all []concern.Want
	for _, n := range m.Motions {
		if n.Carried() {
			all = append(all, n.Wants...)
		}
	}
	return all
}

// LastOf is the last remark of a member in a turn, or nil.
func (m *Minutes) LastOf(id council.MemberID) *Remark {
	for i := range slices.Backward(m.Remarks) {
		if r := &m.Remarks[i]; r.By == id && r.Kind == council.AskTurn {
			return r
		}
	}
	return nil
}

// TurnsOf counts the contributions of a member in the phase under way.
func (m *Minutes) TurnsOf(id council.MemberID) int {
	n := 0
	for _, r := range m.Remarks {
		if r.By == id && r.Kind == council.AskTurn && r.Seq > m.Since {
			n++
		}
	}
	return n
}
