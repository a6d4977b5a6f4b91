package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Complete puts a prompt by put, with the caller's key, and again without what the server complained of; put says what it
// sent of that, and its usage is of tokens alone. A key that the server refuses is renewed once, where it can be. A reply
// that the server itself could not use is asked for once more without a contract, and is a completion if that fails too:
// see [Rejection.Written]. The completion's usage counts every call that was put. See [member.Model] for errors.
func (e *Endpoint) Complete(ctx context.Context, p prompt.Prompt,
	put func(key string, p prompt.Prompt) (prompt.Completion, []Feature, error)) (prompt.Completion, error) {
	start := e.now()
	spent := council.Usage{}
	key, err := e.caller.Get(ctx)
	if err != nil {
		return prompt.Completion{}, e.fault(ctx, err, spent)
	}
	renewed := false
	for {
		c, sent, err := put(key, p)
		e.cut(&c)
		spent = spent.Add(c.Usage)
		if !errors.Is(err, errUnsent) {
			spent.Calls++
		}
		if errors.Is(err, ErrTooLong) {
			c.Stop, err = prompt.StopTooLong, nil
		}
		if err == nil {
			spent.ElapsedMS = e.now().Sub(start).Milliseconds()
			c.Usage = spent
			return c, nil
		}
		if written, ok := misshapen(err); ok && ctx.Err() == nil {
			if slices.Contains(sent, Schema) {
				p.Contract = nil
				continue
			}
			spent.ElapsedMS = e.now().Sub(start).Milliseconds()
			c = prompt.Completion{Text: written, Stop: prompt.StopEnd, Usage: spent}
			e.cut(&c)
			return c, nil
		}
		if !renewed && ctx.Err() == nil && unauthorised(err) {
			renewed = true
			other, ok, failed := e.caller.Renew(ctx, key)
			if ok {
				key = other
				continue
			}
			if failed != nil {
				err = failed
			}
		}
		if ctx.Err() != nil || !e.learn(err, sent...) {
			spent.ElapsedMS = e.now().Sub(start).Milliseconds()
			return prompt.Completion{}, e.fault(ctx, err, spent)
		}
	}
}

// cut takes secrets out of all that a server says in its own words, because it goes into the record.
func (e *Endpoint) cut(c *prompt.Completion) {
	for _, words := range []*string{&c.Text, &c.RequestID, &c.Usage.Model} {
		*words = e.wallet.Cut(*words)
	}
}

// misshapen returns what a model had written when its own server refused to pass that on, because it is not in the form
// that was asked for.
func misshapen(err error) (written string, ok bool) {
	var r *Rejection
	if !errors.As(err, &r) || !strings.Contains(r.Kind, "json_validate_failed") {
		return "", false
	}
	return r.Written, true
}

// unauthorised reports whether a server refused who asks, and not what.
func unauthorised(err error) bool {
	var r *Rejection
	return errors.As(err, &r) && r.Status == http.StatusUnauthorized
}

// Bearer reports whether the caller's key is a token of a login, which is always sent as one that bears it.
func (e *Endpoint) Bearer() bool {
	return e.Model.Auth != nil && e.Model.Auth.Method == "oauth-device-code"
}

// Encode is the body of a request: JSON in which nothing is escaped that need not be.
func Encode(request any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(request)
	return b.Bytes(), err
}
