package wording

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/price"
	"github.com/council-engine/council/internal/plural"
)

// Budget says what a session may spend: "at most 1,000 tokens, no limit on time".
func Budget(b council.Budget) string {
	tokens, minutes := "no limit on tokens", "no limit on time"
	if b.Tokens > 0 {
		tokens = "at most " + plural.Things(b.Tokens, "token")
	}
	if b.Minutes > 0 {
		minutes = fmt.Sprintf("at most %g minutes of waiting for members", b.Minutes)
	}
	if b.USD > 0 {
		return tokens + ", at most " + price.Dollars(b.USD).String() + ", " + minutes
	}
	return tokens + ", " + minutes
}

// Ended is the sentence on why a debate ended.
func Ended(reason council.DebateEnd) string {
	return map[council.DebateEnd]string{
		council.EndMajorityVote: "The debate ended because a motion was carried.",
		council.EndRoundLimit:   "The debate ended because its rounds were used up.",
		council.EndAllPassed:    "The debate ended because everybody passed.",
		council.EndUncontested:  "The debate ended early: the sealed positions agreed, and what the leader moved at once carried with every vote.",
		council.EndUnanswered:   "The debate ended because nobody answered in a whole round.",
		council.EndNothingNew:   "The debate ended early: in a whole round nobody moved, and nothing was cited that had not been cited before.",
	}[reason]
}
