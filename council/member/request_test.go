package member_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestRequest_ThePromptIsSentAsItIs(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s := serve(t, d, script{text: "x"})
			warm := 0.25
			m := s.model(t, func(c *council.Model) { c.Temperature, c.MaxTokens = &warm, 300 })
			check.Get(ask(m, question()))(t)
			want := asked{System: "The charter.\n\nYou are Ada.", Messages: question().Messages, Temperature: &warm,
				MaxTokens: 300, StreamUsage: true}
			check.Equal(t, "with settings", want, s.asked(0))
			check.Get(ask(s.model(t), question()))(t)
			want.Temperature, want.MaxTokens = nil, d.bound
			check.Equal(t, "without", want, s.asked(1))
		})
	}
}

func TestRequest_TheBaseURLMayEndInManyWays(t *testing.T) {
	for _, d := range dialects {
		for _, end := range []string{"", "/", "/v1", "/v1/", d.path} {
			t.Run(d.name+end, func(t *testing.T) {
				s := serve(t, d, script{text: "x"})
				m := s.model(t, func(c *council.Model) { c.BaseURL += end })
				want := d.path
				if strings.HasPrefix(end, "/v1") {
					want = strings.TrimPrefix(want, "/openai") // a path of Azure's is kept
				}
				check.Get(ask(m, question()))(t)
				check.Is(t, "the path", want, s.paths[0])
			})
		}
	}
	for base, path := range map[string]string{
		"/api/v1": "/api/v1/chat/completions", "/v1beta/openai/": "/v1beta/openai/chat/completions",
		"/proxy": "/proxy/v1/chat/completions",
	} {
		s := serve(t, chat, script{text: "x"})
		check.Get(ask(s.model(t, func(c *council.Model) { c.BaseURL += base }), question()))(t)
		check.Is(t, base, path, s.paths[0])
	}
}

// The addresses are those of learn.microsoft.com/azure/ai-foundry/openai/reference.
func TestRequest_AQueryInTheBaseURLGoesWithEveryCall(t *testing.T) {
	for base, want := range map[string]string{
		"/openai/deployments/gpt?api-version=1":                  "/openai/deployments/gpt/chat/completions?api-version=1",
		"/openai/deployments/gpt/chat/completions?api-version=1": "/openai/deployments/gpt/chat/completions?api-version=1",
		"/models?api-version=2024-05-01-preview":                 "/models/chat/completions?api-version=2024-05-01-preview",
		"?api-version=preview":                                   "/openai/v1/chat/completions?api-version=preview",
		"/openai/v1?api-version=preview&tenant=a":                "/openai/v1/chat/completions?api-version=preview&tenant=a",
	} {
		s := serve(t, azure, script{text: "x"})
		check.Get(ask(s.model(t, func(c *council.Model) { c.BaseURL += base }), question()))(t)
		if s.paths[0] != want || s.keys[0] != "key-"+secret || s.headers[0].Get("Authorization") != "" {
			t.Errorf("%s led to %s with %v", base, s.paths[0], s.headers[0])
		}
	}
	s := serve(t, messages, script{text: "x"})
	check.Get(ask(s.model(t, func(c *council.Model) { c.BaseURL += "/proxy?team=a" }), question()))(t)
	check.Is(t, "the path", "/proxy/v1/messages?team=a", s.paths[0])
}

func TestRequest_HeadersAreFilledInAndTheirValuesKeptSecret(t *testing.T) {
	for _, d := range protocols {
		t.Run(d.name, func(t *testing.T) {
			s := serve(t, d, script{status: 400, kind: "invalid_request_error", words: "saw header-" + secret})
			m := s.model(t, func(c *council.Model) {
				c.Headers = map[string]string{"X-Gateway": "Token ${TEST_HEADER}", "X-Cost": "5$"}
			})
			_, err := ask(m, question())
			if h := s.headers[0]; h.Get("X-Gateway") != "Token header-"+secret || h.Get("X-Cost") != "5$" {
				t.Errorf("sent %v", h)
			}
			check.NeverSays(t, fmt.Sprint(err), secret)
		})
	}
}

