package endpoint

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Complete puts a prompt to the model, streaming, and again without what the server complained of, such as a schema or
// a temperature; other errors are not tried again here. A key that the server refuses is renewed once, where it can be.
// A reply that the server itself could not use is asked for once more without a contract, and is a completion if that
// fails too. The completion's usage counts every call that was put. See [member.Model] for errors.
func (m *Model) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	start := m.now()
	spent := council.Usage{}
	key, err := m.caller.Get(ctx)
	if err != nil {
		return prompt.Completion{}, m.fault(ctx, err, spent)
	}
	renewed := false
	for {
		c, sent, err := m.post(ctx, key, p)
		m.cut(&c)
		spent = spent.Add(c.Usage)
		if !errors.Is(err, errUnsent) {
			spent.Calls++
		}
		if errors.Is(err, errTooLong) {
			c.Stop, err = prompt.StopTooLong, nil
		}
		if err == nil {
			spent.ElapsedMS = m.now().Sub(start).Milliseconds()
			c.Usage = spent
			return c, nil
		}
		if written, ok := misshapen(err); ok && ctx.Err() == nil {
			if slices.Contains(sent, schemaFeature) {
				p.Contract = nil
				continue
			}
			spent.ElapsedMS = m.now().Sub(start).Milliseconds()
			c = prompt.Completion{Text: written, Stop: prompt.StopEnd, Usage: spent}
			m.cut(&c)
			return c, nil
		}
		if !renewed && ctx.Err() == nil && unauthorised(err) {
			renewed = true
			other, ok, failed := m.caller.Renew(ctx, key)
			if ok {
				key = other
				continue
			}
			if failed != nil {
				err = failed
			}
		}
		if ctx.Err() != nil || !m.learn(err, sent...) {
			spent.ElapsedMS = m.now().Sub(start).Milliseconds()
			return prompt.Completion{}, m.fault(ctx, err, spent)
		}
	}
}

// cut takes secrets out of the server's own words, because they go into the record.
func (m *Model) cut(c *prompt.Completion) {
	for _, words := range []*string{&c.Text, &c.RequestID, &c.Usage.Model} {
		*words = m.wallet.Cut(*words)
	}
}

// misshapen returns what a model had written when its own server refused to pass that on, because it is not in the form
// that was asked for.
func misshapen(err error) (written string, ok bool) {
	var r *rejection
	if !errors.As(err, &r) || !strings.Contains(r.Kind, "json_validate_failed") {
		return "", false
	}
	return r.Written, true
}

// unauthorised reports whether a server refused who asks, and not what.
func unauthorised(err error) bool {
	var r *rejection
	return errors.As(err, &r) && r.Status == http.StatusUnauthorized
}

// bearer reports whether the caller's key is a token of a login, which is always sent as one that bears it.
func (m *Model) bearer() bool {
	return m.model.Auth != nil && m.model.Auth.Method == "oauth-device-code"
}
