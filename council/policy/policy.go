// Package policy holds the permissions of councils: the models, servers, programs and files that they may use, their
// spending, their approvers, and the patterns that are cut from texts. It is pure: others read the files.
//
// A policy is a stack of layers: the user's own file, that of the workspace, and the preset that each of them names.
// An effect needs the leave of every layer, so that a further layer can only forbid more, and a workspace's file,
// which may come with a cloned repository, can widen nothing.
package policy

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/names"
)

// Subject is the subject of a list of rules, as it is called in the file.
type Subject string

// The subjects, and the form that the patterns of each are compared with.
const (
	Providers   Subject = "providers"    // the provider of a model: anthropic
	Models      Subject = "models"       // provider/model: openai/gpt-5.4
	BaseURLs    Subject = "base_urls"    // the address of any server that is contacted
	Programs    Subject = "programs"     // a program: its name, or its path for a pattern with a slash
	ToolServers Subject = "tool_servers" // the name that the charter gives a server of tools
	Members     Subject = "members"      // the id of a member
	Context     Subject = "context"      // a file that members are given or may read
	Executors   Subject = "executors"    // the profile of the executor that a handoff is for
	Approvers   Subject = "approvers"    // the person who approves
)

// List holds the patterns of one subject. A nil Allow allows everything, an empty one nothing.
type List struct {
	Allow []string `toml:"allow"`
	Deny  []string `toml:"deny"`
}

// Cap bounds spending. Zero is no bound.
type Cap struct {
	Tokens int64   `toml:"tokens"`
	USD    float64 `toml:"usd"`
}

type file struct {
	Preset      string `toml:"preset"`
	Providers   List   `toml:"providers"`
	Models      List   `toml:"models"`
	BaseURLs    List   `toml:"base_urls"`
	Programs    List   `toml:"programs"`
	ToolServers List   `toml:"tool_servers"`
	Members     List   `toml:"members"`
	Context     List   `toml:"context"`
	Executors   List   `toml:"executors"`
	Approvers   List   `toml:"approvers"`
	Call        Cap    `toml:"call"`
	Session     Cap    `toml:"session"`
	Day         Cap    `toml:"day"`
	Redact      struct {
		Patterns []string `toml:"patterns"`
	} `toml:"redact"`
}

// settingNames are all names of a policy file, for those that are misspelt.
var settingNames = []string{"preset", "providers", "models", "base_urls", "programs", "tool_servers", "members",
	"context", "executors", "approvers", "call", "session", "day", "redact", "allow", "deny", "tokens", "usd", "patterns"}

// Source is the text of a policy file with the place that it was read from.
type Source struct {
	Origin string `toml:"origin"`
	Text   string `toml:"text"`
}

// Policy is the policy in force. The zero Policy forbids nothing.
type Policy struct {
	sources []Source
	origins []string // of the layers: each a file, or a preset
	preset  string   // the last that was named
	rules   []rule   // in the order of their subjects
	limits  map[CapScope]Limit
	redact  []*regexp.Regexp
	cuts    []InForce // redact in words
}

// ErrBad: a policy file cannot be used. Nothing may be started under it.
var ErrBad = errors.New("the policy cannot be used")

// Parse returns the policy that the sources make together. The first is the user's, and each can only narrow those
// before it. Where no source names a preset, balanced holds. The error is an [ErrBad] that names the file, the place
// in it and, for a name that is not known, the nearest that is.
func Parse(sources ...Source) (*Policy, error) {
	p := &Policy{sources: sources, limits: map[CapScope]Limit{}}
	for _, s := range sources {
		named, err := p.push(s.Origin, s.Text)
		if err == nil && named != "" {
			err = p.pushPreset(named, s.Origin)
		}
		if err != nil {
			return nil, err
		}
	}
	if p.preset == "" {
		if err := p.pushPreset(Balanced, "the default"); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.rules, func(a, b rule) int {
		return cmp.Compare(slices.Index(subjects, a.subject), slices.Index(subjects, b.subject))
	})
	return p, nil
}

