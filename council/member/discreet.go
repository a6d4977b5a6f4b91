package member

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

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

// unescaped is JSON with the characters in the place of their escapes, so that they can be looked at. It is not JSON
// any more.
func unescaped(json string) string {
	if !strings.Contains(json, `\`) {
		return json
	}
	var b strings.Builder
	for i := 0; i < len(json); {
		r, n := escape(json[i:])
		switch {
		case n == 0:
			b.WriteByte(json[i])
			i++
			continue
		case utf16.IsSurrogate(r):
			if low, more := escape(json[i+n:]); more == n {
				r, n = utf16.DecodeRune(r, low), n+more
			}
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// escape reads the escape sequence at the beginning of s, of n bytes. n is 0 if there is no escape sequence.
func escape(s string) (r rune, n int) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	if s[1] == 'u' && len(s) >= 6 {
		if code, err := strconv.ParseUint(s[2:6], 16, 16); err == nil {
			return rune(code), 6
		}
	}
	if i := strings.IndexByte("ntrbf", s[1]); i >= 0 {
		return rune("\n\t\r\b\f"[i]), 2
	}
	r, width := utf8.DecodeRuneInString(s[1:])
	return r, 1 + width
}
