package secrets

import (
	"math"
	"strings"
)

// class is a set of bytes.
type class [256]bool

func newClass(chars string, ranges ...string) *class {
	var c class
	for i := range len(chars) {
		c[chars[i]] = true
	}
	for _, r := range ranges {
		for b := int(r[0]); b <= int(r[1]); b++ {
			c[b] = true
		}
	}
	return &c
}

// The alphabets of keys.
var (
	digits    = newClass("", "09")
	lowHex    = newClass("", "09", "af")
	anyHex    = newClass("", "09", "af", "AF")
	capitals  = newClass("", "09", "AZ")
	letters   = newClass("", "az", "AZ")
	base62    = newClass("", "09", "az", "AZ")
	word      = newClass("_", "09", "az", "AZ")
	base64url = newClass("-_", "09", "az", "AZ")
	base64std = newClass("+/=", "09", "az", "AZ")
	dotted    = newClass("-_.", "09", "az", "AZ")
	dottedEnd = newClass("-_.=", "09", "az", "AZ")
	anyBase64 = newClass("-_+/=%", "09", "az", "AZ")
)

// run measures how many bytes at the beginning of s are in c, at most limit.
func (c *class) run(s string, limit int) int {
	n := 0
	for n < len(s) && n < limit && c[s[n]] {
		n++
	}
	return n
}

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

// traits are what tells a made-up word from a drawn one.
type traits struct{ lower, upper, digit, other, turns int }

// traitsOf counts, with how often small and capital letters and digits take turns.
func traitsOf(s string) traits {
	var t traits
	last := byte(0)
	for i := range len(s) {
		kind := byte('o')
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			kind = 'l'
			t.lower++
		case c >= 'A' && c <= 'Z':
			kind = 'u'
			t.upper++
		case c >= '0' && c <= '9':
			kind = 'd'
			t.digit++
		default:
			t.other++
		}
		if last != 0 && kind != last {
			t.turns++
		}
		last = kind
	}
	return t
}

// drawn reports whether the body of a key looks drawn by lot: not a word, a row of one character, or an example.
func drawn(body string) bool {
	floor := 3.0
	if len(body) < 20 {
		floor = 2.5
	}
	t := traitsOf(body)
	return entropy(body) >= floor && (t.digit > 0 && t.lower+t.upper > 0 || t.lower > 0 && t.upper > 1) && !example(body)
}

// varied is enough where prefix and length tell the family by themselves.
func varied(body string) bool { return entropy(body) >= 2.5 && !example(body) }

// examples are what manuals write where a secret belongs, in small letters.
var examples = []string{
	"example", "xxxx", "your_", "your-", "yourkey", "yoursecret", "yourtoken", "yourpass", "placeholder", "changeme", "change_me", "change-me", "redacted", "dummy",
	"insert", "replace", "00000000", "11111111", "aaaaaaaa", "12345678", "abcdefgh", "deadbeef", "todo", "****", "....",
}

// example reports whether a value is what manuals write in the place of a secret.
func example(value string) bool {
	value = strings.ToLower(value)
	for _, e := range examples {
		if strings.Contains(value, e) {
			return true
		}
	}
	return false
}
