// Package hostile makes text of models and strangers safe for a record that people read.
//
// The functions never fail and never drop words: they escape anything that could be mistaken for structure, remove
// invisible characters, and keep the rest. All are pure and idempotent.
package hostile

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Clean returns s as valid UTF-8 without invisible characters: no controls but newline and tab, no bidirectional
// controls, tags, fillers or zero-width characters. Joiners stay between letters and in emoji. CRLF, CR and the
// Unicode line ends become newlines.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	last := rune(0) // the last rune that was kept
	for i, r := range s {
		switch {
		case ' ' <= r && r < 0x7f: // the usual case
		case r == '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				continue
			}
			r = '\n'
		case r == '\u2028' || r == '\u2029':
			r = '\n'
		case r == '\u200c' || r == '\u200d': // joiners
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if !canJoin(last) || !canJoin(next) || isSelector(next) {
				continue
			}
		case isSelector(r):
			if !canJoin(last) && !isKeycapBase(last) || isSelector(last) {
				continue
			}
		case isInvisible(r):
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII with newlines and tabs: nothing to clean.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\n' && r != '\t' })
}

// canJoin reports whether a joiner or a variation selector next to r can change how it looks.
func canJoin(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk, unicode.Sm) && r != utf8.RuneError &&
		!isInvisible(r)
}

// isKeycapBase reports whether r begins an emoji such as the digit in a box.
func isKeycapBase(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }
func isSelector(r rune) bool   { return unicode.Is(unicode.Variation_Selector, r) }

// isInvisible reports whether r is invisible or controls how its neighbours are shown.
func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point):
		return true
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r): // Hangul fillers, grapheme joiner, reserved tags
		return true
	}
	return r == '\u2800' // a Braille pattern without dots
}

// Line is Clean on one line: newlines and tabs become spaces, and the ends are trimmed.
func Line(s string) string {
	return strings.TrimSpace(oneLine.Replace(Clean(s)))
}

var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

// escapeSequence matches sequences that a terminal obeys: control sequences, strings such as titles and links, and
// short escapes, in their 7-bit forms. An unfinished string extends to the end of its line.
var escapeSequence = regexp.MustCompile("\x1b(?:" +
	"\\[[0-?]*[ -/]*[@-~]?" +
	"|[\\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?" +
	"|[ -/]*[0-~]?)")

// Unescape removes escape sequences.
func Unescape(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return escapeSequence.ReplaceAllString(s, "")
}

// Terminal is Clean for a terminal: whole escape sequences are removed, and a tab becomes four spaces.
func Terminal(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.ReplaceAll(Clean(Unescape(s)), "\t", "    ")
}

// Shorten cuts s to at most n characters, including "…" at the end.
func Shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:n-1]), " \n\t") + "…"
}

// Excerpt returns the beginning of a text of others, on one line and of at most so many characters.
func Excerpt(text string, most int) string {
	line := Line(Terminal(Head(text, 16*most)))
	return Shorten(strings.Join(strings.Fields(line), " "), most)
}

// Inset is the indentation of the further lines of a member's text: deeper than any line of ours.
const Inset = "      "

// Words returns a text of a member, to follow its name. Further lines are indented by [Inset], unlike any of ours.
func Words(text string) string {
	lines := strings.Split(strings.TrimSpace(Clean(text)), "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] = strings.TrimRight(lines[i], " \t"); lines[i] != "" {
			lines[i] = Inset + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// Label returns a short text of others, such as a name, on one line.
func Label(text string) string { return Line(Terminal(text)) }

// Head returns at most n bytes of the beginning of s, without part of a character.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// JSON escapes every invisible or private-use character in encoded JSON. It decodes to the same values.
func JSON(encoded []byte) []byte {
	raw := func(r rune) bool {
		return r >= 0x7f && (isInvisible(r) || isSelector(r) || unicode.Is(unicode.Co, r) || r == utf8.RuneError)
	}
	if !bytes.ContainsFunc(encoded, raw) {
		return encoded
	}
	var b bytes.Buffer
	for i := 0; i < len(encoded); {
		r, n := utf8.DecodeRune(encoded[i:])
		if !raw(r) || r == utf8.RuneError && n > 1 {
			b.Write(encoded[i : i+n])
		} else {
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
		i += n
	}
	return b.Bytes()
}
