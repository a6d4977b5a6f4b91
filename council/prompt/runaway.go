package prompt

import (
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/prompt/internal/reply"
)

// Runaway reports whether a reply that is still being written is not worth reading further: it repeats itself without
// end, or it is far longer than the question asks for. How long a thought before an answer may be is not known.
func (p *Prompt) Runaway(text string) bool {
	return repeats(text) || p.Contract != nil && len(text) > form.MostBytes(p.Contract.Forms) && !reply.BeginsThought(text)
}

// A text repeats itself where its end is the same passage over and over: of at most longestPassage bytes, fewestTimes and
// in leastRepeated bytes at least. A table or a rule of dashes is shorter.
const (
	longestPassage = 600
	fewestTimes    = 6
	leastRepeated  = 1_500
)

func repeats(text string) bool {
	for passage := 1; passage <= longestPassage; passage++ {
		repeated := max(leastRepeated, fewestTimes*passage)
		if len(text) < repeated {
			return false
		}
		end := text[len(text)-repeated:]
		if end[passage:] == end[:repeated-passage] {
			return true
		}
	}
	return false
}
