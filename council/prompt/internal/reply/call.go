package reply

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

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
