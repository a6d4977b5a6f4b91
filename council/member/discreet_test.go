package member

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Hidden characters are counted as they are read: a reply in JSON may write them as escapes, a document cannot.
func TestHiddenCharactersAreCountedBehindEscapes(t *testing.T) {
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
