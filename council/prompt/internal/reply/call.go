package reply

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/tool"
	"github.com/council-engine/council/internal/hostile"
)

// maxArguments is the size in bytes of the longest arguments of a call.
const maxArguments = 8 << 10

// Call reads a reply that calls a tool instead of answering: one JSON object with the fields tool and arguments and no
// others. It is false for everything else, which may be an answer.
func Call(v council.View, text string) (tool.Call, bool) {
	if len(text) > MaxReply {
		return tool.Call{}, false
	}
	text = strings.TrimSpace(hostile.Clean(text))
	if v.Ask.Kind == council.AskDraft {
		// A document may hold such an object; a call is nothing else.
		text = strings.TrimSpace(withoutFence(strings.TrimSpace(withoutThinking(text))))
		if !strings.HasPrefix(text, "{") || objectEnd(text) != len(text) {
			return tool.Call{}, false
		}
	}
	found, err := candidates(text)
	if err != nil || len(found) != 1 {
		return tool.Call{}, false
	}
	object, err := found[0].object()
	if err != nil {
		return tool.Call{}, false
	}
	name, named := object["tool"].(string)
	arguments, given := object["arguments"].(map[string]any)
	known := 1
	if given {
		known++
	}
	if !named || strings.TrimSpace(name) == "" || len(object) != known {
		return tool.Call{}, false
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	line := tool.Compact(arguments)
	return tool.Call{Tool: Shorten(hostile.Line(name), 200), Arguments: line}, len(line) <= maxArguments
}
