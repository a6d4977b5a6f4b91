// Package reply reads what a model wrote in answer to an ask. It is its own package because all that it reads is
// hostile text, and nothing that writes prompts has to see that before it is a body.
package reply

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// MaxReply is the size in bytes of the longest reply that is read at all.
const MaxReply = 1 << 20

// Parse reads the reply to the view's ask. A JSON answer is the whole text, or the one object in prose, in a code
// fence or after reasoning in <think> tags. What can mean only one thing is taken as it is meant; what is empty, or
// says two different things, is refused, and so is a verdict that stands in prose alone. The error wraps
// [council.ErrBadReply] and says what to change, in words for the one who wrote the reply.
func Parse(v council.View, text string) (council.Body, error) {
	if len(text) > MaxReply {
		return nil, bad("It has %d bytes; at most %d are read.", len(text), MaxReply)
	}
	plain := strings.TrimSpace(hostile.Clean(text))
	if plain == "" {
		return nil, bad("It is empty.")
	}
	if v.Ask.Kind == council.AskDraft {
		return parseDraft(v, plain)
	}
	// JSON is decoded first and its strings are cleaned then: a separator of lines is sound within a string.
	found, err := candidates(text)
	if err != nil {
		return nil, err
	}
	if said := spoken(plain); len(found) == 0 && v.Ask.Kind == council.AskDissent && !declined(said) {
		return council.Dissent{Dissent: said}, nil
	}
	if len(found) == 0 {
		return nil, nothing(plain)
	}
	return choose(v, found)
}

// nothing says why there is no answer in a reply without an object.
func nothing(text string) error {
	switch said := spoken(text); {
	case said == "":
		return bad("It holds only reasoning and no answer.")
	case Refused(text):
		return bad("It refuses to answer: %q.", Shorten(said, 200))
	}
	return bad("There is no JSON object in it.")
}

// choose returns the body of the only candidate that is an answer, or of the last of those that say the same.
func choose(v council.View, found []candidate) (council.Body, error) {
	var chosen council.Body
	var last error
	for _, c := range found {
		b, err := read(v, c)
		if err != nil {
			last = err
			continue
		}
		if chosen != nil && !agreed(chosen, b) {
			return nil, bad("It holds two different objects that both answer the question; give only one.")
		}
		chosen = b
	}
	if chosen == nil && len(found) > 1 {
		return nil, bad("It holds %d JSON objects, and none meets the form that was asked for. The last one: %s",
			len(found), strings.TrimPrefix(last.Error(), council.ErrBadReply.Error()+": "))
	}
	if chosen == nil {
		return nil, last
	}
	return chosen, nil
}

// read makes a candidate a body.
func read(v council.View, c candidate) (council.Body, error) {
	fields, err := c.fields()
	if err != nil {
		return nil, err
	}
	if text := placeholder(fields); text != "" {
		return nil, bad("It still holds the placeholder %s of the example; write your own words.", text)
	}
	return body(v, fields)
}

func memberIDs(c *council.Charter) string {
	var ids []string
	for _, id := range c.Seats() {
		ids = append(ids, string(id))
	}
	return strings.Join(ids, ", ")
}

// bad is an error about a reply, in plain sentences.
func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", council.ErrBadReply, fmt.Sprintf(format, args...))
}

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
