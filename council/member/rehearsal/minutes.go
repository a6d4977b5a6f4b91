package rehearsal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// want names a demand: the nth of a theme of the cast.
type want struct{ theme, n int }

// minutes are what a member remembers of the log that it may see.
type minutes struct {
	said    strings.Builder // every word of the debate, so that nobody repeats a sentence
	quoted  map[string]bool // the words of the quotes so far
	remarks []remark
	motions []*motionNote
	drafts  []*draftNote
	reviews []reviewNote
	raised  []raise // each want once a phase, by whoever was first; positions count as phase 0
	visit   int
	since   council.Seq // the start of the phase under way
}

// remark is something that was said: a position, a contribution or a motion.
type remark struct {
	seq   council.Seq
	by    council.MemberID
	kind  council.AskKind
	text  string
	words string // the text without its quotes
	wants []want
	cites []cite
	visit int
}

type cite struct{ quote, ref string }

type raise struct {
	want
	by    council.MemberID
	seq   council.Seq
	visit int
}

type vote struct {
	by        council.MemberID
	choice    council.Choice
	rationale string
	wants     []want
	seq       council.Seq
}

type motionNote struct {
	council.Motion
	visit, round, turn int
	phase              council.PhaseID
	wants              []want
	votes              []vote
	seconder           council.MemberID
	decided            *council.Decision
	decidedAt          council.Seq
	died               bool
}

func (n *motionNote) carried() bool { return n.decided != nil && n.decided.Result == quorum.Carried }

// failed reports whether the motion is over and did not carry.
func (n *motionNote) failed() bool { return n.died || n.decided != nil && !n.carried() }

type draftNote struct {
	council.DraftWritten
	seq     council.Seq
	votes   []vote
	decided *council.Decision
}

type reviewNote struct {
	council.ReviewGiven
	by  council.MemberID
	seq council.Seq
}

var (
	quotation = regexp.MustCompile(`“([^“”]*)”(?: \(([^()]*)\))?`)
	oneSpace  = strings.NewReplacer("\n", " ")
)

// takeMinutes reads the log. Members that are language models speak as they like: what is not recognised stays as
// words.
func takeMinutes(events []council.Event, k *cast) *minutes {
	m := &minutes{quoted: map[string]bool{}}
	for _, e := range events {
		switch p := e.Payload.(type) {
		case council.PhaseStarted:
			m.visit, m.since = p.Visit, e.Seq
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
			m.motions = append(m.motions, &motionNote{
				Motion: council.Motion{ID: p.Motion, Mover: e.Actor, Title: p.MotionTitle, Text: p.MotionText, Decision: p.DecisionIfPass, Seq: e.Seq},
				visit:  m.visit, round: e.Round, turn: e.Turn, phase: e.Phase, wants: k.wantsIn(p.MotionText + " " + p.DecisionIfPass),
			})
		case council.SecondAnswered:
			m.hear(p.Rationale)
		case council.MotionSeconded:
			m.motion(p.Motion).seconder = p.Seconder
		case council.MotionDied:
			m.motion(p.Motion).died = true
		case council.BallotCast:
			m.ballot(e, p, k)
		case council.MotionDecided:
			note := m.motion(p.Motion)
			decision := p.Decision
			note.decided, note.decidedAt = &decision, e.Seq
		case council.DraftWritten:
			m.drafts = append(m.drafts, &draftNote{DraftWritten: p, seq: e.Seq})
		case council.DraftDecided:
			decision := p.Decision
			m.draft().decided = &decision
		case council.ReviewGiven:
			m.reviews = append(m.reviews, reviewNote{p, e.Actor, e.Seq})
			for _, b := range p.CriticalBlockers {
				m.hear(b.Problem + " " + b.Impact + " " + b.RequiredChange)
			}
			m.hear(strings.Join(p.SuggestedChanges, " "))
		}
	}
	return m
}

func (m *minutes) hear(text string) {
	m.said.WriteString(oneSpace.Replace(text))
	m.said.WriteByte('\n')
	for _, q := range quotation.FindAllStringSubmatch(text, -1) {
		m.quoted[q[1]] = true
	}
}

