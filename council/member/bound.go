package member

import (
	"context"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

const (
	usualReply = 256 << 10 // bytes of text in a reply, unless the charter sets maxReplyBytes
	keptOfLong = 4 << 10   // bytes that are kept of one that has more
)

// ReplyLimit returns how many bytes of text a reply of the model may have. One that has more is unusable.
func ReplyLimit(m council.Model) int {
	if m.MaxReplyBytes > 0 {
		return m.MaxReplyBytes
	}
	return usualReply
}

// Bound marks a reply of m that has more text than limit, in bytes, with [prompt.StopTooLong], and keeps the beginning
// of one that has this mark. A model that reads from a stream sets the mark itself, and need not read further.
func Bound(m Model, limit int) Model {
	return ModelFunc(func(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
		c, err := m.Complete(ctx, p)
		if len(c.Text) > limit {
			c.Stop = prompt.StopTooLong
		}
		if c.Stop == prompt.StopTooLong {
			c.Text = strings.Clone(strings.ToValidUTF8(c.Text[:min(len(c.Text), keptOfLong)], "")) // and lets go of the rest
		}
		return c, err
	})
}

// Whole makes a reply to a part of its prompt a fault: m's server holds window tokens, and some servers (Ollama) cut
// what is longer without a word. It shows in their count of the prompt: it is then exactly the window, or half of it.
// The fault is a [CallError] of the kind context-too-long with the usage of the reply.
func Whole(m Model, window int) Model {
	if window <= 0 {
		return m
	}
	return ModelFunc(func(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
		c, err := m.Complete(ctx, p)
		tokens := c.Usage.PromptTokens()
		if err != nil || !cutTo(int64(window), tokens, p.Bytes()) {
			return c, err
		}
		words := fmt.Sprintf(
			"the server counted %d tokens of a prompt of %d bytes and left out the rest: its context holds %d tokens",
			tokens, p.Bytes(), window)
		return prompt.Completion{}, &CallError{Fault: council.Fault{Kind: council.FaultContextTooLong, Message: words},
			Usage: c.Usage}
	})
}

// densest is more than any language has of bytes for a token, over a whole prompt.
const densest = 6

// cutTo reports whether a server that counted so many tokens of a prompt of so many bytes has cut it to its window.
// Newer versions of Ollama keep half of the window and a few tokens more (ollama/ollama issue 17427); that a prompt has
// just so many is told apart by its bytes.
func cutTo(window, tokens, bytes int64) bool {
	half := tokens >= window/2 && tokens <= window/2+8
	return tokens == window || half && bytes > densest*tokens
}
