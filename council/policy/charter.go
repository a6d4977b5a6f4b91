package policy

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
)

// ErrRefused: the policy forbids what was about to be done. Nothing of it was done. It is wrapped by [RefusedError].
var ErrRefused = errors.New("the policy forbids it")

// RefusedError is a refusal with the rule that decided.
type RefusedError struct {
	Member council.MemberID // whom it was for; empty: nobody in particular
	What   string           // in words, such as "the model openai/gpt-5.4"
	Rule   string
}

func (e *RefusedError) Error() string {
	whom := ""
	if e.Member != "" {
		whom = fmt.Sprintf("what member %s needs: ", e.Member)
	}
	return fmt.Sprintf("the policy forbids %s%s (rule: %s)", whom, e.What, e.Rule)
}

// Unwrap makes it an [ErrRefused].
func (e *RefusedError) Unwrap() error { return ErrRefused }

// words are how a subject is called before a thing of it.
var words = map[Subject]string{
	Providers: "the provider", Models: "the model", BaseURLs: "the address", Programs: "the program",
	ToolServers: "the server of tools", Members: "the member", Context: "the file", Executors: "the executor",
	Approvers: "the approval by",
}

// Check returns a [*RefusedError] where a thing of a subject is forbidden, which may go by several names.
func (p *Policy) Check(m council.MemberID, s Subject, called ...string) error {
	if rule := p.Decide(s, called...); !rule.Allowed {
		return &RefusedError{m, words[s] + " " + called[0], rule.Name}
	}
	return nil
}

// Finder returns the path of a program, as the system finds it. What it cannot find it returns as it is.
type Finder func(program string) string

// needs calls add with each thing that a member needs, which may be empty.
func needs(m *council.Member, find Finder, add func(Subject, string)) {
	add(Members, string(m.ID))
	for _, one := range append([]council.Model{m.Model}, m.Model.Fallbacks...) {
		if one.Kind().Unchosen {
			continue
		}
		add(Providers, one.Provider)
		add(Models, one.Provider+"/"+one.Model)
		add(BaseURLs, cmp.Or(one.BaseURL, one.Kind().Address))
		if one.Kind().Program {
			add(Programs, find(programOf(one)))
		}
		authNeeds(one.Auth, find, add)
	}
	if m.Tools == nil {
		return
	}
	// Of a folder below the one in which council runs, the files that are forbidden are not shown.
	if w := m.Tools.Workspace; w != nil && (strings.HasPrefix(w.Root, "..") || strings.HasPrefix(w.Root, "/")) {
		add(Context, w.Root+"/*")
	}
	for i := range m.Tools.MCP {
		s := &m.Tools.MCP[i]
		add(ToolServers, s.Name)
		add(BaseURLs, s.URL)
		if len(s.Command) > 0 {
			add(Programs, find(s.Command[0]))
		}
		authNeeds(s.Auth, find, add)
	}
}

func authNeeds(a *council.Auth, find Finder, add func(Subject, string)) {
	if a == nil {
		return
	}
	add(BaseURLs, a.DeviceAuthorizationEndpoint)
	add(BaseURLs, a.TokenEndpoint)
	if a.Method == "command" {
		add(Programs, find(a.Command.Argv()[0]))
		if first := strings.Fields(a.Command.Shell); len(first) > 0 { // the shell may start others, which it cannot tell
			add(Programs, find(strings.Trim(first[0], `'"`)))
		}
	}
}

// programOf returns the program of a model that is one, as the charter names it.
func programOf(m council.Model) string {
	if len(m.Command) > 0 {
		return m.Command[0]
	}
	agent, _, _ := strings.Cut(m.Model, "/")
	return cmp.Or(m.Program, agent)
}

// Charter returns a [*RefusedError] for the first thing that a charter needs and the policy forbids, or for a bound in
// dollars where a price is not known.
func (p *Policy) Charter(c *council.Charter, find Finder) error {
	for i := range c.Members {
		m := &c.Members[i]
		var err error
		needs(m, find, func(s Subject, thing string) {
			if err == nil && thing != "" {
				err = p.Check(m.ID, s, thing)
			}
		})
		if err != nil {
			return err
		}
	}
	unpriced := c.Unpriced()
	for _, scope := range scopes {
		if rule := p.Limit(scope).CostRule; rule != "" && unpriced != "" {
			return &RefusedError{"", "a call of " + unpriced + ", whose price is not known, under a bound in US dollars", rule}
		}
	}
	return nil
}

// Narrow returns a session's budget within the policy's bounds of a session, and the rule that narrowed it, or empty.
func (p *Policy) Narrow(b council.Budget) (_ council.Budget, rule string) {
	limit := p.Limit(PerSession)
	if limit.TokensRule != "" && (b.Tokens <= 0 || b.Tokens > limit.Tokens) {
		b.Tokens, rule = limit.Tokens, limit.TokensRule
	}
	if limit.CostRule != "" && (b.USD <= 0 || council.Dollars(b.USD) > limit.USD) {
		b.USD, rule = float64(limit.USD)/float64(council.Dollar), limit.CostRule
	}
	return b, rule
}

// Approval returns a [*RefusedError] where a person may not approve a handoff, or where it may not be given to the
// executor.
func (p *Policy) Approval(by, executor string) error {
	if err := p.Check("", Approvers, by); err != nil {
		return err
	}
	return p.Check("", Executors, executor)
}
