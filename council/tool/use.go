package tool

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
}

// Call is the call that the use answers.
func (u *Use) Call() Call { return Call{u.Tool, u.Arguments} }

// Lines are lines of a file that a member was shown, both ends included. They can be cited.
type Lines struct {
	File string `json:"file"` // below the workspace's root, with forward slashes
	From int    `json:"from"`
	To   int    `json:"to"`
}
