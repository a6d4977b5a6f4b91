package looks

import (
	"hash/crc32"
	"math"
	"strings"
)

// Class is a set of bytes.
type Class [256]bool

// NewClass returns the class of the given bytes and of ranges such as "az".
func NewClass(chars string, ranges ...string) *Class {
	var c Class
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
	Digits    = NewClass("", "09")
	LowHex    = NewClass("", "09", "af")
	AnyHex    = NewClass("", "09", "af", "AF")
	Capitals  = NewClass("", "09", "AZ")
	Letters   = NewClass("", "az", "AZ")
	Base62    = NewClass("", "09", "az", "AZ")
	Word      = NewClass("_", "09", "az", "AZ")
	Base64URL = NewClass("-_", "09", "az", "AZ")
	Base64    = NewClass("+/=", "09", "az", "AZ")
	Dotted    = NewClass("-_.", "09", "az", "AZ")
	DottedEnd = NewClass("-_.=", "09", "az", "AZ")
	AnyBase64 = NewClass("-_+/=%", "09", "az", "AZ")
)

// Run measures how many bytes at the beginning of s are in c, at most limit.
func (c *Class) Run(s string, limit int) int {
	n := 0
	for n < len(s) && n < limit && c[s[n]] {
		n++
	}
	return n
}

// Entropy is Shannon's, in bits a byte.
func Entropy(s string) float64 {
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

// Traits are what tells a made-up word from a drawn one.
type Traits struct{ Lower, Upper, Digit, Other, Turns int }

// TraitsOf counts, with how often small and capital letters and digits take turns.
func TraitsOf(s string) Traits {
	var t Traits
	last := byte(0)
	for i := range len(s) {
		kind := byte('o')
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			kind = 'l'
			t.Lower++
		case c >= 'A' && c <= 'Z':
			kind = 'u'
			t.Upper++
		case c >= '0' && c <= '9':
			kind = 'd'
			t.Digit++
		default:
			t.Other++
		}
		if last != 0 && kind != last {
			t.Turns++
		}
		last = kind
	}
	return t
}

// Drawn reports whether the body of a key looks drawn by lot: not a word, a row of one character, or an example.
func Drawn(body string) bool {
	floor := 3.0
	if len(body) < 20 {
		floor = 2.5
	}
	t := TraitsOf(body)
	return Entropy(body) >= floor && (t.Digit > 0 && t.Lower+t.Upper > 0 || t.Lower > 0 && t.Upper > 1) && !Example(body)
}

// Random is Drawn for what has nothing else that tells it: small and capital letters and digits take turns.
func Random(s string) bool {
	t := TraitsOf(s)
	return Drawn(s) && t.Digit > 0 && t.Upper > 1 && t.Lower > 1 && t.Turns >= len(s)/3 && Entropy(s) >= 3.3
}

// DrawnKey reports whether the value of what is just called a key was drawn by lot.
func DrawnKey(s string) bool {
	return len(s) >= 20 && Random(s) || len(s) >= 32 && LowHex.Run(s, len(s)) == len(s) && Drawn(s)
}

// Varied is enough where prefix and length tell the family by themselves.
func Varied(body string) bool { return Entropy(body) >= 2.5 && !Example(body) }

// examples are what manuals write where a secret belongs, in small letters.
var examples = []string{
	"example", "xxxx", "your_", "your-", "yourkey", "yoursecret", "yourtoken", "yourpass", "placeholder", "changeme",
	"change_me", "change-me", "redacted", "dummy",
	"insert", "replace", "00000000", "11111111", "aaaaaaaa", "12345678", "abcdefgh", "deadbeef", "todo", "****", "....",
}

// Example reports whether a value is what manuals write in the place of a secret.
func Example(value string) bool {
	value = strings.ToLower(value)
	for _, e := range examples {
		if strings.Contains(value, e) {
			return true
		}
	}
	return false
}

const alphabet62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// sumDigits is how many characters at the end of a GitHub or npm token are a checksum.
const sumDigits = 6

// summed reports whether the last six characters of a token are the CRC-32 of those before, in base 62: how GitHub and
// npm write theirs (github.blog, "Behind GitHub's new authentication token formats", 2021).
func summed(body string) bool {
	if len(body) <= sumDigits {
		return false
	}
	n := len(body) - sumDigits
	return base62Sum(body[:n]) == body[n:]
}

func base62Sum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	var digits [sumDigits]byte
	for i := sumDigits - 1; i >= 0; i-- {
		digits[i] = alphabet62[sum%62]
		sum /= 62
	}
	return string(digits[:])
}

// SummedOrDrawn: a checksum that holds is proof enough; without it the body must look drawn.
func SummedOrDrawn(body string) bool { return summed(body) || Drawn(body) }
