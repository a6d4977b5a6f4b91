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

// rule is a line of a list, or, where the list says what is allowed, that all else is not.
type rule struct {
	subject Subject
	layer   int
	does    verb
	name    string
	text    string // the pattern
	exp     *regexp.Regexp
}

// verb is what a rule does with what it matches.
type verb string

const (
	denies verb = "denies"
	allows verb = "allows"
	closes verb = "closes" // denies what no rule of its layer allows
)

// pattern compiles a pattern of a subject. A star stands for any characters; in addresses it stops at a slash, and an
// address covers what lies below it.
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
	var forms []string
	for _, name := range called {
		forms = append(forms, canonical(s, name)...)
	}
	match := func(does verb, layer int) (rule, bool) {
		return p.first(func(r rule) bool {
			return r.subject == s && r.does == does && (layer == 0 || r.layer == layer) &&
				slices.ContainsFunc(forms, r.exp.MatchString)
		})
	}
	if r, denied := match(denies, 0); denied {
		return Rule{Name: r.name}
	}
	last := Rule{Name: "nothing forbids it", Allowed: true}
	for _, list := range p.rules {
		if list.subject != s || list.does != closes {
			continue
		}
		r, allowed := match(allows, list.layer)
		if !allowed {
			return Rule{Name: list.name}
		}
		last.Name = r.name
	}
	return last
}

// first returns the first rule for which is holds.
func (p *Policy) first(is func(rule) bool) (rule, bool) {
	if i := slices.IndexFunc(p.rules, is); i >= 0 {
		return p.rules[i], true
	}
	return rule{}, false
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

// Contradictions lists, in sentences, what a policy allows in one place and denies in another. The denial wins. A
// pattern with a star is held against the same pattern alone, because others may deny a part of it.
func (p *Policy) Contradictions() []string {
	var all []string
	for _, a := range p.rules {
		if a.does != allows {
			continue
		}
		d, denied := p.first(func(r rule) bool { return r.does == denies && r.subject == a.subject && r.text == a.text })
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
