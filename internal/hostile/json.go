package hostile

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// JSON returns an encoded JSON text with every character that is invisible, or for private use, written as its escape,
// so that it can be printed and compared by eye. It decodes to the same values, also where it is not quite UTF-8.
func JSON(encoded []byte) []byte {
	raw := func(r rune) bool {
		return r >= 0x7f && (unseen(r) || isSelector(r) || unicode.Is(unicode.Co, r) || r == utf8.RuneError)
	}
	if !bytes.ContainsFunc(encoded, raw) {
		return encoded
	}
	var b bytes.Buffer
	for i := 0; i < len(encoded); {
		r, n := utf8.DecodeRune(encoded[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\ufffd`)
		case !raw(r) || r == utf8.RuneError:
			b.Write(encoded[i : i+n])
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.Bytes()
}
