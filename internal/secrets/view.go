package secrets

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/internal/secrets/looks"
)

// view is a text as it is searched, the way back to its source, and what the search remembers.
type view struct {
	text   string
	source string
	places []place // of the source behind each byte of the text; nil: the text is the source

	past int    // where the last value ended that was looked at and found not to be a secret
	read int    // where the last name ended that was looked at
	held int    // where the last Secret of Kubernetes ended
	rows [2]int // the rows of the last table that was looked at
}

// place is a stretch of the source.
type place struct{ from, to int32 }

// origin maps text[start:end], which is not empty, to the source.
func (v *view) origin(start, end int) (from, to int) {
	if v.places == nil {
		return start, end
	}
	return int(v.places[start].from), int(v.places[end-1].to)
}

// omitted returns what was left out right before at.
func (v *view) omitted(at int) string {
	if v.places == nil || at <= 0 || at >= len(v.text) || v.places[at-1].to >= v.places[at].from {
		return ""
	}
	return v.source[v.places[at-1].to:v.places[at].from]
}

// broken reports whether a line end was left out right before at.
func (v *view) broken(at int) bool {
	s := v.omitted(at)
	return s != "" && (strings.Contains(s, "\n") || strings.Contains(s, `\n`) || strings.Contains(s, "%0"))
}

// nextBreak returns the first place in (at, end) that is broken, or end.
func (v *view) nextBreak(at, end int) int {
	if v.places == nil {
		return end
	}
	for i := at + 1; i < end; i++ {
		if v.broken(i) {
			return i
		}
	}
	return end
}

// writer makes a view of base by leaving stretches out, or putting something in their place.
type writer struct {
	base    *view
	text    strings.Builder
	places  []place
	last    int // what comes before is written
	changed bool
}

// put writes s in the place of the base's text[from:to].
func (w *writer) put(from, to int, s string) {
	if !w.changed {
		w.changed = true
		w.text.Grow(len(w.base.text))
		w.places = make([]place, 0, len(w.base.text))
	}
	w.copyTo(from)
	w.last = to
	w.text.WriteString(s)
	begin, end := w.base.origin(from, to)
	for range len(s) {
		w.places = append(w.places, place{int32(begin), int32(end)})
	}
}

func (w *writer) copyTo(i int) {
	w.text.WriteString(w.base.text[w.last:i])
	if w.base.places != nil {
		w.places = append(w.places, w.base.places[w.last:i]...)
		return
	}
	for at := w.last; at < i; at++ {
		w.places = append(w.places, place{int32(at), int32(at + 1)})
	}
}

// done returns the view. When nothing changed, it is a fresh one of the same text.
func (w *writer) done() *view {
	if !w.changed {
		return &view{text: w.base.text, source: w.base.source, places: w.base.places}
	}
	w.copyTo(len(w.base.text))
	return &view{text: w.text.String(), source: w.base.source, places: w.places}
}

// seen returns a view of s without what cannot be seen.
func seen(s string) *view {
	w := &writer{base: &view{text: s, source: s}}
	for i, r := range s {
		if r >= utf8.RuneSelf && hidden(r) {
			w.put(i, i+utf8.RuneLen(r), "")
		}
	}
	return w.done()
}

// hidden reports whether a character that is not ASCII takes no room.
func hidden(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r == 0xad:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// plain returns v with percent-encoding, the escapes of string literals and the entities of HTML resolved, and whether
// there were any.
func (v *view) plain() (*view, bool) {
	w, s := &writer{base: v}, v.text
	for i := 0; i < len(s); i++ {
		n, text := 0, ""
		switch s[i] {
		case '%':
			if b, ok := hex(s, i+1, 2); ok {
				n, text = 3, string([]byte{byte(b)})
			}
		case '&':
			n, text = entity(s[i:])
		case '\\':
			n, text = escape(s[i:])
		}
		if n > 0 {
			w.put(i, i+n, text)
			i += n - 1
		}
	}
	return w.done(), w.changed
}

// escape reads an escape at the beginning of s. n is 0 if there is none.
func escape(s string) (n int, text string) {
	if len(s) < 2 {
		return 0, ""
	}
	if i := strings.IndexByte(`ntr"'/\`, s[1]); i >= 0 {
		return 2, "\n\t\r\"'/\\"[i : i+1]
	}
	switch s[1] {
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

// entity reads an entity of HTML at the beginning of s. n is 0 if there is none.
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

// joined returns v without line ends, quotes and operators between two parts of what may be one word, and whether it
// differs from the source.
func (v *view) joined() (*view, bool) {
	w, s := &writer{base: v}, v.text
	for i := 1; i < len(s); i++ {
		if !gapStart[s[i]] || !glueable(s[i-1]) {
			continue
		}
		if n := gap(s[i:], wordy(s[i-1])); n > 0 {
			w.put(i, i+n, "")
			i += n
		}
	}
	return w.done(), w.changed || v.places != nil
}

// wordy reports whether a byte may stand within a key.
func wordy(c byte) bool { return alnum(c) || strings.IndexByte("_-+/.", c) >= 0 }

// glueable reports whether a byte may stand next to where two literals are put together.
func glueable(c byte) bool { return c > ' ' && !isQuote(c) && strings.IndexByte(",:;=([{\\", c) < 0 }

// alnum reports whether a byte is a letter or a digit of ASCII.
func alnum(c byte) bool { return looks.Base62[c] }

// isQuote reports whether a byte is a quote.
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

var gapStart = looks.NewClass("\n\r \t\"'`\\")

// maxGap bounds what may lie between two parts of one word: indentation, mostly.
const maxGap = 80

// gap measures what stands between two parts of a word at the beginning of s: quotes within it, the end of one literal
// and the beginning of the next, or the end of a line. 0: something else.
func gap(s string, within bool) int {
	n, quotes, lines, marks := 0, 0, 0, 0
scan:
	for ; n < len(s); n++ {
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
			standsAlone := n+1 < len(s) && strings.IndexByte(" \t\r\n\"'`/", s[n+1]) >= 0
			if lines == 0 && quotes == 0 && s[n] != '\\' || wordy(s[n]) && !standsAlone {
				break scan
			}
			marks++
		default:
			break scan
		}
	}
	if n == len(s) || lines > 1 || marks > 4 || !glueable(s[n]) {
		return 0
	}
	within = within && wordy(s[n])
	oneLine := lines == 1 && quotes == 0
	cutWord := lines == 0 && quotes > 0 && !strings.ContainsAny(s[:n], " \t")
	if quotes >= 2 && isQuote(s[0]) && isQuote(s[n-1]) || within && (oneLine || cutWord) {
		return n
	}
	return 0
}
