// Package names compares names: which two look alike to a reader, and which known name was probably meant.
package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Keys returns what a name is compared by: two names look alike when they share a key. Spaces, hyphens, dots,
// apostrophes and what nobody sees count for nothing, nor does case, nor from which script a letter of the same shape
// is. The first key is the name read as letters; the second takes I, l and 1 for one another, and 0 for O. A name of
// which nothing is seen has empty keys.
func Keys(name string) [2]string {
	shapes := strings.Map(shape, norm.NFKD.String(name))
	return [2]string{
		"letters " + strings.ToLower(shapes),
		"shapes " + joined.Replace(strings.ToLower(upright.Replace(shapes))),
	}
}

// Seen reports whether anything of a name is seen.
func Seen(name string) bool { return Keys(name) != Keys("") }

var (
	upright = strings.NewReplacer("I", "l", "1", "l", "|", "l", "0", "o")
	joined  = strings.NewReplacer("rn", "m", "vv", "w")
)

// shape returns the Latin letter that a character looks like, or the character; -1 for what is not counted.
func shape(r rune) rune {
	if latin, ok := shapes[r]; ok {
		return latin
	}
	switch {
	case unicode.In(r, unicode.White_Space, unicode.C, unicode.Pd, unicode.Pc, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector), strings.ContainsRune(".'’ʼ`´·\u2800\u2019", r):
		return -1
	}
	return r
}

// shapes are letters of other scripts, each with the Latin letter that it is taken for.
var shapes = pairs(
	"АаӐӑ", "AaAa", "ВЕеЅѕЈјКкМмНнОоРрСсТтУуХхІіҮүԚԛԜԝѴѵҺһӀӏԌԁԍ", "BEeSsJjKkMmHhOoPpCcTtYyXxIiYyQqWwVvHhIlGdg",
	"ΑαΒΕεΖΗηΙιΚκΜΝνΟοΡρΤτΥυΧχγωσϲϹϳ", "AaBEeZHnIiKkMNvOoPpTtYuXxywocCj",
	"ՕօՍսհոցզյԼ", "OoUuhngqjL",
	"ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "ABCDEGHJKLMPRSTVWZ",
	"ɑɡıȷɩʟɢɪ", "agijiLGI", "ǀ∣׀", "III",
)

// pairs maps the characters of every first text to those of the text after it.
func pairs(texts ...string) map[rune]rune {
	m := map[rune]rune{}
	for i := 0; i < len(texts); i += 2 {
		to := []rune(texts[i+1])
		for j, r := range []rune(texts[i]) {
			m[r] = to[j]
		}
	}
	return m
}
