// Package policy holds what a user allows councils to do: which models, servers, programs and files they may use, what
// they may spend, who may approve, and what is cut from texts. It is pure: others read the files.
//
// A policy is a stack of layers: the user's own file, that of the workspace, and the preset that each of them names. An
// effect needs the leave of every layer, so that a further layer can only forbid more, and a workspace's file, which
// may come with a cloned repository, can widen nothing.
package policy

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/names"
)

// Subject is what a list of rules is about, as it is called in the file.
type Subject string

// The subjects, and what the patterns of each are compared with.
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

// Cap bounds what is spent. Zero is no bound.
type Cap struct {
	Tokens int64   `toml:"tokens"`
	USD    float64 `toml:"usd"`
}

// file is a policy as it is written.
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

// known are all names of a policy file, for those that are misspelt.
var known = []string{"preset", "providers", "models", "base_urls", "programs", "tool_servers", "members", "context",
	"executors", "approvers", "call", "session", "day", "redact", "allow", "deny", "tokens", "usd", "patterns"}

// Source is the text of a policy file with the place that it was read from.
type Source struct {
	Origin string `toml:"origin"`
	Text   string `toml:"text"`
}

// Policy is what is in force. The zero Policy forbids nothing.
type Policy struct {
	sources []Source
	layers  []layer
	redact  []*regexp.Regexp
}

// layer is one file or preset.
type layer struct {
	origin string // follows the name of a rule
	file   file
	lists  map[Subject]rules
}

// ErrBad: a policy file cannot be used. Nothing may be started under it.
var ErrBad = errors.New("the policy cannot be used")

// Parse returns the policy that the sources make together. The first is the user's, and each can only narrow those
// before it. Where no source names a preset, balanced holds. The error is an [ErrBad] that names the file, the place in
// it and, for a name that is not known, the nearest that is.
func Parse(sources ...Source) (*Policy, error) {
	p := &Policy{sources: sources}
	for _, s := range sources {
		if err := p.add(s); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(p.layers, func(l layer) bool { return l.file.Preset != "" }) {
		if err := p.preset(Balanced, "the default"); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add reads a source and puts its layers on top.
func (p *Policy) add(s Source) error {
	var f file
	d := toml.NewDecoder(bytes.NewReader([]byte(s.Text))).DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return fmt.Errorf("%w: %s", ErrBad, troubleOf(s.Origin, err))
	}
	if err := p.push(layer{origin: s.Origin, file: f}); err != nil {
		return err
	}
	if f.Preset == "" {
		return nil
	}
	return p.preset(f.Preset, s.Origin)
}

// troubleOf describes why a file cannot be read, with its line and column.
func troubleOf(origin string, err error) string {
	var strict *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		first := &strict.Errors[0]
		row, column := first.Position()
		key := first.Key()
		said := fmt.Sprintf("%s:%d:%d: there is no setting %q", origin, row, column, strings.Join(key, "."))
		if near, ok := names.Nearest(key[len(key)-1], slices.Values(known)); ok {
			return said + "; did you mean " + near + "?"
		}
		return said
	case errors.As(err, &bad):
		row, column := bad.Position()
		return fmt.Sprintf("%s:%d:%d: %s", origin, row, column, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	return origin + ": " + err.Error()
}

// push checks a layer, compiles its patterns and puts it on top.
func (p *Policy) push(l layer) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", ErrBad, l.origin, fmt.Sprintf(format, args...))
	}
	l.lists = map[Subject]rules{}
	for _, s := range Subjects() {
		list := l.file.list(s)
		for i, text := range slices.Concat(list.Allow, list.Deny) {
			if strings.TrimSpace(text) == "" {
				return bad("%s has an empty pattern (number %d): use \"*\" for everything", s, i+1)
			}
		}
		l.lists[s] = compile(s, *list)
	}
	for _, c := range CapScopes() {
		if limit := l.file.limit(c); limit.Tokens < 0 || !(limit.USD >= 0) {
			return bad("%s has a bound below zero: leave it out for none", c)
		}
	}
	for i, text := range l.file.Redact.Patterns {
		exp, err := regexp.Compile(text)
		if err != nil {
			return bad("redact.patterns[%d] is not a regular expression: %v", i+1, err)
		}
		if exp.MatchString("") {
			return bad("redact.patterns[%d] also matches no text at all, so it would match everywhere", i+1)
		}
		p.redact = append(p.redact, exp)
	}
	p.layers = append(p.layers, l)
	return nil
}

// Subjects lists the subjects in the order in which people read of them.
func Subjects() []Subject {
	return []Subject{Providers, Models, BaseURLs, Programs, ToolServers, Members, Context, Executors, Approvers}
}

func (f *file) list(s Subject) *List {
	return map[Subject]*List{
		Providers: &f.Providers, Models: &f.Models, BaseURLs: &f.BaseURLs, Programs: &f.Programs,
		ToolServers: &f.ToolServers, Members: &f.Members, Context: &f.Context, Executors: &f.Executors,
		Approvers: &f.Approvers,
	}[s]
}

// Redactions returns the expressions whose matches are cut from texts as secrets are.
func (p *Policy) Redactions() []*regexp.Regexp { return p.redact }

// kept is how a policy is kept with the ledger.
type kept struct {
	Source []Source `toml:"source"`
}

// Encode returns the policy as a document that [Decode] reads, the same for the same texts.
func (p *Policy) Encode() ([]byte, error) { return toml.Marshal(kept{p.sources}) }

// Decode returns the policy of a document of [Policy.Encode]. Presets are those of this version. The error is an
// [ErrBad].
func Decode(doc []byte) (*Policy, error) {
	var k kept
	if err := toml.Unmarshal(doc, &k); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBad, troubleOf("the policy that was kept", err))
	}
	return Parse(k.Source...)
}

// CapScope is what a bound of spending is for.
type CapScope string

// The scopes of bounds.
const (
	PerCall    CapScope = "call"
	PerSession CapScope = "session"
	PerDay     CapScope = "day" // of 24 hours, over all sessions of a workspace
)

// CapScopes lists the scopes.
func CapScopes() []CapScope { return []CapScope{PerCall, PerSession, PerDay} }

func (f *file) limit(s CapScope) *Cap {
	return map[CapScope]*Cap{PerCall: &f.Call, PerSession: &f.Session, PerDay: &f.Day}[s]
}

// Limit is a bound that holds, with the rules that set it; a rule is empty where there is no bound.
type Limit struct {
	Tokens               int64
	USD                  council.Money
	TokensRule, CostRule string
}

// Limit returns the bounds of a scope: the lowest of all layers.
func (p *Policy) Limit(s CapScope) Limit {
	var all Limit
	for _, l := range p.layers {
		c := l.file.limit(s)
		if c.Tokens > 0 && (all.TokensRule == "" || c.Tokens < all.Tokens) {
			all.Tokens, all.TokensRule = c.Tokens, l.name(string(s)+".tokens")
		}
		if usd := council.Dollars(c.USD); usd > 0 && (all.CostRule == "" || usd < all.USD) {
			all.USD, all.CostRule = usd, l.name(string(s)+".usd")
		}
	}
	return all
}

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

// name returns a rule's name as people find it: in a file, or in a preset.
func (l layer) name(rule string) string {
	if strings.HasPrefix(l.origin, "preset ") {
		return l.origin + ": " + rule
	}
	return rule + " of " + l.origin
}