func TestRequest_NoKeyOfTheEnvironmentReachesAServerItIsNotFor(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-real-openai")
	t.Setenv("OPENAI_ORG_ID", "org-real")
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-real")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "token-real")
	for _, d := range dialects {
		s := serve(t, d, script{text: "x"})
		check.Get(ask(s.model(t, func(c *council.Model) { c.APIKeyEnv = "" }), question()))(t)
		check.NeverSays(t, fmt.Sprint(d.name, s.headers[0]), "real")
	}
}

// A model that takes a schema and no effort lost both, because they are in one field of Anthropic's protocol.
func TestRequest_LosesEffortWithoutTheSchemaBesideIt(t *testing.T) {
	for words, schema := range map[string]bool{
		"output_config.effort: Extra inputs are not permitted": true,
		"This model does not support the effort parameter.":    true,
		"output_config: Extra inputs are not permitted":        false,
	} {
		s := serve(t, messages, script{status: 400, kind: "invalid_request_error", words: words}, script{text: "x"})
		check.Get(ask(s.model(t, func(c *council.Model) { c.ReasoningEffort = "low" }), structured()))(t)
		first, second := gjson.ParseBytes(s.bodies[0]), gjson.ParseBytes(s.bodies[1])
		check.Is(t, words+": effort of the first call", "low", first.Get("output_config.effort").String())
		check.Is(t, words+": effort of the second", "", second.Get("output_config.effort").String())
		check.Is(t, words+": schema of the second", schema, second.Get("output_config.format").Exists())
	}
}

// askTwo asks two members for an object, of whom the second has not seen the complaints of the server itself.
func askTwo(t *testing.T, s *server, change func(*council.Model)) {
	t.Helper()
	quirks := &endpoint.Quirks{Now: time.Now}
	for range 2 {
		seat := s.dialect.at(s.URL)
		change(&seat)
		m := check.Get(s.dialect.open(seat, endpoint.Options{Getenv: environment, Quirks: quirks}))(t)
		check.Is(t, "the reply", "x", check.Get(ask(m, structured()))(t).Text)
	}
}

func TestRequest_LeavesOutRefusedFieldsFromThenOn(t *testing.T) {
	warm := 0.5
	tests := []struct {
		name    string
		words   string
		without func(asked) bool
		only    string // path of the protocol
	}{
		{"schema", "response_format of type json_schema is not supported", func(a asked) bool { return a.Schema == "" }, ""},
		{"output config", "output_config: Extra inputs are not permitted", func(a asked) bool { return a.Schema == "" }, ""},
		{"temperature", "temperature is deprecated for this model", func(a asked) bool { return a.Temperature == nil }, ""},
		{"usage of streams", "Unrecognized request argument supplied: stream_options",
			func(a asked) bool { return !a.StreamUsage }, chat.path},
	}
	for _, d := range protocols {
		for _, test := range tests {
			if test.only != "" && !strings.HasSuffix(d.path, test.only) {
				continue
			}
			t.Run(d.name+"/"+test.name, func(t *testing.T) {
				s := serve(t, d, script{status: 400, kind: "invalid_request_error", words: test.words}, script{text: "x"})
				askTwo(t, s, func(m *council.Model) { m.Temperature, m.MaxTokens = &warm, 99 })
				check.Is(t, "calls, one more than two", 3, s.count())
				if test.without(s.asked(0)) || !test.without(s.asked(1)) || !test.without(s.asked(2)) {
					t.Errorf("%+v", []asked{s.asked(0), s.asked(1), s.asked(2)})
				}
			})
		}
	}
}

func TestRequest_TheBoundOfAReplyGoesByTheNameThatTheServerTakes(t *testing.T) {
	s := serve(t, chat, script{status: 400, kind: "invalid_request_error",
		words: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}, script{text: "x"})
	check.Get(ask(s.model(t, func(c *council.Model) { c.MaxTokens = 77 }), question()))(t)
	first, second := gjson.ParseBytes(s.bodies[0]), gjson.ParseBytes(s.bodies[1])
	if first.Get("max_tokens").Int() != 77 || second.Get("max_tokens").Exists() ||
		second.Get("max_completion_tokens").Int() != 77 {
		t.Errorf("%s\n%s", first, second)
	}
}

