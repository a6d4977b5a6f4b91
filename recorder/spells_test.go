package recorder

import (
	"testing"

	"github.com/council-engine/council/council"
)

// TestSpells_ComparesWords, in whatever spelling, and as far as it goes.
func TestSpells_ComparesWords(t *testing.T) {
	const id council.SessionID = "20261121-081500-shall-we-write-to-jose-alvarez-about-7f3k2a"
	for text, want := range map[string]bool{
		"José Álvarez": true, "jose alvarez": true, "Jose": true, "Álvarez about the invoice of May": true,
		"José, Álvarez!": true,
		"Shall we write to José Álvarez about his invoice?": true, "Alva": false, "Mary": false, "we": false, "": false,
		"约瑟":     false,
		"7f3k2a": false, "20261121": false, "about the invoice": false,
	} {
		if got := NameContains(id, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if NameContains("session", "session") {
		t.Error("an id that is not made of a topic tells nothing")
	}
}
