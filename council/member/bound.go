package member

import (
	"context"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

const (
	usualReply = 256 << 10 // bytes of text that a reply may have, unless the charter says otherwise
	keptOfLong = 4 << 10   // bytes that are kept of one that has more
)

// ReplyLimit is how many bytes of text a reply of the model may have. One that has more is unusable.
func ReplyLimit(m council.Model) int {
	if m.MaxReplyBytes > 0 {
		return m.MaxReplyBytes
	}
	return usualReply
}

// Bound marks a reply of m that has more text than limit, in bytes, with [prompt.StopTooLong], and keeps the beginning of
// one that has this mark. A model that reads from a stream sets the mark itself, and need not read further.
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
