// Package rehearsal is a member that asks no model. It speaks from the topic and the context documents: it quotes the
// passages that matter to its traits and focus weights, asks for what its concerns want, moves, seconds and votes by
// them, and as leader writes the document from what was said.
//
// It serves to learn the tool, to try a charter, and to test. A reply is a pure function of the view: the same view
// gives the same bytes, on any machine.
package rehearsal

import (
	"context"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/paper"
	"github.com/council-engine/council/council/prompt"
)

// Name is what the rehearsal reports as its model.
const Name = "rehearsal"

// Model answers prompts from their views alone. It is safe for concurrent use, and one serves any number of seats
// and sessions.
type Model struct {
	shelf mind.Shelf
}

var _ member.Model = (*Model)(nil)

// New returns a rehearsal that has read nothing yet.
func New() *Model { return &Model{} }

// Complete answers from p.View. Its error is ctx's, when that has ended, or a *member.CallError for a view that holds
// no topic, charter or seat.
func (r *Model) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	if err := ctx.Err(); err != nil {
		return prompt.Completion{}, err
	}
	text, err := r.answer(p.View)
	if err != nil {
		return prompt.Completion{}, &member.CallError{Fault: council.Fault{Kind: council.FaultEmpty, Message: err.Error()}}
	}
	return prompt.Completion{Text: text, Stop: prompt.StopEnd, Usage: council.Usage{Model: Name, Calls: 1}}, nil
}

// seat is a member in the debate.
type seat struct{ *mind.Mind }

func (r *Model) answer(v council.View) (string, error) {
	if v.Topic == nil || v.Charter == nil || v.Seat == nil {
		return "", fmt.Errorf("the rehearsal was asked %q without a topic, a charter or a seat", v.Ask.Kind)
	}
	m := mind.New(v, r.shelf.Index(v.Topic))
	if m.Me == nil {
		return "", fmt.Errorf("member %q has no seat in the charter", v.Seat.ID)
	}
	s := seat{m}
	switch v.Ask.Kind {
	case council.AskPosition:
		return prompt.Text(s.position()), nil
	case council.AskNominate:
		return prompt.Text(s.nominate()), nil
	case council.AskTurn:
		return prompt.Text(s.turn()), nil
	case council.AskSecond:
		return prompt.Text(s.second()), nil
	case council.AskBallot:
		if v.Motion == nil && v.Draft != nil {
			return prompt.Text(paper.Ballot(m)), nil
		}
		return prompt.Text(s.ballot()), nil
	case council.AskAssess:
		return prompt.Text(s.assess()), nil
	case council.AskSummary:
		return prompt.Text(paper.Summary(m)), nil
	case council.AskDraft:
		return paper.Draft(m), nil
	case council.AskReview:
		if v.Draft == nil {
			return "", fmt.Errorf("there is no draft to review")
		}
		return prompt.Text(paper.Review(m)), nil
	case council.AskDissent:
		return prompt.Text(paper.Dissent(m)), nil
	}
	return "", fmt.Errorf("the rehearsal has no answer to an ask of kind %q", v.Ask.Kind)
}
