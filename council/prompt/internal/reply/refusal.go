package reply

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// expression compiles one when it is first used: few runs of the program read replies.
func expression(exp string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(exp) })
}

// maxRefusal is the length of the longest text, in characters, that is taken for a refusal: who writes more than
// this has answered something.
const maxRefusal = 600

// refusal matches how models decline: in the first person, or as the kind of program that they are.
var refusal = expression(`(?i)\b(?:` +
	`I(?:'m| am) (?:sorry|unable|not able|not comfortable)|` +
	`I (?:can(?:not|'t)|won't|will not|must decline|have to decline|decline|refuse|am not going) ?(?:to )?(?:help|assist|comply|continue|do|provide|participate|answer|write|create|vote|engage|fulfil|discuss|respond|produce|generate|support|take part|that|this|$)?|` +
	`as an AI\b|` +
	`(?:cannot|can't|unable to) (?:help|assist|comply) with)`)

// Refused reports whether a short text without JSON and without headings declines to answer. It is a heuristic for
// naming a fault; of what is used, it decides only that such a text is not a document.
func Refused(text string) bool {
	text = spoken(text)
	if text == "" || strings.Contains(text, "{") || utf8.RuneCountInString(text) > maxRefusal {
		return false
	}
	if len(headings(strings.Split(text, "\n"))) > 0 {
		return false // a document
	}
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(text)
	at := refusal().FindStringIndex(text)
	return at != nil && at[0] < 120
}

// apology matches how models decline to write at all. A dissent in prose may well begin with "I cannot support".
var apology = expression(
	`(?i)\bas an AI\b|\b(?:cannot|can't|won't|unable to) (?:help|assist|comply|participate|continue|engage|answer)\b`)

// declined reports whether prose declines to dissent in words that are none.
func declined(text string) bool {
	return text == "" || Refused(text) && apology().MatchString(strings.NewReplacer("’", "'", "‘", "'").Replace(text))
}

// Shorten cuts s to at most n characters, for places where the whole would be too much.
func Shorten(s string, n int) string {
	s = strings.TrimSpace(s)
	for i := range s {
		if n--; n < 0 {
			return strings.TrimRight(s[:i], " \n\t") + " … (" + strconv.Itoa(len(s)-i) + " bytes left out)"
		}
	}
	return s
}