func TestRequest_BoundsReplyAndEffortByTheKindOfQuestion(t *testing.T) {
	const narrow = "This model's maximum context length is 8192 tokens. However, you requested 17024 tokens."
	const plain = "Unrecognized request argument supplied: reasoning_effort"
	for _, at := range []struct {
		dialect
		bound, effort string // paths
		least         int64  // the protocol wants a bound
	}{
		{chat, "max_tokens", "reasoning_effort", 0}, {responses, "max_output_tokens", "reasoning.effort", 0},
		{messages, "max_tokens", "output_config.effort", 8192},
	} {
		for _, test := range []struct {
			kind   council.AskKind
			seat   council.Model
			bound  int64
			effort string
			words  string // by which the server refuses a part; then bound and effort are those of the second call
		}{
			{council.AskPosition, council.Model{}, 16_000, "", ""},
			{council.AskRank, council.Model{}, 12_000, "", ""},
			{council.AskDraft, council.Model{}, 16_384, "", ""},
			{council.AskRank, council.Model{MaxTokens: 700}, 700, "", ""},
			{council.AskRank, council.Model{ContextWindow: 20_000}, 0, "", ""},
			{council.AskPosition, council.Model{ReasoningEffort: "high"}, 0, "high", ""},
			{council.AskRank, council.Model{ReasoningEffort: "high"}, 12_000, "low", ""},
			{council.AskRank, council.Model{ReasoningEffort: "minimal"}, 12_000, "minimal", ""},
			{council.AskPosition, council.Model{}, 0, "", narrow},
			{council.AskPosition, council.Model{ReasoningEffort: "low"}, 16_000, "", plain},
		} {
			if at.least > 0 && test.words == narrow {
				continue
			}
			t.Run(fmt.Sprintf("%s %s %+v", at.name, test.kind, test.seat), func(t *testing.T) {
				scripts := []script{{text: "x"}}
				if test.words != "" {
					scripts = slices.Insert(scripts, 0, script{status: 400, kind: "invalid_request_error", words: test.words})
				}
				s := serve(t, at.dialect, scripts...)
				q := question()
				q.View.Ask.Kind = test.kind
				m := s.model(t, func(c *council.Model) {
					c.MaxTokens, c.ContextWindow, c.ReasoningEffort = test.seat.MaxTokens, test.seat.ContextWindow,
						test.seat.ReasoningEffort
				})
				check.Get(ask(m, q))(t)
				want := test.bound
				if at.least > 0 && test.seat.MaxTokens == 0 {
					want = at.least
				}
				body := gjson.ParseBytes(s.bodies[len(scripts)-1])
				check.Is(t, "bound", want, body.Get(at.bound).Int())
				check.Is(t, "effort", test.effort, body.Get(at.effort).String())
				check.Is(t, "calls", len(scripts), s.count())
			})
		}
	}
}

func TestRequest_AComplaintThatIsNotCuredEnds(t *testing.T) {
	for _, d := range protocols {
		s := serve(t, d, script{status: 400, kind: "invalid_request_error", words: "bad schema, bad temperature"})
		_, err := ask(s.model(t), structured())
		if call := check.As[*member.CallError](t, err); s.count() != 2 || call.Usage.Calls != 2 {
			t.Errorf("%s: %v after %d calls", d.name, err, s.count())
		}
	}
}

// With each other schema a cache that begins with it serves nothing, so that a first try has none there.
func TestRequest_LeavesTheSchemaOutOfAFirstTryWhereACacheBeginsWithIt(t *testing.T) {
	for _, d := range dialects {
		s, p := serve(t, d, script{text: "x"}), structured()
		p.Try = 1
		check.Get(ask(s.model(t), p))(t)
		check.Is(t, d.name+" has a schema", !member.ServerKind(d.at(s.URL)).SchemaIsPrompt, s.asked(0).Schema != "")
	}
}

