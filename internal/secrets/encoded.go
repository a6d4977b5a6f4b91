package secrets

import (
	"encoding/base64"
	"strings"
)

const (
	leastEncoded = 20 // characters of base64 that may hold a secret
	leastPlain   = 12 // characters in a row that make bytes a text
)

// encoded finds secrets in what is base64 in a view.
func (v *view) encoded() []candidate {
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
	// low are the digits below 32. Of three bytes of text none is beyond ASCII, so that the first of four digits is one
	// of these. Of noise half are not.
	low = newClass("A-Za-f")
	// standard is the standard alphabet of base64 for that of addresses.
	standard = strings.NewReplacer("-", "+", "_", "/")
)

// decode looks for secrets in the texts that text[from:to] decodes to. What begins in the middle of a group of four
// reads as noise, and noise has no stretch of twelve printable characters.
func (v *view) decode(from, to int) []candidate {
	enc := v.text[from:to]
	best, row := 0, 0
	for i := 0; i < len(enc) && best < leastPlain/3; i += 4 {
		if row++; !low[enc[i]] {
			row = 0
		}
		best = max(best, row)
	}
	if best < leastPlain/3 {
		return nil
	}
	raw, _ := base64.RawStdEncoding.DecodeString(standard.Replace(enc))
	plain := string(raw)
	var found []candidate
	for at := 0; at < len(plain); at++ {
		n := printable.run(plain[at:], len(plain))
		if n >= leastPlain {
			inner := &view{text: plain[at : at+n]}
			for _, c := range inner.search() {
				start, end := (at+c.Start)/3*4, ((at+c.End-1)/3+1)*4
				found = append(found, v.found(c.Kind, from+start, from+min(end, len(enc)), c.rank))
			}
		}
		at += n
	}
	return found
}
