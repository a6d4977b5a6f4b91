package value

import "hash/crc32"

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
