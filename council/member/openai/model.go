// Package openai seats models that are reached by the chat completions protocol: OpenAI itself and, by their base
// URL, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter and the many others that speak it.
package openai

import (
	"context"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// addresses are where the providers that have an address of their own are found.
var addresses = map[string]string{
	"openai": "https://api.openai.com/v1",
	"ollama": "http://127.0.0.1:11434/v1",
}

// Model is a [member.Model]. It may be used by many goroutines at once.
type Model struct{ endpoint *endpoint.Endpoint }

// New returns the model that the charter describes. The providers openai and ollama have an address; any other, such
// as openai-compatible, needs a baseUrl, with or without /v1 at its end. Errors are for people; one about a key or
// header is a [member.ErrNoKey].
func New(m council.Model, o endpoint.Options) (*Model, error) {
	e, err := endpoint.New(m, addresses[m.Provider], []string{"openai-completions", "chat-completions"}, o)
	if err != nil {
		return nil, err
	}
	return &Model{e}, nil
}

// Complete puts a prompt to the model, streaming. What the server complains of (a schema, a temperature) is left out
// and the call put again; other errors are not tried again here. See [member.Model] for its errors.
func (m *Model) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	return m.endpoint.Complete(ctx, func(key string) (prompt.Completion, []endpoint.Feature, error) {
		r := m.request(p)
		c, err := m.call(ctx, key, r)
		return c, r.features(), err
	})
}

// call sends one request and reads its reply. What it returns as usage are tokens alone.
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
	if err := client.Post(ctx, "chat/completions", body, &res); err != nil {
		return prompt.Completion{}, err
	}
	defer res.Body.Close()
	c, err := read(res)
	if r.ResponseFormat != nil {
		c.Text = endpoint.WithoutNulls(c.Text)
	}
	return c, err
}

// options are set for each client by hand: the SDK's own defaults would send the environment's OpenAI key, and its
// organisation, to whatever server the charter names.
func (m *Model) options(key string) ([]option.RequestOption, error) {
	options := []option.RequestOption{
		option.WithBaseURL(m.endpoint.WithVersion()),
		option.WithHTTPClient(m.endpoint.Client),
		option.WithMaxRetries(0),
		option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			return endpoint.Check(next(req))
		}),
	}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	headers, err := m.endpoint.Headers()
	for name, value := range headers {
		options = append(options, option.WithHeader(name, value))
	}
	return options, err
}
