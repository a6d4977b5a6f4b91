package recorder

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
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
		check.Is(t, text, want, NameContains(id, text))
	}
	check.Is(t, "an id that is not made of a topic", false, NameContains("session", "session"))
}
