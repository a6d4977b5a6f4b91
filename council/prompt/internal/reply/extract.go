package reply

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// maxCandidates bounds how many objects in one reply are looked at.
const maxCandidates = 64

// candidate is a piece of a reply that may be its answer.
type candidate struct {
	text  string
	valid bool // it is JSON as it stands
}

// candidates finds the JSON objects in a reply that is not empty: those that stand by themselves, not those within
// others. Reasoning in <think> tags is not looked at. What is missing at the end of the last one are brackets at most.
func candidates(text string) ([]candidate, error) {
	text = strings.TrimSpace(strings.TrimLeft(text, "\ufeff"))
	if json.Valid([]byte(text)) {
		if text[0] == '{' {
			return []candidate{{text, true}}, nil
		}
		// An object that was encoded twice, as a string.
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil && json.Valid([]byte(inner)) && strings.HasPrefix(inner, "{") {
			return []candidate{{inner, true}}, nil
		}
	}
	said := spoken(text)
	var found []candidate
	for i := 0; i < len(said); i++ {
		if said[i] != '{' || !beginsObject(said[i+1:]) {
			continue
		}
		end, _ := objectEnd(said[i:])
		if end < 0 {
			whole, ok := closed(said[i:])
			if !ok {
				return nil, bad("It ends before its JSON object does. Give a shorter answer if there was no room for it.")
			}
			return append(found, candidate{whole, true}), nil
		}
		piece := said[i : i+end]
		found = append(found, candidate{piece, json.Valid([]byte(piece))})
		if len(found) > maxCandidates {
			return nil, bad("It holds more than %d JSON objects; give only one.", maxCandidates)
		}
		i += end - 1
	}
	return found, nil
}

// closed returns the object at the beginning of s, which does not end, with the brackets that it lacks. It is false
// where more than brackets is missing.
func closed(s string) (string, bool) {
	s, _, _ = strings.Cut(s, "\n```")
	_, open := objectEnd(s)
	if len(open) > maxLevels {
		return "", false
	}
	s = strings.TrimSpace(s)
	for i := len(open) - 1; i >= 0; i-- {
		s += map[byte]string{'{': "}", '[': "]"}[open[i]]
	}
	return s, json.Valid([]byte(s))
}

// spoken returns what a reply says besides its reasoning.
func spoken(text string) string { return strings.TrimSpace(withoutThinking(text)) }

// thinkTag matches the tags between which models reason.
var thinkTag = expression(
	`(?i)<(/?)(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad)(?:\s[^<>]*)?>`)

// withoutThinking cuts reasoning out of a reply: what stands between the tags, what follows a tag that is never
// closed, and what precedes one that was never opened, as some models leave the first one out.
func withoutThinking(text string) string {
	tags := thinkTag().FindAllStringSubmatchIndex(text, -1)
	if len(tags) == 0 {
		return text
	}
	var spoken strings.Builder
	depth, from := 0, 0
	for _, tag := range tags {
		closes := tag[3] > tag[2]
		switch {
		case !closes:
			if depth == 0 {
				spoken.WriteString(text[from:tag[0]])
			}
			depth++
		case depth == 0:
			spoken.Reset()
		default:
			depth--
		}
		if depth == 0 {
			from = tag[1]
		}
	}
	if depth == 0 {
		spoken.WriteString(text[from:])
	}
	return spoken.String()
}

// objectStart matches what follows the brace of an object, also of a sloppily written one, and not that of a brace in
// prose or in a formula.
var objectStart = expression(`^\s*(?:["'“”‘’«}]|/[/*]|[A-Za-z_$][\w$-]{0,60}\s*:)`)

func beginsObject(rest string) bool {
	// The expression needs to see no more than this, and must not see megabytes for each brace.
	return objectStart().MatchString(rest[:min(len(rest), 256)])
}

// objectEnd returns the length of the object at the beginning of s, or -1 and the brackets that are still open when it
// does not end. Brackets in strings are none.
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

// maxArguments is the size in bytes of the longest arguments of a call.
const maxArguments = 8 << 10

// Call reads a reply that calls a tool instead of answering: one JSON object with the fields tool and arguments and no
// others that say anything. Arguments may be an object, or one as a text. It is false for everything else, which may be
// an answer.
func Call(v council.View, text string) (council.ToolCall, bool) {
	if len(text) > MaxReply {
		return council.ToolCall{}, false
	}
	if v.Ask.Kind == council.AskDraft {
		// A document may hold such an object; a call is nothing else.
		text = strings.TrimSpace(withoutFence(spoken(text)))
		if end, _ := objectEnd(text); !strings.HasPrefix(text, "{") || end != len(text) {
			return council.ToolCall{}, false
		}
	}
	found, err := candidates(text)
	if err != nil || len(found) != 1 {
		return council.ToolCall{}, false
	}
	fields, err := found[0].fields()
	if err != nil {
		return council.ToolCall{}, false
	}
	// Where the schema of the answer and that of a call are one, members leave the fields of the other empty.
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == "" || reflect.DeepEqual(value, []any{}) })
	name, _ := fields["tool"].(string)
	arguments, known := argumentsOf(fields["arguments"])
	delete(fields, "tool")
	delete(fields, "arguments")
	if strings.TrimSpace(name) == "" || !known || len(fields) > 0 {
		return council.ToolCall{}, false
	}
	line := council.CompactJSON(arguments)
	return council.ToolCall{Tool: Shorten(hostile.Line(name), 200), Arguments: line}, len(line) <= maxArguments
}

// argumentsOf reads the arguments of a call. None are an empty object.
func argumentsOf(value any) (map[string]any, bool) {
	switch value := value.(type) {
	case nil:
		return map[string]any{}, true
	case map[string]any:
		return value, true
	case string:
		fields, err := candidate{value, json.Valid([]byte(value))}.fields()
		return fields, err == nil
	}
	return nil, false
}
