package policy

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// rules are the compiled patterns of a list.
type rules struct {
	allow, deny []*regexp.Regexp
	closed      bool // what no pattern allows is refused
}

// compile makes the patterns of a subject. A star stands for any characters; in addresses it stops at a slash, and an
// address covers what lies below it. Denials ignore case, because some servers do.
func compile(s Subject, l List) rules {
	r := rules{closed: l.Allow != nil}
	for _, text := range l.Allow {
		r.allow = append(r.allow, pattern(s, text, ""))
	}
	for _, text := range l.Deny {
		r.deny = append(r.deny, pattern(s, text, "(?i)"))
	}
	return r
}

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
// each layer that has a list of what is allowed has to allow it. The rule is the one that refused, or the last one that
// allowed.
func (p *Policy) Decide(s Subject, called ...string) Rule {
	last := Rule{Name: "nothing forbids it", Allowed: true}
	var forms []string
	for _, name := range called {
		forms = append(forms, canonical(s, name)...)
	}
	for _, l := range p.layers {
		if i := l.lists[s].match(s, l.lists[s].deny, forms); i >= 0 {
			return Rule{Name: l.name(fmt.Sprintf("%s.deny[%d]", s, i+1))}
		}
	}
	for _, l := range p.layers {
		if !l.lists[s].closed {
			continue
		}
		i := l.lists[s].match(s, l.lists[s].allow, forms)
		if i < 0 {
			return Rule{Name: l.name(fmt.Sprintf("%s.allow", s))}
		}
		last.Name = l.name(fmt.Sprintf("%s.allow[%d]", s, i+1))
	}
	return last
}

// match returns the index of the first pattern that matches one of the forms, or -1.
func (r rules) match(s Subject, patterns []*regexp.Regexp, forms []string) int {
	return slices.IndexFunc(patterns, func(exp *regexp.Regexp) bool { return slices.ContainsFunc(forms, exp.MatchString) })
}

// canonical returns the forms under which patterns know a thing: an address without what may vary, a program also by
// its name alone.
func canonical(s Subject, thing string) []string {
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
// machine as 127.0.0.1, no usual port, no password, no query, and a path without dots. What cannot be read stays as it
// is, and matches no pattern but "*".
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
	for _, s := range Subjects() {
		for _, l := range p.layers {
			list := l.file.list(s)
			for i, text := range list.Deny {
				all = append(all, InForce{l.name(fmt.Sprintf("%s.deny[%d]", s, i+1)), "denies " + text})
			}
			for i, text := range list.Allow {
				all = append(all, InForce{l.name(fmt.Sprintf("%s.allow[%d]", s, i+1)), "allows " + text})
			}
			if list.Allow != nil {
				all = append(all, InForce{l.name(string(s) + ".allow"), "denies all others"})
			}
		}
	}
	for _, scope := range CapScopes() {
		limit := p.Limit(scope)
		if limit.TokensRule != "" {
			all = append(all, InForce{limit.TokensRule, fmt.Sprintf("at most %d tokens", limit.Tokens)})
		}
		if limit.CostRule != "" {
			all = append(all, InForce{limit.CostRule, "at most " + limit.USD.String()})
		}
	}
	for _, l := range p.layers {
		for i, text := range l.file.Redact.Patterns {
			all = append(all, InForce{l.name(fmt.Sprintf("redact.patterns[%d]", i+1)), "cuts " + text})
		}
	}
	return all
}

// Contradictions lists, in sentences, what a policy allows in one place and denies in another. The denial wins. A
// pattern with a star is held against the same pattern alone, because others may deny a part of it.
func (p *Policy) Contradictions() []string {
	var all []string
	for _, s := range Subjects() {
		for _, l := range p.layers {
			for i, text := range l.file.list(s).Allow {
				rule := p.Decide(s, text)
				if strings.Contains(text, "*") {
					rule = p.denies(s, text)
				}
				if rule.Allowed {
					continue
				}
				all = append(all, fmt.Sprintf("%s allows %q, and %s denies it: it is denied",
					l.name(fmt.Sprintf("%s.allow[%d]", s, i+1)), text, rule.Name))
			}
		}
	}
	return all
}

// denies returns the rule that denies a pattern, by the same words.
func (p *Policy) denies(s Subject, text string) Rule {
	for _, l := range p.layers {
		if i := slices.Index(l.file.list(s).Deny, text); i >= 0 {
			return Rule{Name: l.name(fmt.Sprintf("%s.deny[%d]", s, i+1))}
		}
	}
	return Rule{Allowed: true}
}
