// Package rehearsal is a member that asks no model, so that a council can be tried, learnt and tested without a key.
//
// Each member quotes the passages of the documents that fit its focus, and asks in one sentence that the decision
// answer for it. Motions collect what was asked for; a member votes for one that holds its own request. It shows the
// procedure, and judges nothing. A reply is a pure function of the view: the same view gives the same bytes, on any
// machine.
//
// It is its own package because every kind of member is one: only the table of kinds knows them all.
package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
)

// Name is the model that the rehearsal reports.
const Name = "rehearsal"

// Model answers prompts from their views alone. It is safe for concurrent use, and one serves any number of seats
// and sessions.
type Model struct {
	mu   sync.Mutex
	read map[string][]passage // of the last topic, by its digests
}

var _ member.Model = (*Model)(nil)

// New returns a rehearsal that has read nothing yet.
func New() *Model { return &Model{} }

// Complete answers from p.View. Its error is ctx's, when that has ended, or a *member.CallError for a view that holds
// no topic, charter or seat.
func (r *Model) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	if err := ctx.Err(); err != nil {
		return prompt.Completion{}, err
	}
	text, err := r.answer(p.View)
	if err != nil {
		return prompt.Completion{}, &member.CallError{Fault: council.Fault{Kind: council.FaultEmpty, Message: err.Error()}}
	}
	return prompt.Completion{Text: text, Stop: prompt.StopEnd, Usage: council.Usage{Model: Name, Calls: 1}}, nil
}

func (r *Model) answer(v council.View) (string, error) {
	if v.Topic == nil || v.Charter == nil || v.Seat == nil {
		return "", fmt.Errorf("the rehearsal was asked %q without a topic, a charter or a seat", v.Ask.Kind)
	}
	if !slices.Contains(v.Seats, v.Seat.ID) {
		return "", fmt.Errorf("member %q has no seat in the charter", v.Seat.ID)
	}
	answer := answers[v.Ask.Kind]
	if answer == nil {
		return "", fmt.Errorf("the rehearsal has no answer to an ask of kind %q", v.Ask.Kind)
	}
	if v.Ask.Kind == council.AskReview && v.Draft == nil {
		return "", errors.New("there is no draft to review")
	}
	s := seat{View: v, passages: r.passages(v.Topic), cast: cast(v.Charter, v.Seats), course: follow(v.Events)}
	s.focus = s.cast[v.Seat.ID]
	return prompt.Text(answer(s)), nil
}

// answers are the answers to each kind of question.
var answers = map[council.AskKind]func(seat) council.Body{
	council.AskPosition: seat.position, council.AskTurn: seat.turn, council.AskReply: seat.reply,
	council.AskSecond: seat.second, council.AskAmend: seat.amend, council.AskBallot: seat.ballot,
	council.AskAssess: seat.assess, council.AskSummary: seat.summary, council.AskDraft: seat.draft,
	council.AskReview: seat.review, council.AskDissent: seat.dissent,
	council.AskNominate: func(s seat) council.Body { return s.nominate() },
	council.AskRank: func(s seat) council.Body {
		return council.Ranked{Rationale: "In the order in which they serve " + s.focus.name + ".",
			Ranking: s.ranking(s.Motion.Options)}
	},
}

// passages reads a topic once for all the questions of a session.
func (r *Model) passages(t *council.Topic) []passage {
	key := t.Text
	for _, d := range t.Documents {
		key += "\x00" + d.Name + "\x00" + d.SHA256
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.read[key]; !ok {
		r.read = map[string][]passage{key: read(t)}
	}
	return r.read[key]
}

// seat is a member with what it knows when it is asked.
type seat struct {
	council.View
	focus    focus
	cast     map[council.MemberID]focus
	passages []passage
	course   course
}

// best ranks the passages that may be taken by how they fit the member's focus and the topic, at most n.
func (s seat) best(f focus, n int, may func(passage) bool) []passage {
	type ranked struct {
		passage
		score int
	}
	var all []ranked
	topic := wordsOf(s.Topic.Text)
	for _, p := range s.passages {
		if may(p) {
			all = append(all, ranked{p, 3*min(3, fit(f.words, p.words)) + min(2, shared(topic, p.words))})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return b.score - a.score })
	var out []passage
	for _, r := range all[:min(n, len(all))] {
		out = append(out, r.passage)
	}
	return out
}

// fresh reports whether no member has quoted a passage yet.
func (s seat) fresh(p passage) bool { return !strings.Contains(s.course.said, words(p.text)) }

// name returns how a member is spoken of, safe within Markdown.
func (s seat) name(id council.MemberID) string {
	if m := s.Charter.Asked(id); m != nil {
		return hostile.Inline(brief(m.Name, 60))
	}
	return hostile.Inline(string(id))
}

// question returns the topic, cut to one line, between quotation marks.
func (s seat) question() string { return words(brief(s.Topic.Text, 200)) }

// course is the session so far.
type course struct {
	said     string // all that members wrote
	visit    int    // the phase visit under way
	deciding int    // the last visit to the deciding phase
	turns    []council.Event
	motions  []*motion
	reviews  []council.ReviewGiven
	asked    bool // a member put a question
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
	var deciding *council.Phase
	for _, e := range events {
		switch p := e.Payload.(type) {
		case council.SessionStarted:
			deciding = p.Charter.DecidingPhase()
		case council.PhaseStarted:
			c.visit, c.turns = p.Visit, nil
			if deciding != nil && p.Phase == deciding.ID {
				c.deciding = p.Visit
			}
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
						chosen := c.motion(m.Of[*p.Choice.Chosen])
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

// resolution returns the last motion that carried in the last visit to the deciding phase, or nil.
func (c *course) resolution() *motion {
	for _, m := range slices.Backward(c.motions) {
		if m.visit == c.deciding && m.carried() {
			return m
		}
	}
	return nil
}
