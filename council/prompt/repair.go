package prompt

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
)

// How much of an unusable reply its repair shows again, in characters: enough to see what was wrong, and for a
// document enough to mend it.
const (
	repairObject   = 8_000
	repairDocument = 60_000
	repairProblem  = 1_000
)

// Repair returns the prompt that asks once more after a reply that could not be used. It extends p by the text of the
// reply, bounded and cleaned, and by a message that quotes the problem. It does not change p.
func (p Prompt) Repair(text, problem string) Prompt {
	problem = strings.TrimPrefix(problem, council.ErrBadReply.Error()+": ")
	bound := repairDocument
	if p.Contract != nil {
		bound = repairObject
	}
	text = reply.Shorten(hostile.Clean(text), bound)
	if strings.TrimSpace(text) == "" {
		text = words("nothing", nil) // providers refuse empty messages
	}
	data := struct {
		Problem string
		Object  bool
		Form    string
	}{reply.Shorten(hostile.Line(problem), repairProblem), p.Contract != nil, ""}
	if last := p.Messages[len(p.Messages)-1].Content; !strings.HasSuffix(last, p.form) {
		data.Form = p.form
	}
	return p.extended(p.Try+1, len(p.Messages), []Message{{Assistant, text}, {User, words("repair", data)}})
}

// extended returns a prompt for a further try, with more messages, of which the first one that is new stands at fresh.
func (p Prompt) extended(try, fresh int, by []Message) Prompt {
	p.Try, p.Fresh = try, fresh
	p.Messages = append(slices.Clip(p.Messages), by...)
	p.Digest = Digest(p.System, p.Messages)
	return p
}
