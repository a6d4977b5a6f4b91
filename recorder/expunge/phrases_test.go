package expunge

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

func TestErase(t *testing.T) {
	for _, test := range []struct{ name, phrase, text, want string }{
		{"as it stands", "Jane Doe", "Ask Jane Doe.", "Ask [forgotten]."},
		{"twice", "Jane", "Jane and Jane", "[forgotten] and [forgotten]"},
		{"within a word", "Jane", "Janet's", "[forgotten]t's"},
		{"in no other case", "Jane", "jane JANE", "jane JANE"},
		{"not at all", "Jane", "Joan", "Joan"},
		{"on two lines", "Jane Doe", "Jane\nDoe", council.ForgottenMark},
		{"with more between", "Jane Doe", "Jane  «Doe»", council.ForgottenMark},
		{"with something unseen in it", "Jane Doe", "Ja\u200bne Doe", council.ForgottenMark},
		{"as JSON", "Zoë \"Z\" Li", `{"name":"Zoë \"Z\" Li"}`, `{"name":"[forgotten]"}`},
		{"as JSON that escapes all", "Zoë Li", `{"name":"Zo\u00eb Li"}`, council.ForgottenMark},
		{"as JSON in JSON", "Zoë Li", `"{\"name\":\"Zo\\u00eb Li\"}"`, council.ForgottenMark},
		{"beyond the first plane", "the 🜁 way", `the \ud83d\udf01 way`, council.ForgottenMark},
		{"signs alone", "C++ / C", "We use C++ / C, or C, or Cobol.", "We use [forgotten], or C, or Cobol."},
		{"Chinese", "王小明", "請問王小明。", "請問[forgotten]。"},
		{"a word of the mark", "forgotten", "It is forgotten: [forgotten].", "It is [forgotten]: [forgotten]."},
		{"the mark", council.ForgottenMark, "I am [forgotten].", "I am [forgotten]."},
		{"nothing", "  ", "I am here.", "I am here."},
		{"until it would be longer", "abcd", strings.Repeat("abcd ", 60), council.ForgottenMark},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := NewPhrases(test.phrase)
			got := p.Erase(test.text)
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if again := p.Erase(got); again != got {
				t.Errorf("once more it is %q", again)
			}
		})
	}
}

// Whatever is erased is not there any more, in no form that a record gives to text, and a second time changes nothing.
func TestWhatIsErasedIsGone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringOfN(rapid.RuneFrom([]rune("abC. é\n\"\\<王🜁\u200b[fot")), 4, 12, -1).Draw(t, "words")
		if strings.TrimSpace(hostile.Line(words)) == "" || strings.Contains(council.ForgottenMark, strings.TrimSpace(words)) {
			return
		}
		p := NewPhrases(words)
		form := rapid.SampledFrom([]func(string) string{
			func(s string) string { return s }, hostile.Clean, hostile.Line, escaped,
			func(s string) string { b, _ := json.Marshal(s); return string(b) },
			func(s string) string { b, _ := json.Marshal(escaped(s)); return string(b) },
		}).Draw(t, "form")
		text := rapid.String().Draw(t, "before") + form(words) + rapid.String().Draw(t, "after")
		left := p.Erase(text)
		for _, part := range strings.Split(left, council.ForgottenMark) {
			if strings.Contains(part, words) || strings.Contains(part, form(words)) && utf8.ValidString(text) {
				t.Fatalf("%q is still in %q", words, left)
			}
		}
		if p.Hold(left) || p.Erase(left) != left {
			t.Fatalf("%q of %q is not stable: %q", left, text, p.Erase(left))
		}
	})
}

func FuzzErase(f *testing.F) {
	f.Add("Jane", `\u004aane \ud83d \`)
	f.Add("a\\u", `a\\u00`)
	f.Fuzz(func(t *testing.T, words, text string) {
		p := NewPhrases(words)
		if left := p.Erase(text); p.Erase(left) != left || strings.TrimSpace(words) != "" && left != council.ForgottenMark &&
			p.Hold(left) {
			t.Fatalf("%q from %q is not stable", left, text)
		}
	})
}
