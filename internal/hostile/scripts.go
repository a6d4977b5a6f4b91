package hostile

import (
	"strings"
	"unicode"
)

var (
	// leftward are the scripts that run from right to left and have readers today.
	leftward = []*unicode.RangeTable{
		unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya,
		unicode.Samaritan, unicode.Mandaic,
	}
	// spaceless are the scripts that mark where words end by a space without width.
	spaceless = []*unicode.RangeTable{
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese,
		unicode.Tai_Tham, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Viet, unicode.Cham,
	}
	// joining are the scripts in which a joiner changes the form of a letter.
	joining = []*unicode.RangeTable{
		unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Mandaic,
		unicode.Mongolian, unicode.Phags_Pa, unicode.Manichaean,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Myanmar, unicode.Khmer, unicode.Tibetan, unicode.Thai,
		unicode.Lao, unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Meetei_Mayek, unicode.Limbu,
		unicode.Lepcha,
		unicode.Tai_Tham, unicode.Cham, unicode.Kaithi, unicode.Grantha, unicode.Newa, unicode.Tirhuta, unicode.Modi,
		unicode.Sharada, unicode.Takri, unicode.Chakma, unicode.Brahmi, unicode.Saurashtra, unicode.Syloti_Nagri,
		unicode.Batak, unicode.Buginese,
	}
)

// mark reports whether a control of direction stands alone: it turns nothing that would have to be turned back.
func mark(r rune) bool { return r == '\u200e' || r == '\u200f' || r == '\u061c' }

// jamo reports whether r is a part of a Hangul syllable: fillers stand for the parts that one lacks.
func jamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97f || r >= 0xd7b0 && r <= 0xd7ff
}

// selects reports whether there is another form of r that the selector could choose.
func selects(r, selector rune) bool {
	switch {
	case selector == '\ufe0e' || selector == '\ufe0f':
		return unicode.In(r, unicode.So, unicode.Sm) || keycap(r) || strings.ContainsRune("‼⁉〰〽ℹ", r)
	case selector >= 0xe0100:
		return unicode.Is(unicode.Han, r)
	case selector >= '\ufe00':
		return unicode.In(r, unicode.Sm, unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean,
			unicode.Egyptian_Hieroglyphs) ||
			r == '0' || strings.ContainsRune("、。！，．：；？", r)
	}
	return unicode.Is(unicode.Mongolian, r)
}
