package doctor

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

// ollama makes a provider answer as an Ollama that gave all models a context of so many tokens.
func ollama(p *provider, tokens string) {
	var list, running []string
	for _, model := range []string{"m1", "m2", "m3"} {
		list = append(list, `{"id":"`+model+`","object":"model","owned_by":"library"}`)
		running = append(running, `{"name":"`+model+`","context_length":`+tokens+`}`)
	}
	p.models = `{"data":[` + strings.Join(list, ",") + `]}`
	p.native = map[string]string{"/api/ps": `{"models":[` + strings.Join(running, ",") + `]}`,
		"/api/show": `{"model_info":{"llama.context_length":131072}}`}
}

func TestContext_ConveneLearnsTheContextsAndSaysWhatToSet(t *testing.T) {
	x, p := newPractice(t)
	ollama(p, "4096")
	x.charter.Members[1].Model.ContextWindow = 2000 // its owner knows better
	x.charter.Members[2].Model.Fallbacks = []council.Model{{Provider: "openai-compatible", Model: "m1", BaseURL: p.URL,
		APIKeyEnv: "TEST_KEY"}}
	check.OK(t, x.Before(t.Context(), &x.charter, council.Topic{Text: "Shall we?"}, false, false))
	for i, want := range []int{4096, 2000, 4096} {
		check.Is(t, fmt.Sprintf("tokens of m%d", i+1), want, x.charter.Members[i].Model.ContextWindow)
	}
	check.Is(t, "the fallback holds tokens", 4096, x.charter.Members[2].Model.Fallbacks[0].ContextWindow)
	said := x.errs.String()
	if strings.Count(said, "Careful: ") != 2 || !strings.Contains(said, "m1 and m3: In a long session") ||
		!strings.Contains(said, "the model holds 4,096. Start it with OLLAMA_CONTEXT_LENGTH=") ||
		!strings.Contains(said, "the model holds 2,000.") {
		t.Errorf("it said %q", said)
	}
	check.Is(t, "questions were put", 0, p.Calls.Load())
}

func TestContext_AContextThatHoldsNotEvenTheFirstPromptStopsConvene(t *testing.T) {
	x, p := newPractice(t)
	ollama(p, "512")
	var unfit *UnfitError
	if err := x.Before(t.Context(), &x.charter, council.Topic{Text: "Shall we?"}, false, false); !errors.As(err, &unfit) ||
		!strings.Contains(err.Error(), "OLLAMA_CONTEXT_LENGTH") {
		t.Errorf("%v", err)
	}
}

func TestContext_AContextThatIsConfiguredLargerThanItIsIsNamed(t *testing.T) {
	x, p := newPractice(t)
	ollama(p, "32768")
	x.charter.Members[0].Model.ContextWindow = 64_000
	check.OK(t, x.Before(t.Context(), &x.charter, council.Topic{Text: "Shall we?"}, false, false))
	_, said, _ := strings.Cut(x.errs.String(), "\n") // the first line says how many calls the server is sent at once
	if said != "Careful: member m1: contextWindow says 64,000 tokens, and the server holds "+
		"32,768. Start it with OLLAMA_CONTEXT_LENGTH=65536 ollama serve, as far as its memory allows.\n" {
		t.Errorf("it said %q", said)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	check.OK(t, os.Chmod(path, mode))
}

// quiet returns a log that discards everything.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// peek reads the body of a request and leaves it to be read again.
func peek(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}

// begin writes a session that was cut off after its first event, as its own program would.
func begin(t *testing.T, path string) {
	t.Helper()
	root := check.Get(recorder.OpenRoot(path))(t)
	defer root.Close()
	folder := check.Get(root.Create(sessionID, recorder.Inputs{Now: time.Now, Random: rand.Reader}))(t)
	opening, err := rules.Open(sessionID, council.Topic{Text: "Shall we?"},
		counciltest.Charter(3, 1, "http://127.0.0.1:1"))
	if err == nil {
		err = folder.Append(opening)
	}
	check.OK(t, errors.Join(err, folder.Close()))
}

// What stands in for a model does so only while that is missing or down. Whatever else is wrong with the model stops
// the council, and so does a member whose models are all down.
func TestContext_AFallbackCoversOnlyWhatItIsAskedFor(t *testing.T) {
	missing, refused := refuse(404, "model_not_found", "Not here."), refuse(401, "invalid_api_key", "Not you.")
	none := func(http.ResponseWriter, *http.Request) bool { return false }
	for name, test := range map[string]struct {
		own, spare func(http.ResponseWriter, *http.Request) bool
		want       string // the findings, as severity, code and place
	}{
		"the model is missing":    {missing, none, "costs model-missing /members/0/model/model"},
		"its fallback is missing": {none, missing, "costs model-missing /members/0/model/fallbacks/0/model"},
		"both are missing": {missing, missing,
			"stops model-missing /members/0/model/model, stops model-missing /members/0/model/fallbacks/0/model"},
		"the key is refused":    {refused, none, "stops key-refused /members/0/model/apiKeyEnv"},
		"the fallback's key is": {none, refused, "costs key-refused /members/0/model/fallbacks/0/apiKeyEnv"},
		"missing, and refused": {missing, refused,
			"stops key-refused /members/0/model/fallbacks/0/apiKeyEnv, costs model-missing /members/0/model/model"},
		"the account is exhausted": {refuse(402, "insufficient_quota", "Pay."), none, "stops billing /members/0/model"},
	} {
		t.Run(name, func(t *testing.T) {
			x, p := newPractice(t)
			m := &x.charter.Members[0].Model
			m.Fallbacks = []council.Model{{Provider: m.Provider, Model: "spare", BaseURL: p.URL, APIKeyEnv: "TEST_KEY"}}
			p.before = func(w http.ResponseWriter, r *http.Request) bool {
				switch text := peek(r); {
				case strings.Contains(text, `"model":"spare"`):
					return test.spare(w, r)
				case strings.Contains(text, `"model":"m1"`):
					return test.own(w, r)
				}
				return false
			}
			var got []string
			for _, l := range x.examine() {
				if l.Kind == "finding" && l.Code != "one-family" {
					got = append(got, fmt.Sprint(l.Severity, " ", l.Code, " ", l.Where))
				}
			}
			check.Is(t, "it", test.want, strings.Join(got, ", "))
		})
	}
}

func TestContext_FallbacksOfOneFamilyAreRemarked(t *testing.T) {
	x, p := newPractice(t)
	for i, name := range []string{"qwen3", "llama3.2", "mistral-nemo"} {
		m := &x.charter.Members[i].Model
		m.Model = name
		m.Fallbacks = []council.Model{{Provider: m.Provider, Model: "gpt-5.4", BaseURL: p.URL, APIKeyEnv: "TEST_KEY"}}
	}
	if f := x.only(x.examine("--offline"), "one-family-fallbacks"); f.Severity != Remark ||
		!strings.Contains(f.Problem, "all 3 seats fall back to one family: gpt.") {
		t.Errorf("%+v", f)
	}
	x.charter.Members[2].Model.Fallbacks = nil
	for _, l := range x.examine("--offline") {
		if l.Kind == "finding" {
			t.Errorf("%+v", l)
		}
	}
}
