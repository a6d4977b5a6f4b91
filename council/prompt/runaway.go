package prompt

import (
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/prompt/internal/reply"
)

// Runaway reports whether an unfinished reply need not be read further: it repeats itself without end, or exceeds the
// length that the question asks for by more than room bytes. A thought before an answer may have any length.
func (p *Prompt) Runaway(text string, room int) bool {
	if p.Contract != nil && len(text) > form.MostBytes(p.Contract.Forms)+room && !reply.BeginsThought(text) {
		return true
	}
	return repeats(text)
}

// A text repeats itself if it ends in the same passage over and over: of at most longestPassage bytes, fewestTimes and
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
