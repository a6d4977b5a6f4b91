package council

import "slices"

// The lengths that are assumed of a session before any is known.
const (
	UsualBytesPerToken = 4   // of a prompt, in English
	UsualPosition      = 300 // tokens of a position
)

// ReplyLength is how many tokens a reply of one kind has.
type ReplyLength struct{ Short, Usual, Long int64 }

// ReplyLengths are those assumed before any is known: of a sentence or two, of one as long as the question asks for,
// and of the longest, with as much reasoning as models commonly do before it.
var ReplyLengths = map[AskKind]ReplyLength{
	AskPosition: {80, UsualPosition, 4_000},
	AskNominate: {40, 100, 2_000},
	AskPropose:  {200, 600, 8_000},
	AskTurn:     {40, 250, 6_000},
	AskReply:    {30, 150, 4_000},
	AskSecond:   {30, 100, 2_000},
	AskAmend:    {30, 80, 2_000},
	AskBallot:   {30, 150, 3_000},
	AskRank:     {30, 150, 3_000},
	AskAssess:   {100, 500, 6_000},
	AskSummary:  {200, 700, 8_000},
	AskDraft:    {300, 2_000, 20_000},
	AskReview:   {100, 500, 6_000},
	AskDissent:  {10, 200, 4_000},
}

// ReplyTokens returns the most tokens that a reply of the model to a question of one kind may have: those of its
// maxTokens, or else four times the longest, so that a model which does not stop is stopped. It is 0, for no limit,
// where the model's context has no room for twice as many, and where the model was given more than medium effort.
func (m *Model) ReplyTokens(kind AskKind) int {
	limit := int(min(4*ReplyLengths[kind].Long, maxReplyTokens))
	if m.MaxTokens > 0 {
		return m.MaxTokens
	}
	if m.ContextWindow > 0 && limit > m.ContextWindow/2 || slices.Index(Efforts, m.Effort(kind)) > mediumEffort {
		return 0
	}
	return limit
}

const maxReplyTokens = 16_384 // many hosted models write no more

// Efforts are how long a model may reason before it answers, from the least. Models take some of them.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

const lowEffort, mediumEffort = 2, 3 // in Efforts

// Effort returns how long the model may reason before it answers a question of one kind: as its reasoningEffort says,
// but no more than "low" where its reasons are in the conversation already, and it only votes, names or sums up.
func (m *Model) Effort(kind AskKind) string {
	switch kind {
	case AskNominate, AskSecond, AskAmend, AskBallot, AskRank, AskSummary, AskDissent:
		if slices.Index(Efforts, m.ReasoningEffort) > lowEffort {
			return Efforts[lowEffort]
		}
	}
	return m.ReasoningEffort
}

const answerWithReasons = "Answer with reasons."

// FiveAnswers returns the assumed usage, and the cost, of asking one member five times at once, by the topic and its
// documents alone, to answer with reasons. The member is the first in turn order that has a model. No part of the five
// prompts is read from a cache: none of them is complete when the next is sent. The cost is not known where the price
// is not, or where no member has a model.
func (c *Charter) FiveAnswers(t *Topic) (u Usage, cost Money, known bool) {
	bytes := len(t.Text) + len(answerWithReasons)
	for _, d := range t.Documents {
		bytes += len(d.Name) + len(d.Text)
	}
	u = Usage{Calls: 5, InputTokens: 5 * int64(bytes/UsualBytesPerToken), OutputTokens: 5 * UsualPosition}
	for _, id := range c.Seats() {
		if m := c.Member(id); m != nil && !m.Model.Kind().NoModel {
			cost, known = c.Cost(id, u, false)
			break
		}
	}
	return u, cost, known
}

// AsksModels reports whether a model speaks for any member.
func (c *Charter) AsksModels() bool {
	return slices.ContainsFunc(c.Members, func(m Member) bool { return !m.Model.Kind().NoModel })
}
