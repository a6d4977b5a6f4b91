package expunge

import (
	"reflect"
	"regexp"
	"slices"
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
