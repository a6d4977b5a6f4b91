package council

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// ToolCall is what a member asks of a tool.
type ToolCall struct {
	Tool      string
	Arguments string // a JSON object on one line
}

// Text is the call as the member writes it.
func (c ToolCall) Text() string {
	return `{"tool":` + CompactJSON(c.Tool) + `,"arguments":` + c.Arguments + `}`
}

// ToolUse is a call and what came of it, as it is recorded with the reply that it led to. The words are cleaned, cut to the
// bound and free of secrets when they are recorded: nothing else was put to the member.
type ToolUse struct {
	Tool      string      `json:"tool" text:"id"`
	Arguments string      `json:"arguments" text:"short"` // a JSON object on one line
	Result    string      `json:"result" text:"result"`
	SHA256    string      `json:"sha256" text:"id"` // of the result
	Failed    bool        `json:"failed,omitempty"` // the result says why
	Cut       bool        `json:"cut,omitempty"`    // there was more of it
	Given     []FileLines `json:"given,omitempty"`  // the lines of files that the result shows
	ElapsedMS int64       `json:"elapsedMs,omitempty"`

	Bytes   int     `json:"bytes,omitempty"`   // of the result as it was told, whatever is forgotten of it; 0 in older records
	Secrets []Found `json:"secrets,omitempty"` // taken out of the call and of what came back, by kind
	Hidden  []Found `json:"hidden,omitempty"`  // characters of what came back that readers do not see, by kind
}

// Found says how many secrets, or hidden characters, of a kind there were, also in what was then cut off for its length.
type Found struct {
	Kind  string `json:"kind" text:"id"`
	Count int    `json:"count"`
}

// AddFound adds up what was found, by kind, each once.
func AddFound(of ...[]Found) []Found {
	var all []Found
	for _, f := range slices.Concat(of...) {
		i, known := slices.BinarySearchFunc(all, f.Kind, func(a Found, kind string) int { return strings.Compare(a.Kind, kind) })
		if known {
			all[i].Count += f.Count
			continue
		}
		all = slices.Insert(all, i, f)
	}
	return all
}

// Call is the call that the use answers.
func (u *ToolUse) Call() ToolCall { return ToolCall{u.Tool, u.Arguments} }

// FileLines are lines of a file that a member was shown, both ends included. They can be cited.
type FileLines struct {
	File string `json:"file" text:"compared"` // below the workspace's root, with forward slashes
	From int    `json:"from"`
	To   int    `json:"to"`
}

// CompactJSON is a value as JSON on one line, with the fields of objects in the order of their names. HTML is not escaped. It
// is "null" for what JSON cannot hold.
func CompactJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Bound cuts s to at most n bytes, not within a character, and says whether there was more.
func Bound(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}
