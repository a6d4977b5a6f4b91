package doctor

import (
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
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

func TestConveneLearnsTheContextsAndSaysWhatToSet(t *testing.T) {
	p := newProvider(t)
	ollama(p, "4096")
	x := newPractice(t, p)
	x.charter.Members[1].Model.ContextWindow = 2000 // its owner knows better
	x.charter.Members[2].Model.Fallbacks = []council.Model{{Provider: "openai-compatible", Model: "m1", BaseURL: p.URL,
		APIKeyEnv: "TEST_KEY"}}
	check.OK(t, x.Before(t.Context(), &x.charter, council.Topic{Text: "Shall we?"}, false, false))
	for i, want := range []int{4096, 2000, 4096} {
		if got := x.charter.Members[i].Model.ContextWindow; got != want {
			t.Errorf("m%d holds %d tokens, want %d", i+1, got, want)
		}
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

func TestAContextThatHoldsNotEvenTheFirstPromptStopsConvene(t *testing.T) {
	p := newProvider(t)
	ollama(p, "512")
	x := newPractice(t, p)
	var unfit *UnfitError
	if err := x.Before(t.Context(), &x.charter, council.Topic{Text: "Shall we?"}, false, false); !errors.As(err, &unfit) ||
		!strings.Contains(err.Error(), "OLLAMA_CONTEXT_LENGTH") {
		t.Errorf("%v", err)
	}
}

func TestAContextThatIsConfiguredLargerThanItIsIsNamed(t *testing.T) {
	p := newProvider(t)
	ollama(p, "32768")
	x := newPractice(t, p)
	x.charter.Members[0].Model.ContextWindow = 64_000
	check.OK(t, x.Before(t.Context(), &x.charter, council.Topic{Text: "Shall we?"}, false, false))
	_, said, _ := strings.Cut(x.errs.String(), "\n") // the first line says how many calls the server is sent at once
	if said != "Careful: member m1: contextWindow says 64,000 tokens, and the server holds "+
		"32,768. Start it with OLLAMA_CONTEXT_LENGTH=65536 ollama serve, as far as its memory allows.\n" {
		t.Errorf("it said %q", said)
	}
}
