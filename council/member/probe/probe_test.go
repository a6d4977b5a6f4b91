package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/internal/check"
)

// open makes a model at an address, of the protocol of chat completions.
func open(address string) func(*http.Client) (member.Model, error) {
	return func(client *http.Client) (member.Model, error) {
		m := council.Model{Provider: "openai-compatible", Model: "m1", BaseURL: address, APIKeyEnv: "KEY"}
		return endpoint.New(m, endpoint.Options{Client: client, Getenv: func(string) string { return "key-1234567890" }})
	}
}

func ask(t *testing.T, p *probe.Prober, address string) probe.Report {
	t.Helper()
	return check.Get(p.Ask(t.Context(), open(address)))(t)
}

func through(t *http.Transport) *probe.Prober {
	return &probe.Prober{Transport: &gate.Transport{Transport: t}, Now: time.Now}
}

// direct reaches servers by itself, whatever the environment says.
func direct() *probe.Prober {
	return through(&http.Transport{DisableKeepAlives: true})
}

const ready = `{"model":"m1-2026","choices":[{"index":0,"message":{"content":"{\"summaryMarkdown\":\"Ready.\",\"requiresExecution\":false}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":400,"completion_tokens":20}}`

// serve starts a server that answers its list and its calls by two handlers, and counts both.
func serve(t *testing.T, list, call http.HandlerFunc) (url string, lists, calls *atomic.Int64) {
	lists, calls = &atomic.Int64{}, &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/v1/models") {
			lists.Add(1)
			list(w, r)
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		call(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, lists, calls
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); io.WriteString(w, body) }
}

func TestProbe_AModelThatAnswers(t *testing.T) {
	at, lists, calls := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1/models" ||
			r.Header.Get("Authorization") != "Bearer key-1234567890" || r.ContentLength > 0 {
			t.Errorf("the list was asked for by %s %s with %v", r.Method, r.URL.Path, r.Header)
		}
		io.WriteString(w,
			`{"data":[{"id":"m1","max_model_len":4096},{"id":"m2","meta":{"n_ctx":8192,"n_ctx_train":40960}},{"id":""},{"id":"m3"}]}`)
	}, says(200, ready))
	r := ask(t, direct(), at)
	if r.Fault != nil || r.Problem != "" || r.Trouble != "" {
		t.Fatalf("%+v", r)
	}
	if fmt.Sprint(r.Listed) != "[{m1 {4096 0 vllm 0} } {m2 {8192 40960 llamacpp 0} } {m3 {0 0  0} }]" ||
		r.Schema != probe.SchemaTaken || r.Streams || r.FirstByte <= 0 || r.Whole < r.FirstByte {
		t.Errorf("%+v", r)
	}
	if r.Usage.Model != "m1-2026" || r.Usage.Tokens() != 420 || r.Calls != 1 || r.Lists != 1 || lists.Load() != 1 ||
		calls.Load() != 1 {
		t.Errorf("%+v; the server counted %d lists and %d calls", r.Usage, lists.Load(), calls.Load())
	}
	if r.Skew == 0 || r.Skew.Abs() > 5*time.Second || r.Address != at {
		t.Errorf("skew %s, at %s", r.Skew, r.Address)
	}
}

