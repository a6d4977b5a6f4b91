package council

import (
	"cmp"
	"slices"
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
	Headers   map[string]string `json:"headers,omitempty"`   // sent with each request; a secret stands as ${VARIABLE}
}

// The bounds where the charter sets none.
const (
	defaultToolCalls    = 8
	DefaultSessionCalls = 200
	DefaultToolBytes    = 16 << 10
	defaultToolTimeout  = 30 // seconds
)

// Calls is how many calls one question may take, after so many earlier ones of the session.
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
	ToolDescribe   = "describe" // says what a tool of an MCP server takes
)

// Called is how a member calls a server's tool.
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
		for _, allowed := range s.MCP[i].Allow {
			names = append(names, s.MCP[i].Called(allowed))
		}
	}
	if len(s.MCP) > 0 {
		names = append(names, ToolDescribe)
	}
	return names
}

// Offers reports whether the tool of this name may be called.
func (s *Tools) Offers(name string) bool { return slices.Contains(s.Offered(), name) }
