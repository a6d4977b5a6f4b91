package council

import "slices"

// The lengths that are assumed of a session before any is known.
const (
	UsualBytesPerToken = 4   // of a prompt, in English
	UsualPosition      = 300 // tokens of a position
)

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
