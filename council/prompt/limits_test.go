package prompt_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
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
