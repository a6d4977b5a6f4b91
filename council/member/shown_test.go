package member

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// TestShown_ShowsAnAnswerWhileItIsWritten shows every beginning of a reply: at no time is a part of a secret among it.
func TestShown_ShowsAnAnswerWhileItIsWritten(t *testing.T) {
	const key = "sk-proj-abcdefghijklmnopqrstuvwx0123456789"
	reply := `{"action":"contribute","text":"We say \"no\" to\nMars.\u00e9 Use ` + key + ` and own-secret-of-mine now.",` +
		`"why":"It is red\u001b[2J."}`
	w := Words{Ask: council.Ask{Kind: council.AskTurn},
		Cut: func(s string) string { return strings.ReplaceAll(s, "own-secret-of-mine", "[cut]") }}
	for n := range len(reply) {
		w.Text = reply[:n]
		if s := w.Shown(1000); strings.Contains(s, "sk-") || strings.Contains(s, "own-s") || strings.Contains(s, "\x1b") {
			t.Fatalf("after %q it shows %q", w.Text, s)
		}
	}
	const part = `{"action":"contribute","text":"We say \"no\" to\nMa`
	for text, want := range map[string]string{
		reply:                        `We say "no" to Mars.é Use [cut] and [cut] now. It is red[2J.`,
		part:                         `We say "no" to`,
		`{"action":"pass","reason":`: "",
		`{"a":"x y\`:                 "x",
		"":                           "",
	} {
		if w.Text = text; w.Shown(1000) != want {
			t.Errorf("%s\n shows %q, not %q", text, w.Shown(1000), want)
		}
	}
	if w.Text = part; w.Shown(5) != "…o\" to" && w.Shown(5) != `…" to` {
		t.Errorf("five characters are %q", w.Shown(5))
	}
	w.Ask.Kind, w.Text = council.AskDraft,
		"# A draft\n\nwith \"words\" and -----BEGIN RSA PRIVATE KEY-----\nMIIEpAIB AAKC\nAQEA "
	check.Is(t, "the draft shows", "# A draft with \"words\" and [cut]", w.Shown(1000))
}
