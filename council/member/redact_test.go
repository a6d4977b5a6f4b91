package member

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestRedact(t *testing.T) {
	tests := []struct{ name, words, want string }{
		{"nothing to cut", "model m-1 not found", "model m-1 not found"},
		{"a known key", "the key hunter2hunter2 is wrong", "the key [cut] is wrong"},
		{"a known key twice", "hunter2hunter2/hunter2hunter2", "[cut]/[cut]"},
		{"a bearer token", "Authorization: Bearer abc.def-123", "Authorization: Bearer [cut]"},
		{"basic authorization", "authorization: Basic dXNlcjpwYXNz", "authorization: Basic [cut]"},
		{"a token without authorization", "sent Bearer abc.def-123 to it", "sent Bearer [cut] to it"},
		{"an OpenAI key", "Incorrect API key provided: sk-proj-abcdef123456.", "Incorrect API key provided: [cut]"},
		{"a key half hidden by its owner", "provided: sk-abc***************xyz", "provided: [cut]"},
		{"an Anthropic key", "got sk-ant-api03-AAAABBBB", "got [cut]"},
		{"a header", `x-api-key: 0123456789`, "x-api-key: [cut]"},
		{"a header in JSON", `{"x-api-key":"0123456789"}`, `{"x-api-key":"[cut]"}`},
		{"a query", "GET /v1?api_key=0123456789&x=1", "GET /v1?api_key=[cut]&x=1"},
		{"a password in an address", "https://me:hidden@host/v1", "https://me:[cut: url-password]@host/v1"},
		{"a key broken up by an invisible character", "sk-abc\u200bdef\u200bghijk", "[cut]"},
		{"a known key broken up by one", "hunter2\u200bhunter2", "[cut]"},
		{"a key of another family", "sent ghp_16C7e42F292c6912E7710c838347Ae178B4a", "sent [cut: github-token]"},
		{"lines", "one\ntwo\r\nthree\x1b[31m", "one two three[31m"},
		{"ordinary words", "the task is skipped, basic rules", "the task is skipped, basic rules"},
	}
	for _, test := range tests {
		check.Is(t, test.name, test.want, Redact(test.words, "hunter2hunter2", ""))
	}
}

func TestRedact_HoldsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9]{4,40}`).Draw(t, "secret")
		got := Redact(rapid.String().Draw(t, "before")+secret+rapid.String().Draw(t, "after"), secret)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > MaxFault || strings.ContainsAny(got, "\n\r\x1b\x00") {
			t.Fatalf("%q", got)
		}
		if strings.Contains(got, secret) && !strings.Contains(cutMark, secret) {
			t.Fatalf("%q holds %q", got, secret)
		}
	})
}

// Hidden characters are counted as they are read: a reply in JSON may write them as escapes, a document cannot.
func TestRedact_HiddenCharactersAreCountedBehindEscapes(t *testing.T) {
	tags := []council.Cut{{Kind: "tag", Count: 2}}
	override := []council.Cut{{Kind: "bidirectional-control", Count: 1}}
	for name, c := range map[string]struct {
		ask  council.AskKind
		text string
		want []council.Cut
	}{
		"as they are":            {council.AskTurn, "{\"message\": \"a\U000e0061\U000e0062\"}", tags},
		"a pair of escapes":      {council.AskTurn, `{"message": "a\udb40\udc61\uDB40\uDC62"}`, tags},
		"an escape":              {council.AskTurn, `{"message": "a\u202e"}`, override},
		"an escaped backslash":   {council.AskTurn, `{"message": "a\\u202e"}`, nil},
		"two of them":            {council.AskTurn, `{"message": "a\\\u202e"}`, override},
		"a backspace":            {council.AskTurn, `{"message": "a\b"}`, []council.Cut{{Kind: "control", Count: 1}}},
		"line ends and quotes":   {council.AskTurn, `{"message": "a\n\t\"\/\r"}`, nil},
		"half a pair":            {council.AskTurn, `{"message": "a\udb40 b"}`, nil},
		"an emoji":               {council.AskTurn, `{"message": "\u2764\ufe0f"}`, nil},
		"cut off":                {council.AskTurn, `{"message": "a\u20`, nil},
		"in a document":          {council.AskDraft, `Write \u202e for it.`, nil},
		"in a document, as such": {council.AskDraft, "Write \u202e for it.", override},
	} {
		got := redactReply(prompt.Completion{Text: c.text}, c.ask, nil)
		if diff := cmp.Diff(c.want, got.Hidden); diff != "" || got.Text != c.text {
			t.Errorf("%s: %q\n%s", name, got.Text, diff)
		}
	}
}
