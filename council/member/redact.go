package member

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/internal/hostile"
)

// MaxFault bounds the message of a fault, in characters.
const MaxFault = 500

const cut = "[cut]"

// shapes are secrets that can be told by their form. The first group, where there is one, stays.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(authorization["']?\s*[:=]\s*["']?(?:\w+\s+)?)[^\s"',;&]+`),
	regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"',;]{6,}`),
	regexp.MustCompile(`(?i)\b((?:x-)?(?:goog-)?api[-_ ]?key["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(`(?i)\b((?:access[-_]token|refresh[-_]token|client[-_]secret|password)["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(`()\bsk-[A-Za-z0-9_*.\-]{6,}`),
	regexp.MustCompile(`()\b(?:AIza[\w\-]{20,}|gh[pousr]_\w{20,}|gsk_\w{20,}|hf_\w{20,}|xox[a-z]-[\w\-]{10,})`),
	regexp.MustCompile(`(://)[^\s/@]+:[^\s/@]+@`),
}

// Redact makes words of a provider fit for a record: on one line, without control characters, at most [MaxFault]
// characters, with the given secrets and all that looks like one replaced by "[cut]".
func Redact(s string, secrets ...string) string {
	s = censor(s, secrets)
	if utf8.RuneCountInString(s) > MaxFault {
		s = string([]rune(s)[:MaxFault-1]) + "…"
	}
	return s
}

// RedactEnd is Redact for what says last what matters: it keeps the end, and only half as much, so that there is room for
// words around it.
func RedactEnd(s string, secrets ...string) string {
	s = censor(s, secrets)
	if n := utf8.RuneCountInString(s); n > MaxFault/2 {
		s = "…" + string([]rune(s)[n-MaxFault/2+1:])
	}
	return s
}

func censor(s string, secrets []string) string {
	// Cleaned first: an invisible character inside a key must not hide it from the search.
	s = hostile.Line(s)
	for _, secret := range secrets {
		// Shorter ones would cut holes into ordinary words, and guard nothing.
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, cut)
		}
	}
	for _, shape := range shapes {
		s = shape.ReplaceAllString(s, "${1}"+cut)
	}
	return s
}
