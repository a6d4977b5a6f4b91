package hostile

import "testing"

func TestShortenCountsCharacters(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"four", 4, "four"}, {"fïve5", 4, "fïv…"}, {"two words", 5, "two…"}, {"", 1, ""}, {"数据库", 2, "数…"},
	} {
		if got := Shorten(test.text, test.n); got != test.want {
			t.Errorf("Shorten(%q, %d) is %q, not %q", test.text, test.n, got, test.want)
		}
	}
}

func TestHeadCountsBytes(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "", 2: "ï", 3: "ïx", 9: "ïx"} {
		if got := Head("ïx", n); got != want {
			t.Errorf("Head of %d bytes is %q, not %q", n, got, want)
		}
	}
}
