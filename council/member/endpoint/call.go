package endpoint

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Complete puts a call by put, and again without what the server complained of; put says what it sent of that, and
// its usage is of tokens alone. The completion's usage counts every call that was put. See [member.Model] for errors.
func (e *Endpoint) Complete(ctx context.Context, put func() (prompt.Completion, []Feature, error)) (prompt.Completion, error) {
	start := e.now()
	spent := council.Usage{}
	for {
		c, sent, err := put()
		spent = spent.Add(c.Usage)
		spent.Calls++
		if err == nil {
			spent.ElapsedMS = e.now().Sub(start).Milliseconds()
			c.Usage = spent
			return c, nil
		}
		if ctx.Err() != nil || !e.learn(err, sent...) {
			spent.ElapsedMS = e.now().Sub(start).Milliseconds()
			return prompt.Completion{}, e.fault(ctx, err, spent)
		}
	}
}

// Encode is the body of a request: JSON in which nothing is escaped that need not be.
func Encode(request any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(request)
	return b.Bytes(), err
}
