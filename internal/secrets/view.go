package secrets

import (
	"encoding/base64"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// view is a text to be searched, its mapping to its source, and the state of the search.
type view struct {
	text   string
	source string
	places []place // of the source behind each byte of the text; nil: the text is the source

	rejectedTo  int           // where the last value ended that was looked at and found not to be a secret
	namesReadTo int           // where the last name ended that was looked at
	manifestEnd int           // where the last Secret of Kubernetes ended
	tableRows   [2]int        // the rows of the last table that was looked at
	searchedTo  map[*rule]int // up to where a rule found nothing
}

// place is a stretch of the source.
type place struct{ from, to int32 }

// origin maps text[start:end], which is not empty, to the source.
func (v *view) origin(start, end int) place {
	if v.places == nil {
		return place{int32(start), int32(end)}
	}
	return place{v.places[start].from, v.places[end-1].to}
}

// omittedBefore returns the text that was omitted right before at.
func (v *view) omittedBefore(at int) string {
	if v.places == nil || at <= 0 || at >= len(v.text) || v.places[at-1].to >= v.places[at].from {
		return ""
	}
	return v.source[v.places[at-1].to:v.places[at].from]
}

// isBroken reports whether a line end was omitted right before at.
func (v *view) isBroken(at int) bool {
	s := v.omittedBefore(at)
	return s != "" && (strings.Contains(s, "\n") || strings.Contains(s, `\n`) || strings.Contains(s, "%0"))
}

// nextBreak returns the first broken place in (at, end), or end.
func (v *view) nextBreak(at, end int) int {
	if v.places == nil {
		return end
	}
	for i := at + 1; i < end; i++ {
		if v.isBroken(i) {
			return i
		}
	}
	return end
}

// untilProse shortens a word that was joined across line ends to exclude the next line's prose, but not below shortest.
func (v *view) untilProse(shortest, end int) int {
	for at := v.nextBreak(shortest-1, end); at < end; {
		next := v.nextBreak(at, end)
		if t := traitsOf(v.text[at:next]); t.turns < 2 && (t.digit == 0 || t.turns == 0) ||
			next-at >= 12 && isReference(v.text[at:next]) && !strings.ContainsAny(v.omittedBefore(at), "\"'") {
			return at
		}
		at = next
	}
	return end
}

// rewrite returns v with the parts replaced that next finds, by their length, and whether there were any.
func (v *view) rewrite(at *class, next func(s string, at int) (n int, text string)) (*view, bool) {
	var text strings.Builder
	var places []place
	last := 0
	copyTo := func(end int) {
		text.WriteString(v.text[last:end])
		if v.places != nil {
			places = append(places, v.places[last:end]...)
			return
		}
		for i := last; i < end; i++ {
			places = append(places, place{int32(i), int32(i + 1)})
		}
	}
	for i := 0; i < len(v.text); i++ {
		if !at[v.text[i]] {
			continue
		}
		n, plain := next(v.text, i)
		if n == 0 {
			continue
		}
		if places == nil {
			places = make([]place, 0, len(v.text))
			text.Grow(len(v.text))
		}
		copyTo(i)
		from := v.origin(i, i+n)
		for range len(plain) {
			places = append(places, from)
		}
		text.WriteString(plain)
		last = i + n
		i = last - 1
	}
	if places == nil {
		return &view{text: v.text, source: v.source, places: v.places}, false
	}
	copyTo(len(v.text))
	return &view{text: text.String(), source: v.source, places: places}, true
}

// toASCII removes invisible characters, and writes those of full width, and colons, quotes and spaces, in ASCII.
func toASCII(s string, at int) (n int, text string) {
	r, size := utf8.DecodeRuneInString(s[at:])
	switch {
	case noWidth(r):
		return size, ""
	case r >= '！' && r <= '～':
		return size, string(r - '！' + '!')
	case strings.ContainsRune("﹕︰∶꞉ː", r):
		return size, ":"
	case r == '﹦':
		return size, "="
	case strings.ContainsRune("“”„«»「」『』﹁﹂", r):
		return size, `"`
	case r == '\u00a0' || r == '\u202f' || r == '\u3000':
		return size, " "
	}
	return 0, ""
}

// noWidth reports whether a non-ASCII character is invisible.
func noWidth(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// decodeChar decodes percent-encoding, escapes of string literals and HTML entities; see [view.rewrite].
func decodeChar(s string, at int) (n int, text string) {
	s = s[at:min(len(s), at+10)]
	switch end := strings.IndexByte(s, ';'); {
	case len(s) < 2:
	case s[0] == '%':
		if plain, err := url.PathUnescape(s[:min(len(s), 3)]); err == nil {
			return 3, plain
		}
	case s[0] == '&' && end > 2:
		if plain := html.UnescapeString(s[:end+1]); plain != s[:end+1] {
			return end + 1, plain
		}
	case s[0] == '\\' && (s[1] == '/' || isQuote(s[1])):
		return 2, s[1:2]
	case s[0] == '\\':
		if r, _, rest, err := strconv.UnquoteChar(s, 0); err == nil && noWidth(r) {
			return len(s) - len(rest), ""
		} else if err == nil {
			return len(s) - len(rest), string(r)
		}
	}
	return 0, ""
}

// joinParts removes line ends, quotes and operators between two parts of a possible word: of a literal, or of two
// lines.
func joinParts(s string, at int) (n int, text string) {
	if at == 0 || unglued[s[at-1]] {
		return 0, ""
	}
	within := wordy[s[at-1]]
	s = s[at:min(len(s), at+maxGap+1)]
	quotes, lines, marks := 0, 0, 0
scan:
	for ; n < len(s); n++ {
		switch s[n] {
		case '"', '\'', '`':
			quotes++
		case '\n':
			lines++
		case ' ', '\t', '\r':
		case '+', '&', '.', '/', '#', '>', '|', '*', '\\':
			standsAlone := n+1 < len(s) && strings.IndexByte(" \t\r\n\"'`/", s[n+1]) >= 0
			if lines == 0 && quotes == 0 && s[n] != '\\' || wordy[s[n]] && !standsAlone {
				break scan
			}
			marks++
		default:
			break scan
		}
	}
	if n >= min(len(s), maxGap) || lines > 1 || marks > 4 || unglued[s[n]] {
		return 0, ""
	}
	within = within && wordy[s[n]]
	oneLine := lines == 1 && quotes == 0
	cutWord := lines == 0 && quotes > 0 && !strings.ContainsAny(s[:n], " \t")
	if quotes >= 2 && isQuote(s[0]) && isQuote(s[n-1]) || within && (oneLine || cutWord) {
		return n, ""
	}
	return 0, ""
}

// maxGap bounds the text between two parts of one word: indentation, mostly.
const maxGap = 80

var (
	notASCII  = newClass("\x80-\xff")
	codeStart = newClass("%&\\")
	wordy     = newClass("0-9a-zA-Z_+/.-")      // within a key
	unglued   = newClass("\x00- \"'`,:;=([{\\") // are not at the joint of two literals
	gapStart  = newClass("\n\r \t\"'`\\")
)

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

const (
	leastEncoded = 20 // characters of base64 that may hold a secret
	leastPlain   = 12 // characters in a row that make bytes a text
)

// findEncoded finds secrets in the base64 of a view.
func (v *view) findEncoded() []candidate {
	var found []candidate
	for i := 0; i < len(v.text); i++ {
		n := digits64.run(v.text[i:], len(v.text))
		if n >= leastEncoded {
			n = v.untilProse(i+leastEncoded, i+n) - i
			for shift := range 4 {
				found = append(found, v.decode(i+shift, i+n)...)
			}
		}
		i += n
	}
	return found
}

var (
	digits64 = newClass("A-Za-z0-9+/_-")
	// lowDigits are the digits below 32. Of three bytes of text none is beyond ASCII, so that the first of four digits is
	// one of these. Of noise half are not.
	lowDigits = newClass("A-Za-f")
	// toStandard is the standard alphabet of base64 for that of addresses.
	toStandard = strings.NewReplacer("-", "+", "_", "/")
)

// decode looks for secrets in the texts that text[from:to] decodes to. Base64 from the middle of a group of four
// reads as noise, and noise has no stretch of twelve printable characters.
func (v *view) decode(from, to int) []candidate {
	enc := v.text[from:to]
	best, row := 0, 0
	for i := 0; i < len(enc) && best < leastPlain/3; i += 4 {
		if row++; !lowDigits[enc[i]] {
			row = 0
		}
		best = max(best, row)
	}
	if best < leastPlain/3 {
		return nil
	}
	raw, _ := base64.RawStdEncoding.DecodeString(toStandard.Replace(enc))
	plain := string(raw)
	var found []candidate
	for at := 0; at < len(plain); at++ {
		n := printable.run(plain[at:], len(plain))
		if n >= leastPlain {
			inner := &view{text: plain[at : at+n]}
			for _, c := range inner.search() {
				start, end := (at+c.Start)/3*4, ((at+c.End-1)/3+1)*4
				found = append(found, v.newCandidate(c.Kind, from+start, from+min(end, len(enc)), c.rank))
			}
		}
		at += n
	}
	return found
}
