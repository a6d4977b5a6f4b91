package budget

import (
	"context"

	"github.com/council-engine/council/council"
)

// Answerer is what sits in a seat: the Member that package engine asks for.
type Answerer interface {
	Answer(ctx context.Context, v council.View) (council.Reply, error)
}

// Seat gives back what was held for a question of m's once it is answered or given up without a call.
func (p *Budget) Seat(m Answerer) Answerer { return seat{p, m} }

type seat struct {
	budget *Budget
	member Answerer
}

func (s seat) Answer(ctx context.Context, v council.View) (council.Reply, error) {
	defer s.budget.release(v.Ask.ID)
	return s.member.Answer(ctx, v)
}
