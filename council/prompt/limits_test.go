package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
)

// A conversation starts anew before it outgrows the context of its model, and is the same whenever it is laid out.
func TestAConversationStaysWithinTheContextOfItsModel(t *testing.T) {
	const window, perToken = 8192, 3
	c := charter(5, 4)
	for i := range c.Members {
		c.Members[i].Model.ContextWindow = window
	}
	s := convene(t, council.Topic{Text: "How?"}, c)
	restarts, longest := 0, int64(0)
	converse(t, s, prompt.Limits{}, func(v council.View, p *prompt.Prompt) council.Reply {
		longest = max(longest, p.Bytes())
		if p.Restart > 0 && p.Fresh == 0 {
			restarts++
		}
		if fresh := prompt.NewConversation(prompt.Limits{}).Next(v); fresh.Digest != p.Digest {
			t.Fatalf("%s is another prompt when it is laid out again", v.Ask.ID)
		}
		return steady(600)(v)
	})
	room := int64(window-prompt.ReplyTokens(c.Members[0].Model)) * perToken
	if longest > room || restarts < 5 {
		t.Errorf("the longest prompt has %d bytes, %d have room; %d restarts", longest, room, restarts)
	}
}

func TestTheRoomForAReplyIsKeptFree(t *testing.T) {
	for want, m := range map[int]council.Model{
		4096: {}, 1024: {ContextWindow: 4096}, 300: {ContextWindow: 4096, MaxTokens: 300}, 4095: {ContextWindow: 16380},
	} {
		if got := prompt.ReplyTokens(m); got != want {
			t.Errorf("%+v: %d, want %d", m, got, want)
		}
	}
}

func TestRunaway_RepliesThatNeverEnd(t *testing.T) {
	ballot := &prompt.Prompt{Contract: &prompt.Contract{Forms: []form.Form{{
		{Name: "rationale", Type: form.Text, Words: 60}, {Name: "ballot", Type: form.Text, May: []string{"YES", "NO"}}}}}}
	document := &prompt.Prompt{}
	var varied strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&varied, "line %d\n", i)
	}
	table := "| queue | cost |\n|---|---|\n" + strings.Repeat("| NATS | low |\n", 60)
	for _, test := range []struct {
		name string
		p    *prompt.Prompt
		text string
		want bool
	}{
		{"one letter for ever", document, strings.Repeat("a", 1_600), true},
		{"a sentence for ever", document, "# Design\n\n" + strings.Repeat("The Council Should Decide. ", 60), true},
		{"a long passage six times", document, strings.Repeat(varied.String()[:500], 7), true},
		{"a list in JSON", ballot, `{"rationale": "` + strings.Repeat(`The Council Should Decide", "`, 60), true},
		{"a long document", document, varied.String(), false},
		{"a table with equal rows", document, table, false},
		{"a rule of dashes", document, "# Design\n\n" + strings.Repeat("-", 400), false},
		{"a short answer", ballot, `{"rationale": "It is cheap.", "ballot": "YES"}`, false},
		{"a ballot as long as a book", ballot, varied.String(), true},
		{"a ballot after a long thought", ballot, "<think>" + varied.String(), false},
		{"a thought that repeats itself", ballot, "<think>" + strings.Repeat("Wait. ", 400), true},
	} {
		check.Is(t, test.name, test.want, test.p.Runaway(test.text, 4<<10))
	}
}
