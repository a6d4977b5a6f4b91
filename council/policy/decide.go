package policy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// rule is a line of a list, or the denial of all else where the list allows something.
type rule struct {
	subject Subject
	layer   int
	does    verb
	name    string
	text    string // the pattern
	exp     *regexp.Regexp
}

type verb string

const (
	denies verb = "denies"
	allows verb = "allows"
	closes verb = "closes" // denies everything that no rule of its layer allows
)

// pattern compiles a pattern of a subject. A star matches any characters, in addresses to a slash, and all paths below.
func pattern(s Subject, text, flags string) *regexp.Regexp {
	star, end := ".*", ""
	switch {
	case s == BaseURLs && text != "*":
		star, end = "[^/]*", "(/.*)?"
		text = strings.TrimRight(text, "/")
		if !strings.Contains(text, "://") {
			text = "*://" + text
		}
		text = localhost.ReplaceAllString(text, "://127.0.0.1$1")
	case s == Programs && !strings.Contains(text, "/"):
		end = `(\.exe)?`
	case s == Context:
		text = path.Clean(text)
	}
	return regexp.MustCompile(flags + "^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, star) + end + "$")
}

var localhost = regexp.MustCompile(`(?i)://(?:localhost|\[::1\])(:|/|$)`)

// Rule is a verdict of a policy: whether something is allowed, and by which rule.
type Rule struct {
	Name    string // such as "models.deny[2] of .council/policy.toml"
	Allowed bool
}

// Decide returns the verdict on one thing of a subject, which may go by several names. A denial of any layer wins; then
// each layer with a list of allowed things has to allow it. The rule is the one that refused, or the last that allowed.
func (p *Policy) Decide(s Subject, called ...string) Rule {
	var forms []string
	for _, name := range called {
		forms = append(forms, canonicalForms(s, name)...)
	}
	match := func(does verb, layer int) rule { // without a name: there is none
		return council.First(p.rules, func(r rule) bool {
			return r.subject == s && r.does == does && (layer == 0 || r.layer == layer) &&
				slices.ContainsFunc(forms, r.exp.MatchString)
		})
	}
	if r := match(denies, 0); r.name != "" {
		return Rule{Name: r.name}
	}
	last := Rule{Name: "nothing forbids it", Allowed: true}
	for _, list := range p.rules {
		if list.subject != s || list.does != closes {
			continue
		}
		if last.Name = match(allows, list.layer).name; last.Name == "" {
			return Rule{Name: list.name}
		}
	}
	return last
}

// canonicalForms returns the forms that patterns know of a thing: one of an address, of a program its name too.
func canonicalForms(s Subject, thing string) []string {
	switch s {
	case BaseURLs:
		return []string{canonicalURL(thing)}
	case Programs:
		slashed := strings.ReplaceAll(thing, `\`, "/")
		return []string{slashed, path.Base(slashed)}
	case Context:
		return []string{path.Clean(thing)}
	}
	return []string{thing}
}

// canonicalURL returns an address in the one form that patterns are compared with: small letters in its host, this
// machine as 127.0.0.1, no usual port, no password, no query, and a path without dots. An address that cannot be read
// stays as it is, and matches no pattern but "*".
func canonicalURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	scheme, host := strings.ToLower(u.Scheme), strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		host = "127.0.0.1"
	} else if ip != nil && ip.To4() == nil {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[scheme] {
		host += ":" + port
	} else if host == "127.0.0.1" {
		host += ":" + map[string]string{"http": "80", "https": "443"}[scheme]
	}
	at := strings.TrimRight(path.Clean("/"+u.Path), "/")
	return scheme + "://" + host + at
}

// InForce is one rule that holds.
type InForce struct {
	Rule string // its name
	Says string
}

// Rules lists the rules in force in the order of their subjects, each with its name.
func (p *Policy) Rules() []InForce {
	var all []InForce
	for _, r := range p.rules {
		says := string(r.does) + " " + r.text
		if r.does == closes {
			says = "denies all others"
		}
		all = append(all, InForce{r.name, says})
	}
	for _, scope := range scopes {
		limit := p.Limit(scope)
		if limit.TokensRule != "" {
			all = append(all, InForce{limit.TokensRule, fmt.Sprintf("at most %d tokens", limit.Tokens)})
		}
		if limit.CostRule != "" {
			all = append(all, InForce{limit.CostRule, "at most " + limit.USD.String()})
		}
	}
	return append(all, p.cuts...)
}

// Contradictions lists, in sentences, the things that a policy allows in one place and denies in another. The denial
// wins. A pattern with a star is compared with the same pattern alone, because others may deny a part of it.
func (p *Policy) Contradictions() []string {
	var all []string
	for _, a := range p.rules {
		if a.does != allows {
			continue
		}
		d := council.First(p.rules, func(r rule) bool {
			return r.does == denies && r.subject == a.subject && r.text == a.text
		})
		denied := d.name != ""
		if !strings.Contains(a.text, "*") {
			verdict := p.Decide(a.subject, a.text)
			d.name, denied = verdict.Name, !verdict.Allowed
		}
		if denied {
			all = append(all, fmt.Sprintf("%s allows %q, and %s denies it: it is denied", a.name, a.text, d.name))
		}
	}
	return all
}

// ErrRefused: the policy forbids the action, and nothing of it was done. It is wrapped by [RefusedError].
var ErrRefused = errors.New("the policy forbids it")

// RefusedError is a refusal with the rule that decided.
type RefusedError struct {
	Member council.MemberID // for which it was; empty: none in particular
	What   string           // in words, such as "the model openai/gpt-5.4"
	Rule   string
}

func (e *RefusedError) Error() string {
	needs := ""
	if e.Member != "" {
		needs = fmt.Sprintf("what member %s needs: ", e.Member)
	}
	return fmt.Sprintf("the policy forbids %s%s (rule: %s)", needs, e.What, e.Rule)
}

// Unwrap makes it an [ErrRefused].
func (e *RefusedError) Unwrap() error { return ErrRefused }

// subjectWords are how a subject is called before a thing of it.
var subjectWords = map[Subject]string{Providers: "the provider", Models: "the model", BaseURLs: "the address",
	Programs: "the program", ToolServers: "the server of tools", Members: "the member", Context: "the file",
	Executors: "the executor", Approvers: "the approval by"}

// Check returns a [*RefusedError] where a thing of a subject is forbidden, which may go by several names.
func (p *Policy) Check(m council.MemberID, s Subject, called ...string) error {
	if rule := p.Decide(s, called...); !rule.Allowed {
		return &RefusedError{m, subjectWords[s] + " " + called[0], rule.Name}
	}
	return nil
}

// Names reports whether a thing of a subject is allowed by its own name, not by a star or for want of a rule.
func (p *Policy) Names(s Subject, thing string) bool {
	return p.Decide(s, thing).Allowed && slices.ContainsFunc(p.rules, func(r rule) bool {
		return r.subject == s && r.does == allows && r.text == thing
	})
}

// Allows reports whether the provider, the name and the address of a model are allowed.
func (p *Policy) Allows(m council.Model) bool {
	return p.Decide(Providers, m.Provider).Allowed && p.Decide(Models, m.Name()).Allowed &&
		p.Decide(BaseURLs, cmp.Or(m.BaseURL, m.Kind().Address)).Allowed
}

// eachNeed calls add with each thing that a member needs, which may be empty.
func eachNeed(m *council.Member, find func(program string) string, add func(Subject, string)) {
	add(Members, string(m.ID))
	for _, one := range m.Model.PossibleModels() {
		if one.Kind().Unchosen {
			continue
		}
		add(Providers, one.Provider)
		add(Models, one.Name())
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

func authNeeds(a *council.Auth, find func(program string) string, add func(Subject, string)) {
	if a == nil {
		return
	}
	add(BaseURLs, a.DeviceAuthorizationEndpoint)
	add(BaseURLs, a.TokenEndpoint)
	if a.Method == "command" {
		add(Programs, find(a.Command.Argv()[0]))
		if first := strings.Fields(a.Command.Shell); len(first) > 0 { // the shell may start others, which cannot be known
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
// dollars where a price is not known. find returns the path of a program, as the system finds it, or the program.
func (p *Policy) Charter(c *council.Charter, find func(program string) string) error {
	for i := range c.Members {
		m := &c.Members[i]
		var err error
		eachNeed(m, find, func(s Subject, thing string) {
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

// Approval returns a [*RefusedError] where a person may not approve a handoff, or the executor may not get it.
func (p *Policy) Approval(by, executor string) error {
	if err := p.Check("", Approvers, by); err != nil {
		return err
	}
	return p.Check("", Executors, executor)
}
