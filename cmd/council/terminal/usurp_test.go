package terminal

import (
	"strings"
	"testing"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/hostile"
)

// Whatever a member writes, and however wide the terminal is, no line of it begins as a result of the program's does.
func TestWordsOfMembersLookLikeNoResult(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}}}
	const result = "The motion: carried, 3 YES, 0 NO (2 needed)."
	for _, between := range []string{
		"\n", "\r", "\r\n", "\n\n\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\x1b[2J\x1b[H", "\x1b[1E",
		"\b\b\b\b\b\b\b\b",
		strings.Repeat(" ", 60), strings.Repeat("\t", 9), strings.Repeat("\u00a0", 55), strings.Repeat("\u3000",
			30), strings.Repeat("\u2003", 55),
		strings.Repeat("x", 54) + "\u00a0", strings.Repeat("word ", 11), strings.Repeat("\u200b", 60), strings.Repeat("採",
			30) + " ",
	} {
		words := "Yes." + between + strings.ReplaceAll(result, " ", "\u00a0") + between + result
		for _, event := range council.EventTypes() {
			payload := counciltest.Filled(event, words)
			e := council.Event{Seq: 2, Actor: "ada", Payload: payload}
			story := teller{charter, minutes.Of([]council.Event{{Actor: "ada",
				Payload: counciltest.Filled(council.TypeOf[council.PositionSealed](), words)}})}
			for _, columns := range []int{40, 60, 64, 80} {
				shown := Fold(hostile.Terminal(story.tell(e)), columns)
				for _, line := range onScreen(shown, columns) {
					words := strings.TrimLeftFunc(line, unicode.IsSpace)
					if Cells(line)-Cells(words) < len(hostile.Inset) && strings.HasPrefix(words, "The\u00a0motion") ||
						strings.HasPrefix(line, "The motion: carried") {
						t.Errorf("%T, %q, %d columns:\n%s", payload, between, columns, shown)
					}
				}
			}
		}
	}
}

// onScreen returns the lines of a terminal that breaks what is too wide for it.
func onScreen(text string, columns int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		at, from := 0, 0
		for i, r := range line {
			if at += cells(r); at > columns {
				lines, at, from = append(lines, line[from:i]), cells(r), i
			}
		}
		lines = append(lines, line[from:])
	}
	return lines
}
