// Package names compares names: which two look alike to a reader, and which known name was probably meant.
package names

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Nearest returns the first known name with the smallest edit distance, at most a third of its letters, ignoring case.
func Nearest(name string, known iter.Seq[string]) (string, bool) {
	best, found := "", false
	limit := 1 << 30
	for k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < limit && d*3 <= max(len(name), len(k)) {
			best, limit, found = k, d, true
		}
	}
	return best, found
}

// Meant returns the index of the thing that has a word as one of its names, else of the only one of which a name begins
// with it, in any case. -1: there is none, or several.
func Meant[T any](word string, all []T, names func(T) []string) int {
	if word = strings.ToLower(strings.TrimSpace(word)); word == "" {
		return -1
	}
	var begin []int
	for i, one := range all {
		for _, name := range names(one) {
			if name = strings.ToLower(name); name == word {
				return i
			} else if strings.HasPrefix(name, word) && !slices.Contains(begin, i) {
				begin = append(begin, i)
			}
		}
	}
	if len(begin) != 1 {
		return -1
	}
	return begin[0]
}

// distance counts the insertions, deletions, changes and swaps of neighbours that turn a into b, by runes.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	if len(from) > 100 || len(to) > 100 {
		return 1 << 20 // too long for a slip
	}
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			change := 1
			if from[i-1] == to[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}

// Keys returns the keys by which a name is compared: two names look alike when they share a key. Spaces, hyphens, dots,
// apostrophes, invisible characters, case and the script of a letter do not count. The first key is the name as
// letters; the second also equates I, l and 1, and 0 and O. A name without a visible character has empty keys.
func Keys(name string) [2]string {
	shapes := strings.Map(shape, norm.NFKD.String(name))
	return [2]string{
		"letters " + strings.ToLower(shapes),
		"shapes " + joinedShapes.Replace(strings.ToLower(uprightShapes.Replace(shapes))),
	}
}

// Seen reports whether a name has a visible character.
func Seen(name string) bool { return Keys(name) != Keys("") }

var (
	uprightShapes = strings.NewReplacer("I", "l", "1", "l", "|", "l", "0", "o")
	joinedShapes  = strings.NewReplacer("rn", "m", "vv", "w")
)

// shape returns the Latin letter that a character looks like, or the character, or -1 if it does not count.
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
var shapes = pairRunes(
	"АаӐӑ", "AaAa", "ВЕеЅѕЈјКкМмНнОоРрСсТтУуХхІіҮүԚԛԜԝѴѵҺһӀӏԌԁԍ", "BEeSsJjKkMmHhOoPpCcTtYyXxIiYyQqWwVvHhIlGdg",
	"ΑαΒΕεΖΗηΙιΚκΜΝνΟοΡρΤτΥυΧχγωσϲϹϳ", "AaBEeZHnIiKkMNvOoPpTtYuXxywocCj",
	"ՕօՍսհոցզյԼ", "OoUuhngqjL",
	"ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "ABCDEGHJKLMPRSTVWZ",
	"ɑɡıȷɩʟɢɪ", "agijiLGI", "ǀ∣׀", "III",
)

// pairRunes maps the characters of every first text to those of the text after it.
func pairRunes(texts ...string) map[rune]rune {
	m := map[rune]rune{}
	for i := 0; i < len(texts); i += 2 {
		to := []rune(texts[i+1])
		for j, r := range []rune(texts[i]) {
			m[r] = to[j]
		}
	}
	return m
}
