package probe

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/gate"
)

// Listed is one model in a server's list.
type Listed struct {
	Name    string
	Context int64 // tokens that a prompt and its reply may have together; 0 when the list does not say
	Most    int64 // that the model could have, were its server told so; 0 when the list does not say

	owner  string // owned_by in the list
	server Kind   // the kind of server, where the list shows how it runs the model
}

const (
	maxList   = 8 << 20 // bytes of a list; that of a large gateway has one
	listLimit = 20 * time.Second
)

// listing is a server's list of models, and what was seen on the way to it.
type listing struct {
	models  []Listed
	trouble Trouble
	words   string
	err     error // of the connection: no call can go through
	proxy   string
	skew    time.Duration
	dated   bool
}

// lists holds one listing for each server and caller.
type lists struct {
	mu   sync.Mutex
	held map[string]func() listing
}

// of returns the listing under a key, which read fetches once.
func (l *lists) of(key string, read func() listing) listing {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]func() listing{}
	}
	once, ok := l.held[key]
	if !ok {
		once = sync.OnceValue(read)
		l.held[key] = once
	}
	l.mu.Unlock()
	return once()
}

// calls matches the end of an address that puts a question, in any protocol.
var calls = regexp.MustCompile(`/(chat/completions|responses|messages)$`)

// listAddress returns where the server that is called at u lists its models, or nil for a call of no known form.
func listAddress(u *url.URL) *url.URL {
	if !calls.MatchString(u.Path) {
		return nil
	}
	list := *u
	list.Path, list.RawPath = calls.ReplaceAllString(u.Path, "/models"), ""
	if regexp.MustCompile(`/messages$`).MatchString(u.Path) {
		list.RawQuery = strings.Trim(list.RawQuery+"&limit=1000", "&") // this protocol gives twenty at a time
	}
	return &list
}

// list asks for the models of the server that call is for, as the caller of it.
func (w *wire) list(call *http.Request, at *url.URL) listing {
	var l listing
	l.proxy = w.proxy(call)
	ctx, cancel := context.WithTimeout(gate.Contacting(call.Context()), listLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		l.err = err
		return l
	}
	req.Header = call.Header.Clone()
	for _, name := range []string{"Content-Type", "Content-Length", "Accept"} {
		req.Header.Del(name)
	}
	start := w.prober.now()
	res, err := w.base.RoundTrip(req)
	if err != nil {
		l.err = err
		l.trouble, l.words = diagnose(err, at, l.proxy)
		return l
	}
	defer res.Body.Close()
	if told, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		// The server wrote the date somewhere between our two looks at the clock, and dropped the fraction of its second.
		end := w.prober.now()
		middle := start.Add(end.Sub(start) / 2)
		l.skew, l.dated = middle.Sub(told.Add(time.Second/2)), true
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxList))
	switch {
	case res.StatusCode == http.StatusProxyAuthRequired:
		l.trouble, l.words = TroubleProxy, "the proxy "+l.proxy+" wants to be logged in to"
	case res.StatusCode == http.StatusBadRequest && regexp.MustCompile(`(?i)http request to an https server`).Match(body):
		l.trouble, l.words = TroubleEncrypted, at.Host+" speaks HTTPS and not HTTP"
	case err == nil && res.StatusCode == http.StatusOK:
		l.models = readList(body)
	}
	return l
}

// contextFields are where lists tell how much a model may hold: vLLM and llama.cpp as they run it; OpenRouter, where
// the provider behind it may hold less, Groq, Mistral and Anthropic.
var contextFields = []struct {
	path   string
	server Kind
}{
	{"max_model_len", VLLM}, {"meta.n_ctx", LlamaCpp}, {"top_provider.context_length", ""}, {"context_length", ""},
	{"context_window", ""},
	{"max_context_length", ""}, {"max_input_tokens", ""},
}

func readList(body []byte) []Listed {
	if !gjson.ValidBytes(body) {
		return nil
	}
	all := gjson.GetBytes(body, "data")
	if !all.IsArray() {
		return nil
	}
	models := []Listed{}
	all.ForEach(func(_, m gjson.Result) bool {
		one := Listed{Name: m.Get("id").String(), Most: tokens(m.Get("meta.n_ctx_train")), owner: m.Get("owned_by").String()}
		for _, field := range contextFields {
			if n := tokens(m.Get(field.path)); n > 0 {
				one.Context, one.server = n, field.server
				break
			}
		}
		if one.Name != "" {
			models = append(models, one)
		}
		return true
	})
	return models
}
