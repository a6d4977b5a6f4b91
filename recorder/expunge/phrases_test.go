package expunge

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
)

func TestPhrases_Hold(t *testing.T) {
	for _, test := range []struct {
		name, phrase, text string
		want               bool
	}{
		{"as it stands", "Jane Doe", "Ask Jane Doe.", true},
		{"within a word", "Jane", "Janet's", true},
		{"in no other case", "Jane", "jane JANE", false},
		{"not at all", "Jane", "Joan", false},
		{"on two lines", "Jane Doe", "Jane\nDoe", true},
		{"with more between", "Jane Doe", "Jane  «Doe»", true},
		{"with something unseen in it", "Jane Doe", "Ja\u200bne Doe", true},
		{"as JSON", "Zoë \"Z\" Li", `{"name":"Zoë \"Z\" Li"}`, true},
		{"as JSON that escapes all", "Zoë Li", `{"name":"Zo\u00eb Li"}`, true},
		{"as JSON in JSON", "Zoë Li", `"{\"name\":\"Zo\\u00eb Li\"}"`, true},
		{"beyond the first plane", "the 🜁 way", `the \ud83d\udf01 way`, true},
		{"signs alone", "C++ / C", "We use C++ / C, or C, or Cobol.", true},
		{"the letters among signs", "C++ / C", "C or C", false},
		{"Chinese", "王小明", "請問王小明。", true},
		{"a word of the mark", "forgotten", "It is forgotten: [forgotten].", true},
		{"the mark", council.ForgottenMark, "I am [forgotten].", false},
		{"nothing", "  ", "I am here.", false},
	} {
		check.Is(t, test.name, test.want, NewPhrases(test.phrase).Hold(test.text))
	}
}

// Words are found in every form that a record gives to text.
func TestPhrases_HoldInEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringOfN(rapid.RuneFrom([]rune("abC. é\n\"\\<王🜁\u200b[fot")), 4, 12, -1).Draw(t, "words")
		if strings.TrimSpace(hostile.Line(words)) == "" || strings.Contains(council.ForgottenMark, strings.TrimSpace(words)) {
			return
		}
		marshal := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		form := rapid.SampledFrom([]func(string) string{
			func(s string) string { return s }, hostile.Clean, hostile.Line, marshal,
			func(s string) string { return marshal(marshal(s)) },
		}).Draw(t, "form")
		text := rapid.String().Draw(t, "before") + form(words) + rapid.String().Draw(t, "after")
		if !NewPhrases(words).Hold(text) {
			t.Fatalf("%q is not found in %q", words, text)
		}
	})
}
