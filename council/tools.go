package council

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tools say which tools a member may call, and how much. Nothing is offered that is not named here.
type Tools struct {
	Workspace *Workspace   `json:"workspace,omitempty"` // the built-in, read-only view of a folder
	MCP       []ToolServer `json:"mcp,omitempty"`       // servers that speak the Model Context Protocol

	AllowWrites bool `json:"allowWrites,omitempty"` // whether tools that do not say that they only read may be called

	// The bounds. Zero means the default.
	MaxCalls        int     `json:"maxCalls,omitempty"`        // for one question; 8
	MaxSessionCalls int     `json:"maxSessionCalls,omitempty"` // in a session; 200
	MaxBytes        int     `json:"maxBytes,omitempty"`        // of one result; 16 KiB
	TimeoutSeconds  float64 `json:"timeoutSeconds,omitempty"`  // of one call; 30
}

// Workspace is a folder that a member may list, read and search.
type Workspace struct {
	Root string `json:"root,omitempty"` // empty: the folder in which council runs
}

// ToolServer is one MCP server: a program that is started and spoken to over its streams, or an address. Exactly one of
// Command and URL is set.
type ToolServer struct {
	Name    string   `json:"name"` // the first part of the names of its tools
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	Env     []string `json:"env,omitempty"` // the environment variables that the program is given besides the few it needs
	Allow   []string `json:"allow"`         // the tools of it that may be called, by its own names

	// Of an address alone: how it is shown who calls. Secrets are named, never written.
	APIKeyEnv string            `json:"apiKeyEnv,omitempty"` // the environment variable that holds a bearer token
	Auth      *Auth             `json:"auth,omitempty"`      // where else the token comes from
	Headers   map[string]string `json:"headers,omitempty"`   // sent with each request; a secret is written as ${VARIABLE}
}

// Printer is a command that prints a credential: one line for the shell, which is a text in JSON, or a program with its
// arguments, which is a list.
type Printer struct {
	Shell string
	Args  []string
}

// IsZero reports whether there is neither.
func (p Printer) IsZero() bool { return p.Shell == "" && p.Args == nil }

// Argv returns the program that is started, with its arguments: a line is given to sh.
func (p Printer) Argv() []string {
	if p.Args != nil {
		return p.Args
	}
	return []string{"sh", "-c", p.Shell}
}

// MarshalJSON writes the line as a text, or the program with its arguments as a list.
func (p Printer) MarshalJSON() ([]byte, error) {
	if p.Args != nil {
		return json.Marshal(p.Args)
	}
	return json.Marshal(p.Shell)
}

// UnmarshalJSON reads the form of MarshalJSON.
func (p *Printer) UnmarshalJSON(text []byte) error {
	*p = Printer{}
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &p.Args)
	}
	return json.Unmarshal(text, &p.Shell)
}

// The bounds where the charter sets none.
const (
	defaultToolCalls    = 8
	DefaultSessionCalls = 200
	DefaultToolBytes    = 16 << 10
	defaultToolTimeout  = 30 // seconds
)

// Calls returns how many calls one question may take, after so many earlier ones of the session.
func (s *Tools) Calls(before int) int {
	if s == nil {
		return 0
	}
	return max(0, min(cmp.Or(s.MaxCalls, defaultToolCalls), cmp.Or(s.MaxSessionCalls, DefaultSessionCalls)-before))
}

// Bytes bounds the result of one call.
func (s *Tools) Bytes() int { return cmp.Or(s.MaxBytes, DefaultToolBytes) }

// Timeout bounds the time of one call, in seconds.
func (s *Tools) Timeout() float64 { return cmp.Or(s.TimeoutSeconds, defaultToolTimeout) }

// The built-in tools. Those of an MCP server are called by its name, a dot and theirs.
const (
	WorkspaceTools = "workspace." // begins the names of those that look into the workspace
	ToolList       = WorkspaceTools + "list"
	ToolRead       = WorkspaceTools + "read"
	ToolSearch     = WorkspaceTools + "search"
	ToolDescribe   = "describe" // returns the description of a tool of an MCP server
)

// Called returns how a member calls a server's tool.
func (s *ToolServer) Called(tool string) string { return s.Name + "." + tool }

// Offered lists the tools that may be called, by name.
func (s *Tools) Offered() []string {
	var names []string
	if s == nil {
		return nil
	}
	if s.Workspace != nil {
		names = append(names, ToolList, ToolRead, ToolSearch)
	}
	for i := range s.MCP {
		names = append(names, Map(s.MCP[i].Allow, s.MCP[i].Called)...)
	}
	if len(s.MCP) > 0 {
		names = append(names, ToolDescribe)
	}
	return names
}

// Offers reports whether the tool of this name may be called.
func (s *Tools) Offers(name string) bool { return slices.Contains(s.Offered(), name) }

// ToolCall is a member's call of a tool.
type ToolCall struct {
	Tool      string
	Arguments string // a JSON object on one line
}

// Text returns the call as the member writes it.
func (c ToolCall) Text() string {
	return `{"tool":` + CompactJSON(c.Tool) + `,"arguments":` + c.Arguments + `}`
}

// ToolUse is a call and its result, as it is recorded with the reply that it led to. The words are cleaned, cut to the
// bound and free of secrets when they are recorded: nothing else was put to the member.
type ToolUse struct {
	Tool      string      `json:"tool" text:"id"`
	Arguments string      `json:"arguments" text:"short"` // a JSON object on one line
	Result    string      `json:"result" text:"result"`
	SHA256    string      `json:"sha256" text:"id"` // of the result
	Failed    bool        `json:"failed,omitempty"` // the result is the reason
	Cut       bool        `json:"cut,omitempty"`    // there was more of it
	Given     []FileLines `json:"given,omitempty"`  // the lines of files that the result shows
	ElapsedMS int64       `json:"elapsedMs,omitempty"`

	Bytes   int   `json:"bytes,omitempty"`   // of the result as the member saw it, even if words of it are forgotten
	Secrets []Cut `json:"secrets,omitempty"` // taken out of the call and its result, before that was cut to its bound
	Hidden  []Cut `json:"hidden,omitempty"`  // characters of the result that readers do not see, by kind
}

// Call returns the call that the use answers.
func (u *ToolUse) Call() ToolCall { return ToolCall{u.Tool, u.Arguments} }

// FileLines are lines of a file that a member was shown, both ends included. They can be cited.
type FileLines struct {
	File string `json:"file" text:"compared"` // below the workspace's root, with forward slashes
	From int    `json:"from"`
	To   int    `json:"to"`
}

// ReadJSON reads one value of JSON, and refuses unknown fields and anything after the value.
func ReadJSON(text []byte, into any) error {
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return err
	}
	if len(bytes.TrimSpace(text[strict.InputOffset():])) > 0 {
		return errors.New("something follows its end")
	}
	return nil
}

// CompactJSON returns a value as JSON on one line, with the fields of objects in the order of their names. HTML is not
// escaped. It is "null" for a value that JSON cannot hold.
func CompactJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Bound cuts s to at most n bytes, not within a character, and reports whether there was more.
func Bound(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}
