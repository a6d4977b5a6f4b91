package wire

import (
	"bytes"
	"encoding/json"
	"unicode"
	"unicode/utf8"
)

// JSON returns v as compact JSON on one line in which nothing invisible stands raw: control characters, bidirectional
// controls and other format characters are escaped, so that a file can be shown on a terminal as it is. HTML is not
// escaped.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escape(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// escape replaces what is invisible by its \u form. Outside of strings JSON is ASCII and visible, so that only strings
// are changed.
func escape(text []byte) []byte {
	if !bytes.ContainsFunc(text, hidden) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case !hidden(r):
			out = append(out, text[:n]...)
		case r >= 0x10000:
			out = unit(unit(out, 0xd800+(r-0x10000)>>10), 0xdc00+(r-0x10000)&0x3ff)
		default:
			out = unit(out, r)
		}
		text = text[n:]
	}
	return out
}

// unit appends the \u form of one UTF-16 code unit.
func unit(out []byte, u rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
}

func hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
