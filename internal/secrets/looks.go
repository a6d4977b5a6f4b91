package secrets

import (
	"math"
	"strings"
)

type class [256]bool

// newClass returns the class of bytes and ranges, such as "a-z_". A hyphen at the end is literal.
func newClass(chars string) *class {
	var c class
	for i := 0; i < len(chars); i++ {
		first, last := int(chars[i]), int(chars[i])
		if i+2 < len(chars) && chars[i+1] == '-' {
			i += 2
			last = int(chars[i])
		}
		for b := first; b <= last; b++ {
			c[b] = true
		}
	}
	return &c
}

// The alphabets of keys.
var (
	digits       = newClass("0-9")
	lowHex       = newClass("0-9a-f")
	anyHex       = newClass("0-9a-fA-F")
	letters      = newClass("a-zA-Z")
	base62       = newClass("0-9a-zA-Z")
	word         = newClass("0-9a-zA-Z_")
	dotted       = newClass("0-9a-zA-Z_.-") // of names
	prefixText   = newClass("0-9a-zA-Z_.~-")
	runText      = newClass("!#-&*+.-:?@A-Z\\^_a-z~-\xff-") // of keys, accounts and their addresses
	bareText     = newClass("!#-%*+.-:=?-Z\\^_a-{~-\xff-")
	tokenText    = newClass("0-9a-zA-Z_.~+/-")
	keyText      = newClass("0-9a-zA-Z_.:~=|-")
	visible      = newClass("!-\xff")
	unquotedText = newClass("!#-&(-_a-\xff")
	blankText    = newClass(" \t")
	printable    = newClass(" -~\n\t\r")
)

// run returns how many bytes at the beginning of s are in c, at most limit.
func (c *class) run(s string, limit int) int {
	n := 0
	for n < len(s) && n < limit && c[s[n]] {
		n++
	}
	return n
}

func (c *class) only(s string) bool { return c.run(s, len(s)) == len(s) }

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	h := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// traits count the kinds of characters in a word.
type traits struct{ lower, upper, digit, other, turns int }

// traitsOf counts, with the changes between lower case, capitals and digits.
func traitsOf(s string) traits {
	var t traits
	var last *int
	for i := range len(s) {
		kind := &t.other
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			kind = &t.lower
		case c >= 'A' && c <= 'Z':
			kind = &t.upper
		case c >= '0' && c <= '9':
			kind = &t.digit
		}
		*kind++
		if last != nil && kind != last {
			t.turns++
		}
		last = kind
	}
	return t
}

// looksRandom reports whether the body of a key looks random: not a word, a repeated character, or an example.
func looksRandom(body string) bool {
	floor := 3.0
	if len(body) < 20 {
		floor = 2.5
	}
	t := traitsOf(body)
	return entropy(body) >= floor && (t.digit > 0 && t.lower+t.upper > 0 || t.lower > 0 && t.upper > 1) && !isExample(body)
}

// isRandom is drawn for values without other evidence: lower case, capitals and digits alternate.
func isRandom(s string) bool {
	t := traitsOf(s)
	return looksRandom(s) && t.digit > 0 && t.upper > 1 && t.lower > 1 && t.turns >= len(s)/3 && entropy(s) >= 3.3
}

// isExample reports whether a value is a manual's example.
func isExample(value string) bool { return containsAny(strings.ToLower(value), examples) }

// isBearerToken reports whether s can be a token.
func isBearerToken(s string) bool {
	return len(s) >= 16 && looksRandom(s) && !isReference(s) || isUUID(s) && !isExample(s)
}

func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && anyHex.only(s[:8]) &&
		anyHex.only(s[24:])
}

// isReference reports whether a value is made of words, as names are: config.token, prod/db-password, APP_SECRET_V2.
func isReference(s string) bool { return allNamed(strings.TrimLeft(s, "!&*+"), "-_./:@=\\") }

// isExpression reports whether an unquoted value is made of names and operators.
func isExpression(s string) bool { return allNamed(s, "-_./:@=\\!&*+()[]{},;<>|$") }

func allNamed(s, between string) bool {
	if stem := strings.TrimRight(s, "-_!*&+#?"); stem != s && stem != "" && digits[stem[len(stem)-1]] && letters[s[0]] {
		return false // a word, a number and a sign, as people make passwords
	}
	for chunk := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		if !isNameLike(chunk) {
			return false
		}
	}
	return true
}

// isNameLike reports whether a chunk can be a part of a name: a word in one case, words in camel case, a short number,
// or a word with a short number after it.
func isNameLike(chunk string) bool {
	end := letters.run(chunk, len(chunk))
	number := chunk[end:]
	if len(number) > 8 || end > 0 && len(number) > 5 || !digits.only(number) {
		return false
	}
	t := traitsOf(chunk[:end])
	if t.upper == 0 || t.lower == 0 {
		return end <= 24
	}
	return end <= 40 && t.upper*3 <= end+1
}

// isWordLike reports whether mixed case consists of words, as names in code do: more than four of ten letters are in
// rows of three lower-case ones.
func isWordLike(s string) bool {
	in := 0
	for row := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(row) >= 3 && strings.ContainsAny(row, "aeiouy") {
			in += len(row)
		}
	}
	return in*10 > len(s)*4
}

