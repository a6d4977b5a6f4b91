package tool

import (
	"slices"

	"github.com/council-engine/council/council/access"
)

// Settings say which tools a member may call, and how much. Nothing is offered that is not named here.
type Settings struct {
	Workspace *Workspace `json:"workspace,omitempty"` // the built-in, read-only view of a folder
	MCP       []Server   `json:"mcp,omitempty"`       // servers that speak the Model Context Protocol

	AllowWrites bool `json:"allowWrites,omitempty"` // whether tools that do not say that they only read may be called

	// The bounds. Zero means the default.
	MaxCalls        int     `json:"maxCalls,omitempty"`        // for one question; [DefaultCalls]
	MaxSessionCalls int     `json:"maxSessionCalls,omitempty"` // in a session; [DefaultSessionCalls]
	MaxBytes        int     `json:"maxBytes,omitempty"`        // of one result; [DefaultBytes]
	TimeoutSeconds  float64 `json:"timeoutSeconds,omitempty"`  // of one call; [DefaultTimeout]
}

// Workspace is a folder that a member may list, read and search.
type Workspace struct {
	Root string `json:"root,omitempty"` // empty: the folder in which council runs
}

// Server is one MCP server: a program that is started and spoken to over its streams, or an address. Exactly one of
// Command and URL is set.
type Server struct {
	Name    string   `json:"name"` // the first part of the names of its tools
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	Env     []string `json:"env,omitempty"` // the environment variables that the program is given besides the few it needs
	Allow   []string `json:"allow"`         // the tools of it that may be called, by its own names

	// Of an address alone: how it is shown who calls. Secrets are named, never written.
	APIKeyEnv string            `json:"apiKeyEnv,omitempty"` // the environment variable that holds a bearer token
	Auth      *access.Auth      `json:"auth,omitempty"`      // where else the token comes from
	Headers   map[string]string `json:"headers,omitempty"`   // sent with each request; a secret stands as ${VARIABLE}
}

// The bounds where the charter sets none.
const (
	DefaultCalls        = 8
	DefaultSessionCalls = 200
	DefaultBytes        = 16 << 10
	DefaultTimeout      = 30 // seconds
)

// The widest bounds that a charter may set, and the narrowest of a result: less would not hold what a tool says.
const (
	MostCalls        = 50
	MostSessionCalls = 10_000
	MostBytes        = 256 << 10
	LeastBytes       = 1 << 10
	MostTimeout      = 600 // seconds
	MostServers      = 16
	MostAllowed      = 64 // tools of one server
)

// Calls is how many calls one question may take, after so many earlier ones of the session.
func (s *Settings) Calls(before int) int {
	if s == nil {
		return 0
	}
	return max(0, min(or(s.MaxCalls, DefaultCalls), or(s.MaxSessionCalls, DefaultSessionCalls)-before))
}

// Bytes bounds the result of one call.
func (s *Settings) Bytes() int { return or(s.MaxBytes, DefaultBytes) }

// Timeout bounds the time of one call, in seconds.
func (s *Settings) Timeout() float64 { return or(s.TimeoutSeconds, DefaultTimeout) }

func or[T int | float64](set, otherwise T) T {
	if set == 0 {
		return otherwise
	}
	return set
}

// The built-in tools. Those of an MCP server are called by its name, a dot and theirs.
const (
	Workspaced = "workspace." // begins the names of those that look into the workspace
	List       = Workspaced + "list"
	Read       = Workspaced + "read"
	Search     = Workspaced + "search"
	Describe   = "describe" // says what a tool of an MCP server takes
)

// Called is how a member calls a server's tool.
func (s *Server) Called(tool string) string { return s.Name + "." + tool }

// Offered lists the tools that may be called, by name.
func (s *Settings) Offered() []string {
	var names []string
	if s == nil {
		return nil
	}
	if s.Workspace != nil {
		names = append(names, List, Read, Search)
	}
	for i := range s.MCP {
		for _, allowed := range s.MCP[i].Allow {
			names = append(names, s.MCP[i].Called(allowed))
		}
	}
	if len(s.MCP) > 0 {
		names = append(names, Describe)
	}
	return names
}

// Offers reports whether the tool of this name may be called.
func (s *Settings) Offers(name string) bool { return slices.Contains(s.Offered(), name) }
