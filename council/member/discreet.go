package member

import (
	"encoding/json"
	"regexp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/secrets"
)

// discreet is c, the reply to an ask, without secrets, and with the counts of them and of hidden characters. A reply is
// cut before it is taped, so that what is cut stands nowhere, and what is on the tape is the reply. Hidden characters
// stay on the tape, which is not shown: they go when the reply is read.
func discreet(c prompt.Completion, ask council.AskKind, further []*regexp.Regexp) prompt.Completion {
	text := c.Text
	if ask != council.AskDraft {
		text = unescaped(text)
	}
	_, hidden := hostile.Expose(text)
	c.Hidden = nil
	for _, h := range hidden {
		c.Hidden = append(c.Hidden, council.Cut{Kind: h.Kind, Count: h.N})
	}
	c.Cut = nil
	for _, said := range []*string{&c.Text, &c.RequestID, &c.Usage.Model} {
		var counts []secrets.Count
		*said, counts = secrets.Cut(*said, further...)
		for _, n := range counts {
			c.Cut = council.AddCuts(c.Cut, []council.Cut{{Kind: n.Kind, Count: n.N}})
		}
	}
	return c
}

// escapes match escape sequences of JSON, those of UTF-16 in a row as one.
var escapes = regexp.MustCompile(`(?s)(?:\\u[0-9A-Fa-f]{4})+|\\.`)

// unescaped is JSON with the characters in the place of their escapes, so that they can be looked at. It is not JSON
// any more.
func unescaped(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(escape string) (means string) {
		if json.Unmarshal([]byte(`"`+escape+`"`), &means) != nil {
			return escape[1:]
		}
		return means
	})
}
