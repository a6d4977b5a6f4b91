package tool

import (
	"fmt"
	"regexp"
)

// Problem says what is wrong with one field, by its JSON pointer below the settings.
type Problem struct{ Field, Text string }

var (
	serverName   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	toolName     = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Problems lists what is wrong with the settings, commands and addresses apart, in the order of the fields.
func (s *Settings) Problems() []Problem {
	c := &check{}
	if s.Workspace == nil && len(s.MCP) == 0 {
		c.add("", "it names no tools: give it a workspace or mcp, or leave it out")
	}
	c.between("/mcp", len(s.MCP), 0, MostServers)
	servers := map[string]bool{"workspace": true}
	for i := range s.MCP {
		c.server(fmt.Sprintf("/mcp/%d", i), &s.MCP[i], servers)
	}
	if s.AllowWrites && len(s.MCP) == 0 {
		c.add("/allowWrites", "it has no meaning without mcp: the workspace is only read")
	}
	c.between("/maxCalls", s.MaxCalls, 0, MostCalls)
	c.between("/maxSessionCalls", s.MaxSessionCalls, 0, MostSessionCalls)
	if s.MaxBytes != 0 {
		c.between("/maxBytes", s.MaxBytes, LeastBytes, MostBytes)
	}
	if t := s.TimeoutSeconds; !(t >= 0 && t <= MostTimeout) {
		c.add("/timeoutSeconds", "it must be between 0 (for the default) and %d, not %v", MostTimeout, t)
	}
	return c.found
}

type check struct{ found []Problem }

func (c *check) add(field, format string, args ...any) {
	c.found = append(c.found, Problem{field, fmt.Sprintf(format, args...)})
}

func (c *check) between(field string, n, low, high int) {
	if n < low || n > high {
		c.add(field, "it must be between %d and %d, not %d", low, high, n)
	}
}

func (c *check) server(at string, s *Server, names map[string]bool) {
	if !serverName.MatchString(s.Name) {
		c.add(at+"/name", "a server's name is 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or a digit, not %q", s.Name)
	} else if names[s.Name] {
		c.add(at+"/name", "there is more than one source of tools %q", s.Name)
	}
	names[s.Name] = true
	if (s.Command == nil) == (s.URL == "") {
		c.add(at, "it needs either a command, for a program that is started, or a url")
	}
	if s.URL != "" && s.Env != nil {
		c.add(at+"/env", "it has no meaning beside url: no program is started")
	}
	if s.URL == "" {
		for _, field := range []struct {
			name  string
			given bool
		}{{"apiKeyEnv", s.APIKeyEnv != ""}, {"auth", s.Auth != nil}, {"headers", s.Headers != nil}} {
			if field.given {
				c.add(at+"/"+field.name, "it has no meaning beside command: name in env the variables that the program is to be given")
			}
		}
	}
	for i, name := range s.Env {
		if !variableName.MatchString(name) {
			c.add(fmt.Sprintf("%s/env/%d", at, i), "it must be the name of an environment variable, never a value")
		}
	}
	c.between(at+"/allow", len(s.Allow), 1, MostAllowed)
	allowed := map[string]bool{}
	for i, name := range s.Allow {
		where := fmt.Sprintf("%s/allow/%d", at, i)
		if !toolName.MatchString(name) {
			c.add(where, "a tool's name is 1 to 128 of A-Z, a-z, 0-9, _, -, . and /, not %q", name)
		} else if allowed[name] {
			c.add(where, "the tool %q is named twice", name)
		}
		allowed[name] = true
	}
}