// describeError describes why a file cannot be read, with its line and column.
func describeError(origin string, err error) string {
	var strict *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		first := &strict.Errors[0]
		row, column := first.Position()
		key := first.Key()
		said := fmt.Sprintf("%s:%d:%d: there is no setting %q", origin, row, column, strings.Join(key, "."))
		if near, ok := names.Nearest(key[len(key)-1], slices.Values(settingNames)); ok {
			return said + "; did you mean " + near + "?"
		}
		return said
	case errors.As(err, &bad):
		row, column := bad.Position()
		return fmt.Sprintf("%s:%d:%d: %s", origin, row, column, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	return origin + ": " + err.Error()
}

// push checks a file, compiles its patterns and puts it on top as a layer. It returns the preset that the file names.
func (p *Policy) push(origin, text string) (preset string, err error) {
	bad := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("%w: %s: %s", ErrBad, origin, fmt.Sprintf(format, args...))
	}
	// The name of a rule is one by which people find it: in a file, or in a preset.
	name := func(rule string, args ...any) string {
		if rule = fmt.Sprintf(rule, args...); strings.HasPrefix(origin, "preset ") {
			return origin + ": " + rule
		}
		return rule + " of " + origin
	}
	var f file
	if err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(&f); err != nil {
		return "", fmt.Errorf("%w: %s", ErrBad, describeError(origin, err))
	}
	p.origins = append(p.origins, origin)
	layer := len(p.origins)
	lists := map[Subject]List{Providers: f.Providers, Models: f.Models, BaseURLs: f.BaseURLs, Programs: f.Programs,
		ToolServers: f.ToolServers, Members: f.Members, Context: f.Context, Executors: f.Executors, Approvers: f.Approvers}
	for _, s := range subjects {
		list := lists[s]
		for i, text := range slices.Concat(list.Allow, list.Deny) {
			if strings.TrimSpace(text) == "" {
				return bad("%s has an empty pattern (number %d): use \"*\" for everything", s, i+1)
			}
		}
		for i, text := range list.Deny { // some servers ignore case
			p.rules = append(p.rules, rule{s, layer, denies, name("%s.deny[%d]", s, i+1), text, pattern(s, text, "(?i)")})
		}
		for i, text := range list.Allow {
			p.rules = append(p.rules, rule{s, layer, allows, name("%s.allow[%d]", s, i+1), text, pattern(s, text, "")})
		}
		if list.Allow != nil {
			p.rules = append(p.rules, rule{s, layer, closes, name("%s.allow", s), "", nil})
		}
	}
	caps := map[CapScope]Cap{PerCall: f.Call, PerSession: f.Session, PerDay: f.Day}
	for _, scope := range scopes {
		c := caps[scope]
		if c.Tokens < 0 || !(c.USD >= 0) {
			return bad("%s has a bound below zero: leave it out for none", scope)
		}
		low := p.limits[scope]
		if c.Tokens > 0 && (low.TokensRule == "" || c.Tokens < low.Tokens) {
			low.Tokens, low.TokensRule = c.Tokens, name("%s.tokens", scope)
		}
		if usd := council.Dollars(c.USD); usd > 0 && (low.CostRule == "" || usd < low.USD) {
			low.USD, low.CostRule = usd, name("%s.usd", scope)
		}
		p.limits[scope] = low
	}
	for i, text := range f.Redact.Patterns {
		exp, err := regexp.Compile(text)
		if err != nil {
			return bad("redact.patterns[%d] is not a regular expression: %v", i+1, err)
		}
		if exp.MatchString("") {
			return bad("redact.patterns[%d] also matches no text at all, so it would match everywhere", i+1)
		}
		p.redact = append(p.redact, exp)
		p.cuts = append(p.cuts, InForce{name("redact.patterns[%d]", i+1), "cuts " + text})
	}
	return f.Preset, nil
}

// subjects are in the order in which people read of them.
var subjects = []Subject{Providers, Models, BaseURLs, Programs, ToolServers, Members, Context, Executors, Approvers}

// Redactions returns the expressions whose matches are cut from texts as secrets are.
func (p *Policy) Redactions() []*regexp.Regexp { return p.redact }

// storedPolicy is how a policy is kept with the ledger.
type storedPolicy struct {
	Source []Source `toml:"source"`
}

// Encode returns the policy as a document that [Decode] reads, the same for the same texts.
func (p *Policy) Encode() ([]byte, error) { return toml.Marshal(storedPolicy{p.sources}) }

// Decode returns the policy of a document of [Policy.Encode]. Presets are those of this version. [ErrBad]
func Decode(doc []byte) (*Policy, error) {
	var k storedPolicy
	if err := toml.Unmarshal(doc, &k); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBad, describeError("the policy that was kept", err))
	}
	return Parse(k.Source...)
}

// CapScope is the scope of a bound of spending.
type CapScope string

// The scopes of bounds.
const (
	PerCall    CapScope = "call"
	PerSession CapScope = "session"
	PerDay     CapScope = "day" // of 24 hours, over all sessions of a workspace
)

var scopes = []CapScope{PerCall, PerSession, PerDay}

// Limit is a bound that holds, with the rules that set it; a rule is empty where there is no bound.
type Limit struct {
	Tokens               int64
	USD                  council.Money
	TokensRule, CostRule string
}

// Limit returns the bounds of a scope: the lowest of all layers.
func (p *Policy) Limit(s CapScope) Limit { return p.limits[s] }

// Exceeded returns the rule that an amount breaks, and the bound in words, or empty.
func (l Limit) Exceeded(tokens int64, cost council.Money) (rule, bound string) {
	switch {
	case l.TokensRule != "" && tokens > l.Tokens:
		return l.TokensRule, fmt.Sprintf("%d tokens", l.Tokens)
	case l.CostRule != "" && cost > l.USD:
		return l.CostRule, l.USD.String()
	}
	return "", ""
}

const Balanced = "balanced" // the preset that holds where none is named

// presets are the ready-made layers. docs/operations.md describes each.
//
//go:embed presets/*.toml
var presets embed.FS

// Presets lists the names of the presets, the strictest first.
func Presets() []string { return []string{"locked", "safe", Balanced, "open"} }

// pushPreset puts a preset on top, unless it is there. by is who names it.
func (p *Policy) pushPreset(name, by string) error {
	text, err := presets.ReadFile("presets/" + name + ".toml")
	if err != nil {
		near, found := names.Nearest(name, slices.Values(Presets()))
		if !found {
			near = Balanced
		}
		return fmt.Errorf("%w: %s: there is no preset %q; did you mean %s? There are %v", ErrBad, by, name, near, Presets())
	}
	p.preset = name
	if slices.Contains(p.origins, "preset "+name) {
		return nil
	}
	_, err = p.push("preset "+name, string(text))
	return err
}
