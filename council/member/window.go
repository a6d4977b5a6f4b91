package member

import (
	"context"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Whole makes a reply to a part of its prompt a fault: m's server holds window tokens, and some servers (Ollama) cut what is
// longer without a word. It shows in their count of the prompt: it is then exactly the window, or half of it. The fault is a
// [CallError] of the kind context-too-long with the usage of the reply.
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
		words := fmt.Sprintf("the server counted %d tokens of a prompt of %d bytes and left out the rest: its context holds %d tokens",
			tokens, p.Bytes(), window)
		return prompt.Completion{}, &CallError{Fault: council.Fault{Kind: council.FaultContextTooLong, Message: words}, Usage: c.Usage}
	})
}

// densest is more than any language has of bytes for a token, over a whole prompt.
const densest = 6

// cutTo reports whether a server that counted so many tokens of a prompt of so many bytes has cut it to its window. Newer versions of Ollama
// keep half of the window and a few tokens more (ollama/ollama issue 17427); that a prompt has just so many is told apart by
// its bytes.
func cutTo(window, tokens, bytes int64) bool {
	half := tokens >= window/2 && tokens <= window/2+8
	return tokens == window || half && bytes > densest*tokens
}
