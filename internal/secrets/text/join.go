package text

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Plain is v with percent-encoding, the escapes of string literals and the entities of HTML resolved; false: it has none.
func (v *View) Plain() (*View, bool) {
	plain := unescape(v.Text)
	return plain.behind(v), len(plain.segs) > 1 || plain.Text != v.Text
}

// Joined is a view without line ends, quotes and operators between two parts of what may be one
// word. It is not worth a search when nothing of that is in it.
func (base *View) Joined() (*View, bool) {
	w := &writer{source: base.Text}
	for i := 1; i < len(base.Text); i++ {
		if !gapStart[base.Text[i]] || !glueable(base.Text[i-1]) {
			continue
		}
		if n := gap(base.Text[i:], Wordy(base.Text[i-1])); n > 0 {
			w.skip(i, i+n)
			i += n
		}
	}
	v := w.done().behind(base)
	return v, len(v.segs) > 1
}

// Wordy reports whether a byte may stand within a key.
func Wordy(c byte) bool {
	return Alnum(c) || c == '_' || c == '-' || c == '+' || c == '/' || c == '.'
}

// glueable reports whether a byte may stand next to where two literals are put together.
func glueable(c byte) bool {
	return c > ' ' && !Quote(c) && strings.IndexByte(",:;=([{\\", c) < 0
}

// Alnum reports whether a byte is a letter or a digit of ASCII.
func Alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var gapStart = [256]bool{'\n': true, '\r': true, ' ': true, '\t': true, '"': true, '\'': true, '`': true, '\\': true}

// maxGap bounds what may lie between two parts of one word: indentation, mostly.
const maxGap = 80

// gap measures what stands between two parts of a word at the beginning of s: quotes within it, the end of one literal and
// the beginning of the next, or the end of a line. 0: something else.
func gap(s string, within bool) int {
	n, quotes, lines, marks := 0, 0, 0, 0
scan:
	for n < len(s) {
		if n == maxGap {
			return 0
		}
		switch s[n] {
		case '"', '\'', '`':
			quotes++
		case '\n':
			lines++
		case ' ', '\t', '\r':
		case '+', '&', '.', '/', '#', '>', '|', '*', '\\':
			if lines == 0 && quotes == 0 && s[n] != '\\' || Wordy(s[n]) && !spaced(s, n) {
				break scan
			}
			marks++
		default:
			break scan
		}
		n++
	}
	if n == len(s) || lines > 1 || marks > 4 || !glueable(s[n]) {
		return 0
	}
	within = within && Wordy(s[n])
	switch {
	case quotes >= 2 && Quote(s[0]) && Quote(s[n-1]): // one literal after the other
		return n
	case !within:
		return 0
	case lines == 1 && quotes == 0, lines == 0 && quotes > 0 && !strings.ContainsAny(s[:n], " \t"):
		return n
	}
	return 0
}

// spaced reports whether the sign at i stands for itself, and begins no word.
func spaced(s string, i int) bool {
	return i+1 < len(s) && strings.IndexByte(" \t\r\n\"'`/", s[i+1]) >= 0
}

// Quote reports whether a byte is a quote.
func Quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// unescape resolves percent-encoding, the escapes of string literals, and the entities of HTML.
func unescape(s string) *View {
	w := &writer{source: s}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '%':
			if n, ok := hex(s, i+1, 2); ok {
				w.put(i, i+3, string([]byte{byte(n)}))
				i += 2
			}
		case '&':
			if n, text := entity(s[i:]); n > 0 {
				w.put(i, i+n, text)
				i += n - 1
			}
		case '\\':
			if n, text := escape(s[i:]); n > 0 {
				w.put(i, i+n, text)
				i += n - 1
			}
		}
	}
	return w.done()
}

// escape reads an escape at the beginning of s.
func escape(s string) (n int, text string) {
	if len(s) < 2 {
		return 0, ""
	}
	switch s[1] {
	case 'n':
		return 2, "\n"
	case 't':
		return 2, "\t"
	case 'r':
		return 2, "\r"
	case '"', '\'', '/', '\\':
		return 2, s[1:2]
	case 'u':
		if r, ok := hex(s, 2, 4); ok && !hidden(rune(r)) && utf8.ValidRune(rune(r)) {
			return 6, string(rune(r))
		} else if ok {
			return 6, ""
		}
	case 'x':
		if r, ok := hex(s, 2, 2); ok {
			return 4, string([]byte{byte(r)})
		}
	}
	return 0, ""
}

// entity reads an entity of HTML at the beginning of s.
func entity(s string) (n int, text string) {
	end := strings.IndexByte(s[:min(len(s), 10)], ';')
	if end < 3 {
		return 0, ""
	}
	plain := html.UnescapeString(s[:end+1])
	if r, size := utf8.DecodeRuneInString(plain); size != len(plain) || r == utf8.RuneError {
		return 0, ""
	} else if hidden(r) {
		plain = ""
	}
	return end + 1, plain
}

func hex(s string, at, n int) (uint64, bool) {
	if at+n > len(s) {
		return 0, false
	}
	v, err := strconv.ParseUint(s[at:at+n], 16, 32)
	return v, err == nil
}
