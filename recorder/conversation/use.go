package conversation

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/recorder/wire"
)

// RecallUse returns what came of the call that the reply to p made, and whether it was begun at all: a call that was begun
// and of which nothing is known was cut off by a crash. A [*DivergedError]: the question on the tape is another.
func (c *Tape) RecallUse(p prompt.Prompt) (use *council.ToolUse, begun bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, err := c.known(p)
	if err != nil || q == nil {
		return nil, false, err
	}
	return q.use, q.called, nil
}

// Calling returns when it is durable that the reply to p calls a tool.
func (c *Tape) Calling(p prompt.Prompt, call council.ToolCall) error {
	return c.tell(p, Line{Role: RoleToolUse, Tool: call.Tool, Arguments: call.Arguments})
}

// Called returns when it is durable what came of that call.
func (c *Tape) Called(p prompt.Prompt, use council.ToolUse) error {
	return c.tell(p, Line{Role: RoleToolResult, Use: &use})
}

// tell writes a line about the reply to p.
func (c *Tape) tell(p prompt.Prompt, l Line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, err := c.known(p)
	if err != nil {
		return err
	}
	if q == nil || q.reply == nil {
		return fmt.Errorf("%s has not answered %s, try %d, and calls a tool", c.member, p.View.Ask.ID, p.Try)
	}
	l.Ask, l.Try, l.At = p.View.Ask.ID, p.Try, wire.Stamp(c.now())
	return c.write(l)
}