func TestRequest_FourPrefixesAreMarkedForTheCache(t *testing.T) {
	s := serve(t, messages, script{text: "x"})
	p := question()
	p.Messages = append(p.Messages, prompt.Message{Role: prompt.Assistant, Content: "four"},
		prompt.Message{Role: prompt.User, Content: "five"})
	check.Get(ask(s.model(t), p))(t)
	var marked []string
	body := gjson.ParseBytes(s.bodies[0])
	for _, path := range []string{"system.#(cache_control.type==ephemeral)#.text",
		"messages.#.content.#(cache_control.type==ephemeral).text"} {
		for _, text := range body.Get(path).Array() {
			marked = append(marked, text.String())
		}
	}
	check.Equal(t, "it", []string{"The charter.", "You are Ada.", "four", "five"}, marked)
}

func TestRequest_ASeatThatCannotBeReachedIsRefusedBeforeAnyCall(t *testing.T) {
	tests := []struct {
		name  string
		model council.Model
		words string
	}{
		{"no address", council.Model{Provider: "openai-compatible", Model: "m"}, "needs a baseUrl"},
		{"no address of Azure's", council.Model{Provider: "azure", Model: "m"},
			"azure needs a baseUrl, such as https://my-resource.openai.azure.com"},
		{"no web address", council.Model{Provider: "openai", Model: "m", BaseURL: "localhost:8080"},
			"not an http or https address"},
		{"a port that none is", council.Model{Provider: "openai", Model: "m", BaseURL: "http://host:99999/v1"},
			"the port 99999, and ports end at 65535"},
		{"azure without a key", council.Model{Provider: "azure", Model: "m", BaseURL: "https://r.example"},
			"azure needs an API key, and none is named"},
		{"password in the address", council.Model{Provider: "openai", Model: "m", BaseURL: "https://u:p@host/v1"},
			"must not hold a password"},
		{"another api", council.Model{Provider: "openai", Model: "m", API: "telegraph"}, `cannot use the api "telegraph"`},
		{"key not set", council.Model{Provider: "openai", Model: "m", APIKeyEnv: "MISSING"}, "MISSING is not set"},
		{"header not set", council.Model{Provider: "ollama", Model: "m", Headers: map[string]string{"X": "${MISSING}"}},
			"MISSING, which is not set"},
	}
	for _, test := range tests {
		check.Fails(t, test.name, check.Err(chat.open(test.model, endpoint.Options{Getenv: environment})), test.words)
	}
	check.Get(chat.open(council.Model{Provider: "ollama", Model: "m"}, endpoint.Options{Getenv: environment}))(t)
}

func TestRequest_ConnectionsAreKeptForTheNextCall(t *testing.T) {
	for _, d := range protocols {
		s := serve(t, d, script{text: "x"})
		m := s.model(t)
		seen := map[string]bool{}
		inner := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen[r.RemoteAddr] = true
			inner.ServeHTTP(w, r)
		})
		for range 5 {
			check.Get(ask(m, question()))(t)
		}
		check.Is(t, d.name, 1, len(seen))
	}
}

// A server that takes no schema may still hold a reply to JSON; one that does not is asked in words alone. Each is
// found out once.
func TestSchemaThatIsRefused_IsReplacedByJSONMode(t *testing.T) {
	schemaless := script{status: 400, kind: "invalid_request_error",
		words: "response_format.type must be one of 'text' and 'json_object', text.format likewise"}
	formless := script{status: 400, kind: "invalid_request_error",
		words: "response_format (text.format) is not supported by this model"}
	for _, test := range []struct {
		name    string
		replies []script
		want    []string // the form that each call asked for
	}{
		{"JSON mode alone", []script{schemaless, {text: "x"}}, []string{"json_schema", "json_object", "json_object"}},
		{"no form", []script{schemaless, formless, {text: "x"}}, []string{"json_schema", "json_object", "", ""}},
	} {
		for _, d := range []dialect{chat, responses} {
			s := serve(t, d, test.replies...)
			askTwo(t, s, func(*council.Model) {})
			var got []string
			for _, body := range s.bodies {
				doc := gjson.ParseBytes(body)
				got = append(got, doc.Get("response_format.type").String()+doc.Get("text.format.type").String())
			}
			check.Equal(t, test.name+", "+d.name+": forms of the calls", test.want, got)
		}
	}
}
