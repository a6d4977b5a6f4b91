package member

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/secrets"
)

// MaxFault bounds the message of a fault, in characters.
const MaxFault = 500

const cut = "[cut]"

// spoken matches the strings of JSON, the last perhaps unfinished.
var spoken = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.)*)(?:"|\\?$)`)

// private matches a private key, and one whose end is not written yet: the secrets that have spaces.
var private = regexp.MustCompile(`(?s)-----BEGIN .*?(?:-----END [^-]*-----|$)`)

// Shown returns the end of the words, at most n characters on one line, as people may see it while it is written:
// without secrets and up to the last whole word, because no part of a secret can be told from a word. Of JSON it
// returns the strings that have several words. What a leader drafts is words already.
func (w Words) Shown(n int) string {
	text := w.Text
	if w.Ask.Kind != council.AskDraft {
		var said []string
		for _, s := range spoken.FindAllStringSubmatch(text, -1) {
			if s := unescaped(s[1]); strings.ContainsAny(s, " \n") {
				said = append(said, s)
			}
		}
		text = strings.Join(said, "\n")
		if strings.HasSuffix(w.Text, `"`) || strings.HasSuffix(w.Text, "}") {
			text += " "
		}
	}
	text = text[:strings.LastIndexAny(text, " \n")+1]
	text = private.ReplaceAllString(text, cut)
	if w.Cut != nil {
		text = w.Cut(text)
	}
	if from := len(text) - 2*n; from > 0 { // the end of the rest, from a whole word on
		_, text, _ = strings.Cut(strings.ReplaceAll(text[from:], "\n", " "), " ")
	}
	text = strings.Join(strings.Fields(censor(text, nil)), " ")
	if more := utf8.RuneCountInString(text) - n; more > 0 {
		text = "…" + string([]rune(text)[more+1:])
	}
	return text
}

// parts are what providers repeat of the credentials that they were sent, often in part or masked, so that it has no
// form any more by which [secrets.Cut] could tell it. The first group stays.
var parts = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(authorization["']?\s*[:=]\s*["']?(?:\w+\s+)?)[^\s"',;&]+`),
	regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"',;]{6,}`),
	regexp.MustCompile(`(?i)\b((?:x-)?(?:goog-)?api[-_ ]?key["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(
		`(?i)\b((?:access[-_]token|refresh[-_]token|client[-_]secret|password)["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(`()\bsk-[A-Za-z0-9_*.\-]{6,}`),
}

// Redact makes words of a provider fit for a record: on one line, without control characters, at most [MaxFault]
// characters, with the given secrets replaced by "[cut]", and all that looks like one by that or by what [secrets.Cut]
// says.
func Redact(s string, secrets ...string) string {
	return hostile.Shorten(censor(s, secrets), MaxFault)
}

// RedactEnd is Redact for words whose end matters most: it keeps the end, and only half as much, so that there is room
// for words around it.
func RedactEnd(s string, secrets ...string) string {
	s = censor(s, secrets)
	if n := utf8.RuneCountInString(s); n > MaxFault/2 {
		s = "…" + string([]rune(s)[n-MaxFault/2+1:])
	}
	return s
}

func censor(s string, known []string) string {
	// Cleaned first: an invisible character inside a key must not hide it from the search.
	s = hostile.Line(s)
	for _, secret := range known {
		// Shorter ones would cut holes into ordinary words, and guard nothing.
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, cut)
		}
	}
	for _, part := range parts {
		s = part.ReplaceAllString(s, "${1}"+cut)
	}
	s, _ = secrets.Cut(s)
	return s
}
