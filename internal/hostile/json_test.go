package hostile

import (
	"encoding/json"
	"testing"

	"github.com/council-engine/council/internal/check"
)

func TestJSON(t *testing.T) {
	for _, in := range []string{
		"plain", "Größe 東京 👩\u200d🚀", "\u202eabc\u202c", "\u009b31m", "\x7f", "x\U000e0041\ufe0f", "a\u2028b\n\tc",
		"\U0001d173",
	} {
		encoded := check.Get(json.Marshal(in))(t)
		out := JSON(encoded)
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != in {
			t.Errorf("%q came back as %q (%v) from %s", in, back, err, out)
		}
		for _, r := range string(out) {
			if isInvisible(r) || isSelector(r) {
				t.Errorf("%q still shows %U: %s", in, r, out)
			}
		}
	}
	if got, want := string(JSON([]byte("[\n  \"\U000e0041\"\n]"))), "[\n  \"\\udb40\\udc41\"\n]"; got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
}
