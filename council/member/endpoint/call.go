package endpoint

import (
	"cmp"
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
	c, spent, err := m.try(ctx, p)
	spent.ElapsedMS = m.now().Sub(start).Milliseconds()
	if err != nil {
		return prompt.Completion{}, m.fault(ctx, err, spent)
	}
	// The server's own words go into the record.
	for _, words := range []*string{&c.Text, &c.RequestID, &spent.Model} {
		*words = m.wallet.Cut(*words)
	}
	c.Usage = spent
	return c, nil
}

func (m *Model) try(ctx context.Context, p prompt.Prompt) (c prompt.Completion, spent council.Usage, err error) {
	key, err := m.caller.Get(ctx)
	if err != nil {
		return c, spent, err
	}
	for renewed := false; ; {
		c, sent, err := m.post(ctx, key, p)
		spent = spent.Add(c.Usage)
		if !errors.Is(err, errUnsent) {
			spent.Calls++
		}
		var r *rejection
		switch {
		case errors.Is(err, errTooLong):
			c.Stop = prompt.StopTooLong
			return c, spent, nil
		case err == nil || ctx.Err() != nil || !errors.As(err, &r):
			return c, spent, err
		case strings.Contains(r.Kind, "json_validate_failed") && !slices.Contains(sent, schemaFeature):
			return prompt.Completion{Text: r.Written, Stop: prompt.StopEnd}, spent, nil
		case strings.Contains(r.Kind, "json_validate_failed"):
			p.Contract = nil
		case r.Status == http.StatusUnauthorized && !renewed:
			other, ok, failed := m.caller.Renew(ctx, key)
			if !ok {
				return c, spent, cmp.Or(failed, err)
			}
			key, renewed = other, true
		case !m.quirks.learn(m.place(), r, sent):
			return c, spent, err
		}
	}
}
