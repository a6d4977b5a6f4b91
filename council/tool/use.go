package tool

import (
	"slices"
	"strings"
)

// Call is what a member asks of a tool.
type Call struct {
	Tool      string
	Arguments string // a JSON object on one line
}

// Text is the call as the member writes it.
func (c Call) Text() string {
	return `{"tool":` + Compact(c.Tool) + `,"arguments":` + c.Arguments + `}`
}

// Use is a call and what came of it, as it is recorded with the reply that it led to. The words are cleaned, cut to the
// bound and free of secrets when they are recorded: nothing else was put to the member.
type Use struct {
	Tool      string  `json:"tool"`
	Arguments string  `json:"arguments"` // a JSON object on one line
	Result    string  `json:"result"`
	SHA256    string  `json:"sha256"`           // of the result
	Failed    bool    `json:"failed,omitempty"` // the result says why
	Cut       bool    `json:"cut,omitempty"`    // there was more of it
	Given     []Lines `json:"given,omitempty"`  // the lines of files that the result shows
	ElapsedMS int64   `json:"elapsedMs,omitempty"`

	Bytes   int     `json:"bytes,omitempty"`   // of the result as it was told, whatever is forgotten of it; 0 in older records
	Secrets []Found `json:"secrets,omitempty"` // taken out of the call and of what came back, by kind
	Hidden  []Found `json:"hidden,omitempty"`  // characters of what came back that readers do not see, by kind
}

// Found says how many secrets, or hidden characters, of a kind there were, also in what was then cut off for its length.
type Found struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Add counts what was found. It keeps kinds in alphabetical order, each once.
func Add(to []Found, found ...Found) []Found {
	for _, f := range found {
		i, known := slices.BinarySearchFunc(to, f.Kind, func(a Found, kind string) int { return strings.Compare(a.Kind, kind) })
		if known {
			to[i].Count += f.Count
			continue
		}
		to = slices.Insert(to, i, f)
	}
	return to
}

// Call is the call that the use answers.
func (u *Use) Call() Call { return Call{u.Tool, u.Arguments} }

// Lines are lines of a file that a member was shown, both ends included. They can be cited.
type Lines struct {
	File string `json:"file"` // below the workspace's root, with forward slashes
	From int    `json:"from"`
	To   int    `json:"to"`
}
