package doctor

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// What stands in for a model does so only while that is missing or down. Whatever else is wrong with the model stops
// the council, and so does a member whose models are all down.
func TestAFallbackCoversOnlyWhatItIsAskedFor(t *testing.T) {
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
			p := newProvider(t)
			x := newPractice(t, p)
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

func TestFallbacksOfOneFamilyAreRemarked(t *testing.T) {
	p := newProvider(t)
	x := newPractice(t, p)
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