// isGibberish reports whether letters are random: words have a vowel in any five.
func isGibberish(s string) bool {
	for row := range strings.FieldsFuncSeq(s, func(r rune) bool {
		return r < 'A' || strings.ContainsRune("aeiouyAEIOUY", r)
	}) {
		if len(row) >= 5 {
			return true
		}
	}
	return false
}

// isUnknownToken reports whether a word is a prefix and a random body: a key of an unknown issuer.
func isUnknownToken(s string) bool {
	if len(s) == 50 && s[32] == '-' && s[41] == '-' { // Mailgun's have no prefix
		return lowHex.only(s[:32] + s[33:41] + s[42:])
	}
	i := strings.IndexAny(s, "-_.")
	if i < 2 || i > 12 || !letters[s[0]] || idPrefixes[strings.ToLower(s[:i])] {
		return false
	}
	says := tokenPrefixes[strings.ToLower(s[:i])]
	rest := s[i+1:]
	for {
		k := strings.IndexAny(rest, "-_.")
		if k < 0 || k > 10 || isUUID(rest) {
			break
		}
		if t := traitsOf(rest[:k]); t.turns > 1 || t.digit > 4 { // neither a word nor a version
			break
		}
		says = says || tokenPrefixes[strings.ToLower(rest[:k])]
		rest = rest[k+1:]
	}
	begin := traitsOf(s[:i]) // lower case with a digit or two is a prefix too, except in a checksum
	if !isReference(s[:i]) && (i >= 8 || begin.upper > 0 || begin.digit > 2 || isSum(s)) ||
		strings.Contains(rest, ".") && !says ||
		s[i] == '.' && !says && (i > 3 || len(rest) < 40) || isExample(s) {
		return false
	}
	if isUUID(rest) {
		return says && strongPrefixes[strings.ToLower(s[:i])] || i < 8 && containsAny(s[:i],
			[]string{"pat", "sk", "apt", "aat"})
	}
	longest, body := "", ""
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("-_.~", r) }) {
		if body += part; len(part) > len(longest) {
			longest = part
		}
	}
	t, n := traitsOf(body), len(body)
	switch {
	case len(longest) < 12 && (!says || len(longest) < 7) || t.upper > 0 && isWordLike(body) ||
		strings.HasPrefix(body, "01") && n <= 26:
		return false
	case lowHex.only(body):
		return looksRandom(body) && (says && n >= 28 ||
			s[i] == '_' && traitsOf(s).upper == 0 && n%2 == 0 && n >= 30 && n <= 64)
	case traitsOf(longest).turns*4 < len(longest) && !says:
		return false
	case says && t.lower == n:
		return n >= 40 && isGibberish(body)
	case t.upper == 0 || t.lower == 0:
		return t.digit >= n/8 && t.turns >= n/4 && (n >= 40 || t.upper == 0 && n >= 32 || says && n >= 20)
	}
	return isRandom(body) && (n >= 24 || says && n >= 14 || n >= 20 && s[i] == '-')
}

// beginsSetting reports whether only the beginning of a setting precedes a name on its line.
func beginsSetting(s string, start int) bool {
	before := lineBefore(s, start)
	switch strings.TrimSpace(before) {
	case "", "-", "*", "+", "#", "//", "export", "set", "ENV", "env", "declare -x", "setx", "$env:", "SET", "ARG", "local":
		return len(before) < 64
	}
	return false
}

// lineRun measures the last word of a line; 0: there is more.
func lineRun(s string, at int) int {
	n := tokenLength(s[at:], visible.run(s[at:], maxValue))
	rest := at + n + blanks(s[at+n:])
	if n == 0 || rest < len(s) && s[rest] != '\n' && s[rest] != '\r' && (s[rest] != '#' || rest == at+n) ||
		strings.IndexByte(`,;{(\"'`+"`", s[at+n-1]) >= 0 {
		return 0
	}
	return n
}

// bareRun measures a value without quotes at the beginning of s.
func bareRun(s string) int {
	n := tokenLength(s, bareText.run(s, maxValue))
	if i := strings.IndexByte(s[:n], '\\'); i >= 0 && i == n-1 && n < len(s) && isQuote(s[n]) {
		return i
	}
	return n
}

// tokenLength measures a value that is longer than most, if it can be a token all through.
func tokenLength(s string, n int) int {
	if n == maxValue && tokenText.only(s[:n]) {
		n = tokenText.run(s, 8<<10)
		n += strings.IndexFunc(s[n:]+" ", func(r rune) bool { return r != '=' })
	}
	return n
}

// blanks measures the blanks at the beginning of s.
func blanks(s string) int { return blankText.run(s, 40) }

// lineBefore returns the text before a place on its line.
func lineBefore(s string, at int) string {
	from := max(0, at-160)
	return s[from+strings.LastIndexByte(s[from:at], '\n')+1 : at]
}

// lineLeft measures the rest of a line, without blanks at its end.
func lineLeft(s string) int {
	row, _, _ := strings.Cut(s[:min(len(s), maxValue)], "\n")
	return len(strings.TrimRight(row, " \t\r"))
}
