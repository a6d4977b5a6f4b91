// Package reply parses a model's answer to an ask. It is its own package because all its input is hostile text, which
// nothing that writes prompts may see before it is a body.
package reply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

const MaxReply = 1 << 20 // the longest reply that is parsed, in bytes

// Parse parses the reply to the view's ask; see package prompt.
func Parse(v council.View, text string) (council.Body, error) {
	if len(text) > MaxReply {
		return nil, badReply("It has %d bytes; at most %d are read.", len(text), MaxReply)
	}
	plain := strings.TrimSpace(hostile.Clean(text))
	if plain == "" {
		return nil, badReply("It is empty.")
	}
	if v.Ask.Kind == council.AskDraft {
		return parseDraft(v, plain)
	}
	// JSON is decoded before its strings are cleaned: a line separator is valid within a string.
	found, err := candidates(text)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && v.Ask.Kind == council.AskDissent {
		said := prose(plain)
		if saysNone(said) {
			return council.Dissent{}, nil
		} else if said != "" && !(Refused(said) && apology().MatchString(straighten.Replace(said))) {
			return council.Dissent{Dissent: said}, nil
		}
	}
	if len(found) == 0 {
		switch said := withoutThoughts(plain); {
		case said == "":
			return nil, badReply("It holds only reasoning and no answer.")
		case Refused(plain):
			return nil, badReply("It refuses to answer: %q.", Shorten(said, 200))
		default:
			return nil, badReply("There is no JSON object in it; it begins %q.", Shorten(hostile.Line(said), 100))
		}
	}
	b, err := choose(v, found)
	if s, is := b.(council.Summary); is && err == nil {
		err = namesResolution(v, s.ExecutionBrief)
	}
	return b, err
}

// ErrNamesNothing: see package prompt.
var ErrNamesNothing = fmt.Errorf("%w: The executionBrief must name in motions what it carries out", council.ErrBadReply)

func namesResolution(v council.View, brief *council.Brief) error {
	if brief == nil || len(v.Standing) == 0 {
		return nil // nothing can be carried out
	}
	executes, lost, _ := brief.Named(v.Events, v.Standing)
	if len(executes) > 0 && len(lost) == 0 {
		return nil
	}
	names := standing(v, func(p council.MotionDecided) council.MotionID { return p.Motion })
	wrong := ""
	if len(lost) > 0 {
		wrong = fmt.Sprintf(" %q did not carry.", Shorten(lost[0], 60))
	}
	return fmt.Errorf("%w: %s.%s", ErrNamesNothing, strings.Join(names, ", "), wrong)
}

// standing lists the events of type P on the motions in force.
func standing[P council.Payload](v council.View, motion func(P) council.MotionID) (events []string) {
	for e, p := range council.Payloads[P](v.Events) {
		if slices.Contains(v.Standing, motion(p)) {
			events = append(events, e.Seq.ID())
		}
	}
	return events
}

// choose returns the body of the only candidate that is an answer, or of the last of several that agree.
func choose(v council.View, found []string) (council.Body, error) {
	var chosen council.Body
	var last error
	for _, object := range found {
		b, err := read(v, object)
		if err != nil {
			last = err
			continue
		}
		if chosen != nil && !reflect.DeepEqual(verdict(chosen), verdict(b)) {
			return nil, badReply("It holds two different objects that both answer the question; give only one.")
		}
		chosen = b
	}
	switch {
	case chosen != nil:
		return chosen, nil
	case len(found) > 1 && !errors.Is(last, ErrUnclear):
		return nil, badReply("It holds %d JSON objects, and none meets the form that was asked for. The last one: %s",
			len(found), council.ReplyProblem(last))
	}
	return nil, last
}

func read(v council.View, object string) (council.Body, error) {
	fields, err := decodeObject(object, true)
	if err != nil {
		return nil, err
	}
	if text := placeholder(fields); text != "" {
		return nil, badReply("It still holds the placeholder %s of the example; write your own words.", text)
	}
	if fields, err = unwrapAnswer(v.Ask.Kind, fields); err != nil {
		return nil, err
	}
	return body(v, fields)
}

func memberIDs(c *council.Charter) string { return strings.Join(council.Strings(c.Seats()), ", ") }

func badReply(format string, args ...any) error {
	return fmt.Errorf("%w: %s", council.ErrBadReply, fmt.Sprintf(format, args...))
}

// expression compiles lazily: few runs of the program parse replies.
func expression(exp string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(exp) })
}

const maxRefusal = 600 // the length of the longest text that counts as a refusal, in characters

// refusal matches how models decline: in the first person, or as an AI.
var refusal = expression(`(?i)\b(?:` +
	`I(?:'m| am) (?:sorry|unable|not able|not comfortable)|` +
	`I (?:can(?:not|'t)|won't|will not|must decline|have to decline|decline|refuse|am not going) ?(?:to )?(?:help|assist|comply|continue|do|provide|participate|answer|write|create|vote|engage|fulfil|discuss|respond|produce|generate|support|take part|that|this|$)?|` +
	`as an AI\b|` +
	`(?:cannot|can't|unable to) (?:help|assist|comply) with)`)

