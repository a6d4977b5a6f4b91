package trust

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

// Named is one thing that a council starts, contacts or opens because its configuration names it.
type Named struct {
	Kind  string   // program, server or folder
	What  string   // the whole command line or address, as people read it
	Given []string // the environment variables that it is given or sent
}

// String is the thing on one line.
func (n Named) String() string {
	line := fmt.Sprintf("%-8s %s", n.Kind, n.What)
	if len(n.Given) > 0 {
		line += ", which is given " + strings.Join(n.Given, ", ")
	}
	return line
}

// Of lists what a charter names, each thing once and in a fixed order: programs, servers beyond this machine, and folders
// outside of the working folder that members may read. A provider that is asked at its own address is not named by the
// configuration.
func Of(c *council.Charter) []Named {
	var all []Named
	for _, m := range c.Members {
		for _, one := range append([]council.Model{m.Model}, m.Model.Fallbacks...) {
			all = append(all, ofModel(one)...)
		}
		if m.Tools != nil {
			all = append(all, ofTools(m.Tools)...)
		}
	}
	slices.SortFunc(all, func(a, b Named) int { return cmp.Compare(a.String(), b.String()) })
	return slices.CompactFunc(all, func(a, b Named) bool { return a.String() == b.String() })
}

func ofModel(m council.Model) []Named {
	var all []Named
	if m.Kind().Program {
		given := m.Env
		if m.APIKeyEnv != "" {
			given = append(slices.Clone(given), m.APIKeyEnv)
		}
		what := commandLine(m.Command)
		if len(m.Command) == 0 {
			agent, _, _ := strings.Cut(m.Model, "/")
			what = "the agent " + quoted(agent)
			if m.Program != "" {
				what += " at " + quoted(m.Program)
			}
		}
		if m.Tools {
			what += ", with its own tools"
		}
		all = append(all, Named{"program", what, given})
	}
	return append(all, ofServer(m)...)
}

// ofServer lists the server that a model names, unless it is on this machine, and where its credential comes from.
func ofServer(m council.Model) []Named {
	var all []Named
	add := func(address string, given ...string) {
		if address != "" && !member.Loopback(address) {
			all = append(all, Named{"server", quoted(address), given})
		}
	}
	add(m.BaseURL, sent(m)...)
	if m.Auth == nil {
		return all
	}
	add(m.Auth.DeviceAuthorizationEndpoint)
	add(m.Auth.TokenEndpoint)
	if m.Auth.Method == "command" {
		what := quoted(m.Auth.Command)
		if words, err := credential.Words(m.Auth.Command); err == nil {
			what = commandLine(words)
		}
		all = append(all, Named{"program", what, m.Auth.Env})
	}
	return all
}

func ofTools(s *council.Tools) []Named {
	var all []Named
	if s.Workspace != nil && s.Workspace.Root != "" && !filepath.IsLocal(s.Workspace.Root) {
		all = append(all, Named{"folder", quoted(s.Workspace.Root) + ", for members to read", nil})
	}
	for i := range s.MCP {
		one := &s.MCP[i]
		if len(one.Command) > 0 {
			all = append(all, Named{"program", commandLine(one.Command), one.Env})
		}
		all = append(all, ofServer(credential.Caller(one))...)
	}
	return all
}

// variable finds environment variables in the value of a header.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// sent lists the environment variables whose values a model's server is sent.
func sent(m council.Model) []string {
	var names []string
	if name := credential.Variable(m); name != "" {
		names = append(names, name)
	}
	for _, value := range m.Headers {
		for _, found := range variable.FindAllStringSubmatch(value, -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plain matches a word that needs no quotation marks.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// quoted shows a word so that no two words look alike and nothing in it is hidden.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return strconv.Quote(word)
}

func commandLine(words []string) string {
	var shown []string
	for _, word := range words {
		shown = append(shown, quoted(word))
	}
	return strings.Join(shown, " ")
}

// digest stands for things that are named in a folder: trust in one folder says nothing of another, where a relative path
// leads to another program.
func digest(folder string, named []Named) string {
	doc, _ := json.Marshal(struct { // strings alone
		Folder string
		Named  []Named
	}{folder, named})
	return council.Digest(string(doc))
}
