package rehearsal

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// course is the session so far.
type course struct {
	said    string // all that members wrote
	visit   int    // the phase visit under way
	turns   []council.Event
	motions []*motion
	reviews []council.ReviewGiven
	asked   bool // a member put a question
}

// motion is a motion and what became of it.
type motion struct {
	council.Motion
	visit     int
	votes     []vote
	decidedAt council.Seq
	decision  *council.Decision
}

// vote is a ballot on a motion.
type vote struct {
	by     council.MemberID
	choice council.Choice
}

func (m *motion) carried() bool { return m.decision != nil && m.decision.Result == quorum.Carried }

// follow reads a log.
func follow(events []council.Event) course {
	var c course
	var said strings.Builder
	for _, e := range events {
		switch p := e.Payload.(type) {
		case council.PhaseStarted:
			c.visit, c.turns = p.Visit, nil
		case council.PositionSealed:
			said.WriteString(p.Position.Position)
		case council.ContributionMade:
			said.WriteString(p.Message)
			c.turns = append(c.turns, e)
		case council.QuestionPut:
			c.asked = true
		case council.QuestionAnswered:
			said.WriteString(p.Answer.Answer)
		case council.MotionMade:
			said.WriteString(p.MotionText)
			c.motions = append(c.motions, &motion{visit: c.visit, Motion: council.Motion{ID: p.Motion, Mover: e.Actor,
				Title: p.MotionTitle, Text: p.MotionText, Decision: p.DecisionIfPass, Options: p.Options, Seq: e.Seq}})
		case council.MotionAmended:
			if m := c.motion(p.Motion); m != nil {
				m.Title, m.Text, m.Decision = p.MotionTitle, p.MotionText, p.DecisionIfPass
			}
		case council.ChoicePut:
			c.motions = append(c.motions, &motion{visit: c.visit,
				Motion: council.Motion{ID: p.Motion, Title: "the choice", Options: p.Options, Seq: e.Seq, Of: p.Motions}})
		case council.BallotCast:
			if m := c.motion(p.Motion); m != nil {
				m.votes = append(m.votes, vote{e.Actor, p.Ballot.Ballot})
			}
		case council.MotionDecided:
			if m := c.motion(p.Motion); m != nil {
				m.decision, m.decidedAt = &p.Decision, e.Seq
				if p.Choice != nil {
					m.Decision = council.Chosen(m.Options, p.Choice)
					m.Text = "The council ranked the options and chose “" + m.Decision + "”."
					if m.carried() && len(m.Of) > 0 {
						chosen := c.motion(m.Of[p.Choice.Winner])
						m.Text, m.Decision = chosen.Text, chosen.Decision
					}
				}
			}
		case council.ReviewGiven:
			c.reviews = append(c.reviews, p)
		}
	}
	c.said = said.String()
	return c
}

func (c *course) motion(id council.MotionID) *motion {
	for _, m := range c.motions {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// here lists the motions of the visit under way.
func (c *course) here() []*motion {
	var all []*motion
	for _, m := range c.motions {
		if m.visit == c.visit {
			all = append(all, m)
		}
	}
	return all
}

// resolution returns the motion that the last phase that voted carried, or nil.
func (c *course) resolution() *motion {
	var last *motion
	for _, m := range c.motions {
		if m.decision != nil && (m.carried() || last == nil || last.visit != m.visit || !last.carried()) {
			last = m
		}
	}
	if last == nil || !last.carried() {
		return nil
	}
	return last
}