func TestProbe_AListThatIsNoneHindersNothing(t *testing.T) {
	for name, list := range map[string]http.HandlerFunc{
		"not there": says(404, "no"), "forbidden": says(403, `{"error":"no"}`), "broken": says(500, "no"),
		"no JSON":      says(200, "<html>"),
		"another form": says(200, `{"data":{"id":"m1"}}`), "empty": says(200, ""),
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"data":[`)
		},
	} {
		at, _, calls := serve(t, list, says(200, ready))
		if r := ask(t, direct(), at); r.Fault != nil || r.Listed != nil || calls.Load() != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestProbe_OneListServesAllModelsOfOneCaller(t *testing.T) {
	at, lists, calls := serve(t, says(200, `{"data":[{"id":"m1"}]}`), says(200, ready))
	p := direct()
	for range 3 {
		if r := ask(t, p, at); len(r.Listed) != 1 {
			t.Errorf("%+v", r)
		}
	}
	if lists.Load() != 1 || calls.Load() != 3 {
		t.Errorf("%d lists and %d calls", lists.Load(), calls.Load())
	}
}

func TestProbe_ASchemaThatIsRefusedIsLeftOut(t *testing.T) {
	at, _, calls := serve(t, says(404, ""), func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "json_schema") {
			says(400, `{"error":{"message":"response_format is not supported"}}`)(w, r)
			return
		}
		io.WriteString(w, ready)
	})
	if r := ask(t, direct(), at); r.Schema != probe.SchemaLeftOut || r.Calls != 2 || calls.Load() != 2 || r.Fault != nil {
		t.Errorf("%+v", r)
	}
}

func TestProbe_RepliesThatCannotBeUsed(t *testing.T) {
	reply := func(text, finish string) string {
		return fmt.Sprintf(`{"choices":[{"index":0,"message":{"content":%q},"finish_reason":%q}]}`, text, finish)
	}
	for name, test := range map[string]struct{ body, problem string }{
		"prose":     {reply("I am ready.", "stop"), "not in the form"},
		"the wrong": {reply(`{"ballot":"YES"}`, "stop"), "not in the form"},
		"empty":     {reply("", "stop"), "was empty"},
		"cut":       {reply(`{"summaryMarkdown":"Re`, "length"), "cut off by the token limit"},
		"filtered":  {reply("", "content_filter"), "the provider stopped the reply"},
	} {
		at, _, _ := serve(t, says(404, ""), says(200, test.body))
		if r := ask(t, direct(), at); !strings.Contains(r.Problem, test.problem) || r.Fault != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestProbe_ClassifiesConnectionFaults(t *testing.T) {
	secure := httptest.NewUnstartedServer(says(200, ready))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain, _, calls := serve(t, says(404, ""), says(200, ready))
	gate := httptest.NewServer(says(http.StatusProxyAuthRequired, ""))
	t.Cleanup(gate.Close)
	gateURL, _ := url.Parse(gate.URL)

	dial := func(err error) *http.Transport {
		return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }}
	}
	trusting := &http.Transport{TLSClientConfig: secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()}
	for name, test := range map[string]struct {
		transport *http.Transport
		at        string
		want      probe.Trouble
	}{
		"an unknown name": {dial(&net.DNSError{Err: "no such host", IsNotFound: true}), "https://nowhere.example",
			probe.TroubleName},
		"names are not looked up": {dial(&net.DNSError{Err: "server misbehaving", IsTemporary: true}),
			"https://nowhere.example", probe.TroubleName},
		"nobody listens": {dial(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
			"https://here.example", probe.TroubleRefused},
		"no way": {dial(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}),
			"https://here.example", probe.TroubleUnreachable},
		"too late":                {dial(context.DeadlineExceeded), "https://here.example", probe.TroubleUnreachable},
		"a certificate of nobody": {&http.Transport{}, secure.URL, probe.TroubleCertificate},
		"another's certificate": {trusting, strings.Replace(secure.URL, "127.0.0.1", "localhost", 1),
			probe.TroubleCertificate},
		"http for https": {&http.Transport{}, strings.Replace(plain, "http:", "https:", 1), probe.TroublePlain},
		"https for http": {&http.Transport{}, strings.Replace(secure.URL, "https:", "http:", 1),
			probe.TroubleEncrypted},
		"a proxy that is gone": {&http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"})},
			"https://here.example", probe.TroubleProxy},
		"a proxy without a name": {proxied(dial(&net.DNSError{Err: "no such host", IsNotFound: true}),
			"http://gone.example"), "http://here.example", probe.TroubleProxy},
		"a locked proxy, by http": {&http.Transport{Proxy: http.ProxyURL(gateURL)}, "http://here.example",
			probe.TroubleProxy},
		"a locked proxy, by https": {&http.Transport{Proxy: http.ProxyURL(gateURL)}, "https://here.example",
			probe.TroubleProxy},
	} {
		r := ask(t, through(test.transport), test.at)
		if r.Trouble != test.want || r.Calls != 0 || r.Fault == nil || r.Fault.Kind != council.FaultTransport {
			t.Errorf("%s: %s: %q, %d calls, %v", name, r.Trouble, r.Problem, r.Calls, r.Fault)
		}
	}
	check.Is(t, "calls were made", 0, calls.Load())
}

// proxied sends everything by a proxy.
func proxied(t *http.Transport, proxy string) *http.Transport {
	u, _ := url.Parse(proxy)
	t.Proxy = http.ProxyURL(u)
	return t
}

func TestProbe_ACallThatTakesTooLongEndsAndIsNoTroubleOfTheWay(t *testing.T) {
	at, _, _ := serve(t, says(404, ""), func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	})
	r, err := direct().Ask(t.Context(), func(c *http.Client) (member.Model, error) {
		m, err := open(at)(c)
		return member.Timeout(m, member.Limits{Whole: 50 * time.Millisecond}, time.Now), err
	})
	if err != nil || r.Trouble != "" || r.Fault == nil || r.Fault.Kind != council.FaultTimeout || r.Calls != 1 {
		t.Errorf("%+v", r)
	}
}

func TestProbe_ACancelledProbeSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := direct().Ask(ctx, open("http://127.0.0.1:1"))
	if err != nil || r.Fault == nil || r.Fault.Kind != council.FaultCancelled {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestProbe_AModelThatCannotBeOpenedIsNotAsked(t *testing.T) {
	wrong := errors.New("no such provider")
	_, err := direct().Ask(t.Context(), func(*http.Client) (member.Model, error) { return nil, wrong })
	check.ErrorIs(t, "it", wrong, err)
}

func TestProbe_NoSecretIsInAReport(t *testing.T) {
	at, _, _ := serve(t, says(404, ""), says(401, `{"error":{"message":"Incorrect API key provided: key-1234567890"}}`))
	r := ask(t, direct(), at)
	check.NeverSays(t, fmt.Sprintf("%+v %v", r, r.Fault), "1234567890")
}

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