func (m *minutes) remark(e council.Event, kind council.AskKind, text string, k *cast) {
	m.hear(text)
	r := remark{seq: e.Seq, by: e.Actor, kind: kind, text: text, visit: m.visit}
	for _, q := range quotation.FindAllStringSubmatch(text, -1) {
		if q[2] != "" {
			r.cites = append(r.cites, cite{q[1], q[2]})
		}
	}
	r.words = quotation.ReplaceAllString(text, "")
	settled := m.settled()
	for _, w := range k.wantsIn(r.words) {
		if slices.Contains(settled, w) {
			continue // it is spoken of, not asked for
		}
		if m.raise(w, e) == e.Actor { // whoever takes up another's demand does not make it
			r.wants = append(r.wants, w)
		}
	}
	m.remarks = append(m.remarks, r)
}

// raise notes a demand and returns whoever was the first to make it in this phase.
func (m *minutes) raise(w want, e council.Event) council.MemberID {
	for _, x := range m.raised {
		if x.want == w && x.visit == m.visit {
			return x.by
		}
	}
	m.raised = append(m.raised, raise{w, e.Actor, e.Seq, m.visit})
	return e.Actor
}

func (m *minutes) ballot(e council.Event, p council.BallotCast, k *cast) {
	m.hear(p.Rationale)
	v := vote{e.Actor, p.Ballot.Ballot, p.Rationale, k.wantsIn(p.Rationale), e.Seq}
	if p.Motion != "" && v.choice != council.ChoiceYes {
		for _, w := range v.wants {
			m.raise(w, e)
		}
	}
	if p.Motion != "" {
		note := m.motion(p.Motion)
		note.votes = append(note.votes, v)
	} else {
		note := m.draft()
		note.votes = append(note.votes, v)
	}
}

// motion returns the note on a motion. A log that was cut or made by hand may name one that was never made.
func (m *minutes) motion(id council.MotionID) *motionNote {
	for _, n := range slices.Backward(m.motions) {
		if n.ID == id {
			return n
		}
	}
	return &motionNote{}
}

func (m *minutes) draft() *draftNote {
	if len(m.drafts) == 0 {
		return &draftNote{}
	}
	return m.drafts[len(m.drafts)-1]
}

// wantsIn finds the demands that a text names, in the order of the text.
func (k *cast) wantsIn(text string) []want {
	text = strings.ToLower(text)
	var found []want
	var places []int
	for i := range k.themes {
		for n := range k.themes[i].demands {
			if p := strings.Index(text, k.themes[i].demands[n].need); p >= 0 {
				at, _ := slices.BinarySearch(places, p)
				places = slices.Insert(places, at, p)
				found = slices.Insert(found, at, want{i, n})
			}
		}
	}
	return found
}

func (k *cast) demand(w want) *demand { return &k.themes[w.theme].demands[w.n] }

// carriedIn is the last motion that carried in a visit to a phase, or nil.
func (m *minutes) carriedIn(visit int) *motionNote {
	for _, n := range slices.Backward(m.motions) {
		if n.visit == visit && n.carried() {
			return n
		}
	}
	return nil
}

// settled lists what earlier phases resolved to want.
func (m *minutes) settled() []want {
	var all []want
	for _, n := range m.motions {
		if n.carried() {
			all = append(all, n.wants...)
		}
	}
	return all
}

// lastOf is the last remark of a member in a turn, or nil.
func (m *minutes) lastOf(id council.MemberID) *remark {
	for i := range slices.Backward(m.remarks) {
		if r := &m.remarks[i]; r.by == id && r.kind == council.AskTurn {
			return r
		}
	}
	return nil
}

// turnsOf counts the contributions of a member in the phase under way.
func (m *minutes) turnsOf(id council.MemberID) int {
	n := 0
	for _, r := range m.remarks {
		if r.by == id && r.kind == council.AskTurn && r.seq > m.since {
			n++
		}
	}
	return n
}