// Refused reports whether a reply declines to answer; see package prompt.
func Refused(text string) bool {
	text = prose(text)
	if text == "" || strings.Contains(text, "{") || utf8.RuneCountInString(text) > maxRefusal {
		return false
	}
	if len(headings(strings.Split(text, "\n"))) > 0 {
		return false // a document
	}
	at := refusal().FindStringIndex(straighten.Replace(text))
	return at != nil && at[0] < 120
}

var straighten = strings.NewReplacer("’", "'", "‘", "'")

// apology matches how models decline to write at all. A dissent in prose may well begin with "I cannot support".
var apology = expression(
	`(?i)\bas an AI\b|\b(?:cannot|can't|won't|unable to) (?:help|assist|comply|participate|continue|engage|answer)\b`)

// Shorten cuts s to at most n characters, with a note on the rest.
func Shorten(s string, n int) string {
	s = strings.TrimSpace(s)
	for i := range s {
		if n--; n < 0 {
			return strings.TrimRight(s[:i], " \n\t") + " … (" + strconv.Itoa(len(s)-i) + " bytes left out)"
		}
	}
	return s
}

const maxCandidates = 64 // bounds the objects in one reply

// candidates finds the top-level objects in a reply outside of thoughts. The last one may lack brackets at its end.
func candidates(text string) (found []string, err error) {
	text = withoutTokens(text)
	var inner string // an object that was encoded twice
	if json.Unmarshal([]byte(text), &inner) != nil {
		inner = text
	}
	if strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
		return []string{inner}, nil
	}
	said := withoutThoughts(text)
	for i := 0; i < len(said); i++ {
		if said[i] != '{' || !beginsObject(said[i+1:]) {
			continue
		}
		object, length, ok := objectAt(said[i:])
		if !ok {
			return nil, badReply("It ends before its JSON object does. Give a shorter answer if there was no room for it.")
		}
		if found = append(found, object); len(found) > maxCandidates {
			return nil, badReply("It holds more than %d JSON objects; give only one.", maxCandidates)
		}
		i += length - 1
	}
	return found, nil
}

// objectAt returns the object at the beginning of s and its length there. An unfinished one takes all of s and is
// completed with its missing brackets; ok is false if more is missing.
func objectAt(s string) (object string, length int, ok bool) {
	if end, _ := objectEnd(s); end > 0 {
		return s[:end], end, true
	}
	object, _, _ = strings.Cut(s, "\n```")
	_, open := objectEnd(object)
	if len(open) > maxLevels {
		return "", len(s), false
	}
	object = strings.TrimSpace(object)
	for _, bracket := range slices.Backward(open) {
		object += map[byte]string{'{': "}", '[': "]"}[bracket]
	}
	return object, len(s), json.Valid([]byte(object))
}

// objectStart matches the text after the brace of an object, however sloppy, and not after that of prose or a formula.
var objectStart = expression(`^[\s\p{Z}]*(?:["'“”‘’«}]|/[/*]|[A-Za-z_$][\w$-]{0,60}\s*:)`)

func beginsObject(rest string) bool {
	// The expression needs to see no more than this, and must not see megabytes for each brace.
	return objectStart().MatchString(rest[:min(len(rest), 256)])
}

// objectEnd returns the length of the object at the beginning of s, or -1 and the brackets that are still open.
func objectEnd(s string) (end int, open []byte) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open = append(open, c)
		case c == ']' && len(open) > 0 && open[len(open)-1] == '[':
			open = open[:len(open)-1]
		case c == '}': // ends the lists in it, too
			if open = open[:max(0, bytes.LastIndexByte(open, '{'))]; len(open) == 0 {
				return i + 1, nil
			}
		}
	}
	return -1, open
}

const maxArguments = 8 << 10 // the size in bytes of the longest arguments of a call

// Call reads a reply that calls a tool: one JSON object with the fields tool and arguments, an object or one in a text,
// and no others that say anything. It is false for everything else, which may be an answer.
func Call(v council.View, text string) (council.ToolCall, bool) {
	if len(text) > MaxReply {
		return council.ToolCall{}, false
	}
	if v.Ask.Kind == council.AskDraft {
		// A document may hold such an object; a call is nothing else.
		text = strings.TrimSpace(withoutFence(prose(text)))
		if end, _ := objectEnd(text); !strings.HasPrefix(text, "{") || end != len(text) {
			return council.ToolCall{}, false
		}
	}
	found, err := candidates(text)
	if err != nil || len(found) != 1 {
		return council.ToolCall{}, false
	}
	fields, err := decodeObject(found[0], false)
	if err != nil {
		return council.ToolCall{}, false
	}
	// Where the schema of the answer and that of a call are one, members leave the fields of the other empty.
	maps.DeleteFunc(fields, func(_ string, value any) bool {
		return value == nil || value == "" || reflect.DeepEqual(value, []any{})
	})
	name, _ := fields["tool"].(string)
	arguments := map[string]any{}
	switch value := fields["arguments"].(type) {
	case nil:
	case map[string]any:
		arguments = value
	case string:
		if arguments, err = decodeObject(value, false); err != nil {
			return council.ToolCall{}, false
		}
	default:
		return council.ToolCall{}, false
	}
	delete(fields, "tool")
	delete(fields, "arguments")
	if strings.TrimSpace(name) == "" || len(fields) > 0 {
		return council.ToolCall{}, false
	}
	line := council.CompactJSON(arguments)
	return council.ToolCall{Tool: Shorten(hostile.Line(name), 200), Arguments: line}, len(line) <= maxArguments
}
