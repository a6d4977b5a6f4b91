package expunge

import (
	"regexp"
	"strings"

	"github.com/council-engine/council/council"
)

// A prompt tells each event on lines of its own, which begin with the event's id, and fences what somebody said. A line
// on a phase that ended, or on a motion, names the motion.
var (
	fence = regexp.MustCompile(`<<(peer|data) ([0-9a-f]{12})[ \n]`)
	told  = regexp.MustCompile(`(?:^\[|[mM]otion )(e[1-9][0-9]*)\b`)
)

// untell erases what a prompt tells of events of which nothing is kept: everything that is fenced on a line that begins
// with the id of one, or that speaks of its motion, and on the lines without an id that follow.
func (p *Plan) untell(prompt string) string {
	ids := map[string]bool{}
	for seq, gone := range p.wholly {
		if gone {
			ids[seq.ID()] = true
		}
	}
	if len(ids) == 0 {
		return prompt
	}
	var b strings.Builder
	named := false
	for {
		at := fence.FindStringSubmatchIndex(prompt)
		if at == nil {
			b.WriteString(prompt)
			return b.String()
		}
		before, word, token := prompt[:at[1]], prompt[at[2]:at[3]], prompt[at[4]:at[5]]
		length := strings.Index(prompt[at[1]:], token+" "+word+">>")
		if length < 1 { // a fence that is not closed
			b.WriteString(prompt)
			return b.String()
		}
		if id := lastTold(before); id != "" {
			named = ids[id]
		}
		b.WriteString(before)
		said, end := prompt[at[1]:at[1]+length-1], at[1]+length-1
		if named {
			said = council.ForgottenMark
		}
		b.WriteString(said)
		next := end + 1 + len(token+" "+word+">>")
		b.WriteString(prompt[end:next])
		prompt = prompt[next:]
	}
}

// lastTold returns the event that the last line before a fence tells of, or "" when no line names one.
func lastTold(before string) string {
	lines := strings.Split(before, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if m := told.FindStringSubmatch(lines[i]); m != nil {
			return m[1]
		}
	}
	return ""
}
