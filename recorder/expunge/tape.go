package expunge

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/conversation"
)

// Tape returns the lines of a member's conversation without the words, and whether any line changed. Changed lines are
// marked. With the words go the digests by which they could be guessed: those of every prompt that held them, which are
// all from the first on. openingChanged says that the opening lost words, which every prompt begins with.
func (p *Plan) Tape(
	member council.MemberID,
	lines []conversation.Line,
	openingChanged bool,
) ([]conversation.Line, bool) {
	t := taping{plan: p, asks: map[council.AskID]bool{}, touched: openingChanged}
	after := len(lines) > 0 && lines[0].Format > 0 // the close, it goes on from the member's last answer
	for _, e := range p.entries {
		a, ok := e.Answered()
		if !ok || e.Actor != member {
			continue
		}
		if t.asks[a.Ask] = t.asks[a.Ask] || p.wholly[e.Seq]; after && e.Said() != nil {
			t.last = a.Ask
		}
	}
	out, changed := make([]conversation.Line, len(lines)), false
	for i, was := range lines {
		l := t.line(was)
		if !reflect.DeepEqual(l, was) {
			t.touched, changed, l.Forgotten = true, true, true
		}
		if l.Role == conversation.RoleAssistant && (after || p.answered[l.Ask]) {
			t.last = l.Ask
		}
		out[i] = l
	}
	return out, changed
}

// taping is a walk along one conversation.
type taping struct {
	plan    *Plan
	asks    map[council.AskID]bool // of the member's own answers of which nothing is kept
	last    council.AskID          // the last one that was answered and went on in the conversation
	touched bool                   // words are gone that later prompts held
}

// line returns what is left of a line.
func (t *taping) line(l conversation.Line) conversation.Line {
	switch l.Role {
	case conversation.RoleSystem:
		if t.touched {
			l.SharedSHA256 = ""
		}
		l.Persona = t.plan.personas.Erase(t.plan.phrases.Erase(l.Persona))
		l.Title = t.plan.phrases.Erase(l.Title)
	case conversation.RoleUser:
		was := l.Messages
		l.Messages, l.Content = t.messages(l), conversation.Text(t.plan.phrases.Erase(l.Content.String()))
		if t.touched || !slices.Equal(l.Messages, was) {
			l.PromptSHA256 = ""
		}
	case conversation.RoleAssistant:
		l = t.reply(l)
	case conversation.RoleToolUse:
		l.Arguments = t.word(l.Ask, l.Arguments)
	case conversation.RoleToolResult:
		if l.Use != nil {
			use := *l.Use
			use.Arguments, use.Result = t.word(l.Ask, use.Arguments), t.word(l.Ask, use.Result)
			l.Use = &use
		}
	case conversation.RoleFault:
		if l.Fault != nil {
			f := *l.Fault
			f.Message = t.plan.phrases.Erase(f.Message)
			if t.asks[l.Ask] && f.Message != "" {
				f.Message = council.ForgottenMark
			}
			l.Fault = &f
		}
	}
	return l
}

// word returns what is left of a text of a member's own answer.
func (t *taping) word(ask council.AskID, text string) string {
	if t.asks[ask] && text != "" {
		return council.ForgottenMark
	}
	return t.plan.phrases.Erase(text)
}

// messages returns what is left of the messages of a question.
func (t *taping) messages(l conversation.Line) []conversation.Message {
	out := slices.Clone(l.Messages)
	for i := range out {
		m := &out[i]
		own := m.Role == "assistant" && t.asks[t.last] || l.Try > 1 && t.asks[l.Ask]
		if own {
			m.Content = council.ForgottenMark // the member's own answer as it is reminded of it, or a complaint about one
			continue
		}
		m.Content = t.plan.personas.Erase(t.plan.phrases.Erase(t.plan.untell(m.Content)))
	}
	return out
}

// reply returns what is left of a reply. One that is not UTF-8 is not told: its text may be in any form, so it is kept
// only where nothing of it is to go.
func (t *taping) reply(l conversation.Line) conversation.Line {
	if len(l.ContentBase64) > 0 {
		if t.asks[l.Ask] || t.plan.phrases.Hold(string(l.ContentBase64)) {
			l.ContentBase64, l.Content = nil, conversation.Text(council.ForgottenMark)
		}
		return l
	}
	l.Content = conversation.Text(t.word(l.Ask, l.Content.String()))
	return l
}

// A prompt tells each event on lines of its own, which begin with the event's id, and fences what somebody said. A line
// on a phase that ended, or on a motion, names the motion.
var (
	fence = regexp.MustCompile(`<<(peer|data) ([0-9a-f]{12})[ \n]`)
	told  = regexp.MustCompile(`(?:^\[|[mM]otion )e([1-9][0-9]*)\b`)
)

// untell erases what a prompt tells of events of which nothing is kept: everything that is fenced on a line that begins
// with the id of one, or that speaks of its motion, and on the lines without an id that follow.
func (p *Plan) untell(prompt string) string {
	var left strings.Builder
	for named := false; ; {
		at := fence.FindStringSubmatchIndex(prompt)
		if at == nil {
			break
		}
		closing := prompt[at[4]:at[5]] + " " + prompt[at[2]:at[3]] + ">>"
		before := prompt[:at[1]]
		said, after, closed := strings.Cut(prompt[at[1]:], closing)
		if !closed || said == "" {
			break
		}
		if seq := lastTold(before); seq != 0 {
			named = p.wholly[seq]
		}
		if named {
			said = council.ForgottenMark + said[len(said)-1:] // and what stands before the end of the fence
		}
		left.WriteString(before + said + closing)
		prompt = after
	}
	return left.String() + prompt
}

// lastTold returns the event that the last line before a fence tells of, or 0 when no line names one.
func lastTold(before string) council.Seq {
	for _, line := range slices.Backward(strings.Split(before, "\n")) {
		if m := told.FindStringSubmatch(line); m != nil {
			seq, _ := strconv.Atoi(m[1])
			return council.Seq(seq)
		}
	}
	return 0
}
