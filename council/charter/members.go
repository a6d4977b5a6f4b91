package charter

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/names"
)

func (c checking) checkMembers(p *problems) {
	switch n := len(c.Members); {
	case n < MinMembers:
		p.add("/members", "a council needs at least %d members, not %d", MinMembers, n)
	case n > MaxMembers:
		p.add("/members", "a council has at most %d members, not %d", MaxMembers, n)
	case n%2 == 0 && !slices.ContainsFunc(c.Members, person):
		p.add("/members", "a council without a person needs an odd number of members, so that votes do not tie, not %d", n)
	}
	seen := map[string]bool{}
	for i, m := range c.Members {
		at := fmt.Sprintf("/members/%d", i)
		p.refuse(!m.ID.Valid(), at+"/id",
			"an id is 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit, not %q", m.ID)
		p.refuse(m.ID == council.Convener, at+"/id",
			"%q is the id of the person who convened the council: give the member another", m.ID)
		p.unique(at+"/id", "member", string(m.ID), seen)
		p.text(at+"/name", m.Name)
		p.text(at+"/role", m.Role)
		if m.SystemPromptFile == "" {
			p.text(at+"/systemPrompt", m.SystemPrompt)
		}
		for j, trait := range m.Traits {
			p.text(fmt.Sprintf("%s/traits/%d", at, j), trait)
		}
		for _, topic := range slices.Sorted(maps.Keys(m.FocusWeights)) {
			if w := m.FocusWeights[topic]; math.IsNaN(w) || math.IsInf(w, 0) {
				p.add(at+"/focusWeights/"+council.PointerPart(topic), "a weight must be a finite number")
			}
		}
		checkModel(p, at+"/model", m.Model)
		checkTools(p, at+"/tools", m)
	}
	c.checkAlike(p)
	c.checkTurnOrder(p)
}

func person(m council.Member) bool { return m.Model.Kind().Person }

// checkAlike refuses names and ids that readers would take for those of another member.
func (c checking) checkAlike(p *problems) {
	type called struct {
		what, name string
		member     int
	}
	seen := map[string]called{} // by what it is, and a key
	for i, m := range c.Members {
		id, name := called{"id", string(m.ID), i}, called{"name", m.Name, i}
		for _, this := range []called{id, name} {
			at := fmt.Sprintf("/members/%d/%s", i, this.what)
			if !names.Seen(this.name) {
				p.refuse(strings.TrimSpace(this.name) != "", at,
					"no character of %s is visible; give the member a name that people can read", spelt(this.name))
				continue
			}
			keys := names.Keys(this.name)
			for _, key := range []string{this.what + keys[0], this.what + keys[1], "id" + keys[0], "id" + keys[1],
				"name" + keys[0], "name" + keys[1]} {
				other, taken := seen[key]
				if taken && other.member != i && (this.what != "id" || this.name != other.name) {
					p.add(at, "the %s %s looks like %s, the %s of member %q, so one could be taken for the other: change one of them",
						this.what, spelt(this.name), spelt(other.name), other.what, c.Members[other.member].ID)
					break
				}
			}
			for _, key := range keys {
				if _, taken := seen[this.what+key]; !taken {
					seen[this.what+key] = this
				}
			}
		}
	}
}

// spelt returns a name in quotation marks, with the characters that are not plain letters told by their numbers as
// well.
func spelt(name string) string {
	plain, numbered := strconv.Quote(name), strconv.QuoteToASCII(name)
	if plain == numbered {
		return plain
	}
	return plain + " (" + strings.Trim(numbered, `"`) + ")"
}

// checkTurnOrder holds the turn order to be a permutation of the members.
func (c checking) checkTurnOrder(p *problems) {
	if len(c.TurnOrder) == 0 {
		return
	}
	seen := map[string]bool{}
	for i, id := range c.TurnOrder {
		at := fmt.Sprintf("/turnOrder/%d", i)
		p.refuse(c.Member(id) == nil, at, "there is no member %q", id)
		p.refuse(seen[string(id)], at, "member %q is named twice", id)
		seen[string(id)] = true
	}
	for _, m := range c.Members {
		p.refuse(!seen[string(m.ID)], "/turnOrder", "member %q has no place in it", m.ID)
	}
}

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
