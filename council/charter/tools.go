package charter

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/council-engine/council/council"
)

// The widest bounds that a charter may set for tools, and the narrowest of a result: less would not hold what a tool
// says.
const (
	mostToolCalls        = 50
	mostSessionToolCalls = 10_000
	mostToolBytes        = 256 << 10
	leastToolBytes       = 1 << 10
	mostToolTimeout      = 600 // seconds
	mostToolServers      = 16
	mostAllowedTools     = 64 // of one server
)

var (
	serverName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	toolName   = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)
)

// checkTools reports what is wrong with the tools of a member.
func checkTools(p *problems, at string, m council.Member) {
	t := m.Tools
	if t == nil {
		return
	}
	why := m.Model.Kind().NoTools
	p.refuse(why != "", at, "%s", why)
	p.refuse(t.Workspace == nil && len(t.MCP) == 0, at,
		"it names no tools: give it a workspace or mcp, or leave it out")
	p.between(at+"/mcp", len(t.MCP), 0, mostToolServers)
	names := map[string]bool{"workspace": true}
	for i := range t.MCP {
		checkToolServer(p, fmt.Sprintf("%s/mcp/%d", at, i), &t.MCP[i], names)
	}
	p.refuse(t.AllowWrites && len(t.MCP) == 0, at+"/allowWrites",
		"it has no effect without mcp: the workspace is only read")
	p.between(at+"/maxCalls", t.MaxCalls, 0, mostToolCalls)
	p.between(at+"/maxSessionCalls", t.MaxSessionCalls, 0, mostSessionToolCalls)
	if t.MaxBytes != 0 {
		p.between(at+"/maxBytes", t.MaxBytes, leastToolBytes, mostToolBytes)
	}
	p.refuse(!(t.TimeoutSeconds >= 0 && t.TimeoutSeconds <= mostToolTimeout), at+"/timeoutSeconds",
		"it must be between 0 (for the default) and %d, not %v", mostToolTimeout, t.TimeoutSeconds)
}

func checkToolServer(p *problems, at string, s *council.ToolServer, names map[string]bool) {
	if !serverName.MatchString(s.Name) {
		p.add(at+"/name", "a server's name is 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or a digit, not %q",
			s.Name)
	} else {
		p.unique(at+"/name", "source of tools", s.Name, names)
	}
	p.refuse((s.Command == nil) == (s.URL == ""), at,
		"it needs either a command, for a program that is started, or a url")
	p.refuse(s.URL != "" && s.Env != nil, at+"/env", "it has no effect with url: no program is started")
	const program = "it has no effect with command: name in env the variables that the program is to be given"
	p.refuse(s.URL == "" && s.APIKeyEnv != "", at+"/apiKeyEnv", program)
	p.refuse(s.URL == "" && s.Auth != nil, at+"/auth", program)
	p.refuse(s.URL == "" && s.Headers != nil, at+"/headers", program)
	checkEnvs(p, at+"/env", s.Env)
	p.between(at+"/allow", len(s.Allow), 1, mostAllowedTools)
	for i, name := range s.Allow {
		where := fmt.Sprintf("%s/allow/%d", at, i)
		p.refuse(!toolName.MatchString(name), where,
			"a tool's name is 1 to 128 of A-Z, a-z, 0-9, _, -, . and /, not %q", name)
		p.refuse(slices.Contains(s.Allow[:i], name), where, "the tool %q is named twice", name)
	}
	if s.Command != nil {
		checkCommand(p, at+"/command", s.Command)
	}
	checkAddress(p, at+"/url", s.URL)
	checkEnv(p, at+"/apiKeyEnv", s.APIKeyEnv)
	if s.Auth != nil {
		checkAuth(p, at+"/auth", *s.Auth)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		checkHeader(p, at+"/headers/"+council.PointerPart(name), name, s.Headers[name])
	}
}
