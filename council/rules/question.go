package rules

import (
	"slices"

	"github.com/council-engine/council/council"
)

// mayAsk reports whether a turn may put a question.
func (s *Session) mayAsk() bool {
	return s.phase != nil && !s.together && s.asked < s.phase.StopConditions.MaxQuestions
}

func (s *Session) putQuestion(
	m council.MemberID, answered council.Answered, t council.Turn,
) (council.Payload, error) {
	if t.To == m || t.To != council.Convener && !slices.Contains(s.seats, t.To) {
		return nil, badReply("a question is put to another member or to %s, not to %q", council.Convener, t.To)
	}
	return council.QuestionPut{
		Answered: answered, To: t.To, Question: t.Question,
		Unanswered: t.To == council.Convener && !s.charter.Deliberation.Convener,
	}, needs("question", t.Question)
}

// takeQuestion puts a question to whom it is for, before the round goes on.
func (s *Session) takeQuestion(e council.Event, p council.QuestionPut) {
	s.spoke++
	s.moved++
	s.asked++
	if p.Unanswered {
		s.nextTurn()
		return
	}
	s.question = &council.Question{By: e.Actor, To: p.To, Text: p.Question, Seq: e.Seq}
	s.put(council.AskReply, p.To)
}
