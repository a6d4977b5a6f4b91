// Package openai seats models that are reached by the chat completions protocol or by the responses protocol: OpenAI
// itself and, by their base URL, Gemini, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter, Azure and the many others that
// speak one of them.
package openai

import (
	"context"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// Model is a member.Model. It may be used by many goroutines at once.
type Model struct {
	endpoint *endpoint.Endpoint
	known    council.MemberKind
}

// apis are the names of the two protocols, and the names by which other programs know them.
var apis = []string{"chat-completions", "responses", "openai-completions", "openai-responses"}

// New returns the model that the charter describes. The table of kinds has the addresses of some providers; any other, such
// as openai-compatible, needs a baseUrl, with or without /v1 at its end. Errors are for people; one about a key or
// header is a member.ErrNoKey.
func New(m council.Model, o endpoint.Options) (*Model, error) {
	known := member.ServerKind(m)
	e, err := endpoint.New(m, known.Address, apis, o)
	if err != nil {
		return nil, err
	}
	if e.Base.Path == "/" && known.Path != "" {
		e.Base = e.Base.JoinPath(known.Path, "/")
	}
	return &Model{e, known}, nil
}

// responds reports whether the model is asked by the responses protocol.
func (m *Model) responds() bool {
	return m.endpoint.Model.API == "responses" || m.endpoint.Model.API == "openai-responses"
}

// Complete puts a prompt to the model, streaming. What the server complains of (a schema, a temperature) is left out
// and the call put again; other errors are not tried again here. See member.Model for its errors.
func (m *Model) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	return m.endpoint.Complete(ctx, p, func(key string, p prompt.Prompt) (prompt.Completion, []endpoint.Feature, error) {
		if m.responds() {
			r := m.responseRequest(p)
			c, err := m.call(ctx, key, "responses", r, m.readResponse)
			return c, r.features(), err
		}
		r := m.request(p)
		c, err := m.call(ctx, key, "chat/completions", r, m.read)
		return c, r.features(), err
	})
}

// reader reads the reply of one of the protocols. What it returns as usage are tokens alone.
type reader func(*http.Response, *endpoint.Stream) (prompt.Completion, error)

// call sends one request and reads its reply.
func (m *Model) call(ctx context.Context, key, path string, request any, read reader) (prompt.Completion, error) {
	body, err := endpoint.Encode(request)
	if err != nil {
		return prompt.Completion{}, err
	}
	options, err := m.options(key)
	if err != nil {
		return prompt.Completion{}, err
	}
	client := sdk.Client{Options: options}
	var res *http.Response
	if err := client.Post(ctx, path, body, &res); err != nil {
		return prompt.Completion{}, err
	}
	stream := m.endpoint.Stream(ctx, res)
	defer stream.Close()
	return read(res, stream)
}

// options are set for each client by hand: the SDK's own defaults would send the environment's OpenAI key, and its
// organisation, to whatever server the charter names.
func (m *Model) options(key string) ([]option.RequestOption, error) {
	options := []option.RequestOption{
		option.WithBaseURL(m.endpoint.WithVersion()),
		option.WithHTTPClient(m.endpoint.Client),
		option.WithMaxRetries(0),
		option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			return m.endpoint.Send(req, next)
		}),
	}
	switch {
	case key == "":
	case m.known.KeyHeader != "" && !m.endpoint.Bearer():
		options = append(options, option.WithHeader(m.known.KeyHeader, key))
	default:
		options = append(options, option.WithAPIKey(key))
	}
	headers, err := m.endpoint.Headers()
	for name, value := range headers {
		options = append(options, option.WithHeader(name, value))
	}
	return options, err
}
