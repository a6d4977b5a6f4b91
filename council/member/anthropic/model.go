// Package anthropic seats models that are reached by Anthropic's messages protocol.
package anthropic

import (
	"context"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// Model is a member.Model. It may be used by many goroutines at once.
type Model struct{ endpoint *endpoint.Endpoint }

// New returns the model that the charter describes, at its baseUrl (with or without /v1 at its end) or at Anthropic's
// own address. Errors are for people; one about a key or header is a member.ErrNoKey.
func New(m council.Model, o endpoint.Options) (*Model, error) {
	e, err := endpoint.New(m, m.Kind().Address, []string{"anthropic-messages"}, o)
	if err != nil {
		return nil, err
	}
	return &Model{e}, nil
}

// Complete puts a prompt to the model, streaming. What the server complains of (a schema, a temperature) is left out
// and the call put again; other errors are not tried again here. See member.Model for its errors.
func (m *Model) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	return m.endpoint.Complete(ctx, p, func(key string, p prompt.Prompt) (prompt.Completion, []endpoint.Feature, error) {
		r := m.request(p)
		c, err := m.call(ctx, key, r)
		return c, r.features(), err
	})
}

// call sends one request and reads its reply. What it returns as usage are tokens alone; those of a reply that broke
// off are there too.
func (m *Model) call(ctx context.Context, key string, r request) (prompt.Completion, error) {
	body, err := endpoint.Encode(r)
	if err != nil {
		return prompt.Completion{}, err
	}
	options, err := m.options(key)
	if err != nil {
		return prompt.Completion{}, err
	}
	client := sdk.Client{Options: options}
	var res *http.Response
	if err := client.Post(ctx, "v1/messages", body, &res); err != nil {
		return prompt.Completion{}, err
	}
	stream := m.endpoint.Stream(ctx, res)
	defer stream.Close()
	return read(res, stream)
}

// options are set for each client by hand: the SDK's own defaults would look for keys, profiles and tokens in the
// environment and in files, and send them to whatever server the charter names.
func (m *Model) options(key string) ([]option.RequestOption, error) {
	options := []option.RequestOption{
		option.WithBaseURL(m.endpoint.WithoutVersion()),
		option.WithHTTPClient(m.endpoint.Client),
		option.WithMaxRetries(0),
		option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			return m.endpoint.Send(req, next)
		}),
	}
	switch {
	case key == "":
	case m.endpoint.Bearer(): // a token of a login is not an API key
		options = append(options, option.WithAuthToken(key))
	default:
		options = append(options, option.WithAPIKey(key))
	}
	headers, err := m.endpoint.Headers()
	for name, value := range headers {
		options = append(options, option.WithHeader(name, value))
	}
	return options, err
}
