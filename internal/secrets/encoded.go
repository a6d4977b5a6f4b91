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
		n := 0
		for i+n < len(v.text) && digit64[v.text[i+n]] < 64 {
			n++
		}
		if n >= leastEncoded {
			n = v.untilProse(i+leastEncoded, i+n) - i
			for shift := range 4 {
				found = append(found, v.decode(i+shift, i+n)...)
			}
		}
		i += max(n-1, 0)
	}
	return found
}

// digit64 is the value of a character of either alphabet of base64; 64: of neither.
var digit64 = func() (d [256]byte) {
	for i := range d {
		d[i] = 64
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		d[c] = byte(i)
	}
	d['-'], d['_'] = 62, 63
	return d
}()

// decode looks for secrets in the texts that text[from:to] decodes to. What begins in the middle of a group of four
// reads as noise, and noise has no stretch of twelve printable characters.
func (v *view) decode(from, to int) []candidate {
	enc := v.text[from:to]
	if len(enc) < leastEncoded-3 || !promising(enc) {
		return nil
	}
	raw, _ := base64.RawStdEncoding.DecodeString(standard.Replace(enc))
	var found []candidate
	for at := 0; at < len(raw); at++ {
		n := printable(raw[at:])
		if n >= leastPlain {
			inner := &view{text: string(raw[at : at+n])}
			for _, c := range inner.search() {
				start, end := (at+c.Start)/3*4, ((at+c.End-1)/3+1)*4
				found = append(found, v.found(c.Kind, from+start, from+min(end, len(enc)), c.rank))
			}
		}
		at += n
	}
	return found
}

// standard is the standard alphabet of base64 for that of addresses.
var standard = strings.NewReplacer("-", "+", "_", "/")

// promising reports whether there is a chance of text in enc: of three bytes of text none is beyond ASCII, so that the
// first of four digits is below 32. Of noise half are not.
func promising(enc string) bool {
	row := 0
	for i := 0; i < len(enc); i += 4 {
		if digit64[enc[i]] >= 32 {
			row = 0
			continue
		}
		if row++; row >= leastPlain/3 {
			return true
		}
	}
	return false
}

// printable measures the text at the beginning of b.
func printable(b []byte) int {
	n := 0
	for n < len(b) && (b[n] >= ' ' && b[n] < 0x7f || b[n] == '\n' || b[n] == '\t' || b[n] == '\r') {
		n++
	}
	return n
}
