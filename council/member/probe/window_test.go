package probe_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/internal/check"
)

// local is a server on this machine that answers each path with a body, and records its requests.
type local struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func localServer(t *testing.T, answers map[string]string) *local {
	s := &local{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.Method+" "+r.RequestURI+" "+string(body))
		if r.URL.Path == "/api/generate" { // from now on the model is loaded
			answers["/api/ps"] = answers["/api/ps loaded"]
		}
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}

// The bodies are those of: docs.ollama.com/api (ps, show, openai-compatibility), with a list that has the extension of
// lmstudio-bug-tracker issue 2139; llama.cpp, by 1ay1/agentty issue 49 and mvysny.github.io/llama-server-endpoints;
// vLLM's protocol.py; LM Studio, by zed-industries/zed pull request 25606 and lmstudio.ai/docs/api/rest-api;
// openrouter.ai's models.
const (
	ollamaList   = `{"object":"list","data":[{"id":"m1:latest","object":"model","created":1,"owned_by":"library","context_length":40960}]}`
	ollamaShow   = `{"parameters":"stop    \"<|eot|>\"\ntemperature   0.7","details":{"family":"qwen3"},"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960,"qwen3.block_count":28}}`
	ollamaNumCtx = `{"parameters":"num_ctx    8192\nstop    \"<|eot|>\"","model_info":{"qwen3.context_length":40960}}`
	ollamaPs     = `{"models":[{"name":"other","model":"other","context_length":999},{"name":"m1:latest","model":"m1:latest","size":6591830464,"size_vram":5333539264,"context_length":4096,"expires_at":"2026-10-17T16:47:07.93355-07:00"}]}`
	llamaList    = `{"object":"list","data":[{"id":"m1","object":"model","owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":151936,"n_ctx_train":40960}}]}`
	llamaProps   = `{"default_generation_settings":{"id":0,"n_ctx":8192},"total_slots":4,"model_alias":"m1"}`
	studioList   = `{"object":"list","data":[{"id":"m1","object":"model","owned_by":"organization_owner"}]}`
	studioNative = `{"object":"list","data":[{"id":"m1","object":"model","type":"vlm","arch":"gemma3","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`
	vllmList     = `{"object":"list","data":[{"id":"m1","object":"model","owned_by":"vllm","root":"m1","max_model_len":16384}]}`
	routerList   = `{"data":[{"id":"m1","context_length":131072,"top_provider":{"context_length":65536,"max_completion_tokens":null}}]}`
)

func TestWindow_AServerSaysHowLargeAContextIs(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers map[string]string
		want    probe.Window
		loads   bool
	}{
		{"an Ollama that has loaded it",
			map[string]string{"/v1/models": ollamaList, "/api/ps": ollamaPs, "/api/show": ollamaShow},
			probe.Window{Tokens: 4096, Most: 40960, Server: probe.Ollama}, false},
		{"an Ollama that has not", map[string]string{"/v1/models": ollamaList, "/api/ps": `{"models":[]}`,
			"/api/ps loaded": ollamaPs, "/api/show": ollamaShow, "/api/generate": `{"done":true}`},
			probe.Window{Tokens: 4096, Most: 40960, Server: probe.Ollama}, true},
		{"an Ollama with a setting of the model's own",
			map[string]string{"/v1/models": ollamaList, "/api/ps": `{"models":[]}`, "/api/show": ollamaNumCtx},
			probe.Window{Tokens: 8192, Most: 40960, Server: probe.Ollama}, false},
		{"llama.cpp", map[string]string{"/v1/models": llamaList, "/props": llamaProps},
			probe.Window{Tokens: 8192, Most: 40960, Server: probe.LlamaCpp, AtOnce: 4}, false},
		{"a llama.cpp that lists its context", map[string]string{"/v1/models": strings.Replace(llamaList, `"n_ctx_train"`,
			`"n_ctx":4096,"n_ctx_train"`, 1), "/props": llamaProps},
			probe.Window{Tokens: 4096, Most: 40960, Server: probe.LlamaCpp, AtOnce: 4}, false},
		{"a llama.cpp without properties", map[string]string{"/v1/models": strings.Replace(llamaList, `"n_ctx_train"`,
			`"n_ctx":4096,"n_ctx_train"`, 1), "/props": `{"total_slots":-1}`},
			probe.Window{Tokens: 4096, Most: 40960, Server: probe.LlamaCpp}, false},
		{"LM Studio", map[string]string{"/v1/models": studioList, "/api/v0/models": studioNative},
			probe.Window{Tokens: 4096, Most: 131072, Server: probe.LMStudio}, false},
		{"vLLM", map[string]string{"/v1/models": vllmList},
			probe.Window{Tokens: 16384, Server: probe.VLLM, AtOnce: 256}, false},
		{"OpenRouter", map[string]string{"/v1/models": routerList}, probe.Window{Tokens: 65536}, false},
		{"a server without a list", map[string]string{"/api/ps": ollamaPs}, probe.Window{}, false},
		{"a server that says nonsense",
			map[string]string{"/v1/models": `{"data":[{"id":"m1","max_model_len":-5,"context_length":1e18}]}`,
				"/api/ps": `{"models":7}`, "/props": `[]`}, probe.Window{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := localServer(t, test.answers)
			loaded := ""
			loads := func(server, model string) { loaded = server + " " + model }
			check.Is(t, "the window", test.want, check.Get(direct().Look(t.Context(), open(s.URL), loads))(t))
			check.Is(t, "it loads the model", test.loads, loaded == s.URL+" m1")
			check.NeverSays(t, fmt.Sprint(s.asked), "completions")
		})
	}
}

func TestWindow_AfterTheQuestionAnOllamaIsAskedForTheContext(t *testing.T) {
	s := localServer(t, map[string]string{"/v1/models": ollamaList, "/api/ps": ollamaPs, "/api/show": ollamaShow,
		"/v1/chat/completions": ready})
	if r := ask(t, direct(), s.URL); r.Window.Tokens != 4096 || r.Window.Server != probe.Ollama {
		t.Errorf("%+v", r.Window)
	}
}

func TestWindow_AServerThatCannotBeReachedIsPassedOver(t *testing.T) {
	s := localServer(t, nil)
	s.Close()
	if w, err := direct().Look(context.Background(), open(s.URL), nil); err != nil || w != (probe.Window{}) {
		t.Errorf("%+v, %v", w, err)
	}
}
