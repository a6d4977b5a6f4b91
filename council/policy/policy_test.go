package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/check"
)

const own, cloned = "user.toml", ".council/policy.toml"

func parse(t *testing.T, user, workspace string) *policy.Policy {
	t.Helper()
	return check.Get(policy.Parse(policy.Source{Origin: own, Text: user},
		policy.Source{Origin: cloned, Text: workspace}))(t)
}

func TestPolicy_APolicyThatCannotBeUsedNamesThePlace(t *testing.T) {
	for text, want := range map[string]string{
		"[models]\ndenny = ['x']":              `user.toml:2:1: there is no setting "models.denny"; did you mean deny?`,
		"[modells]\ndeny = ['x']":              `did you mean models?`,
		"preset = 'ballanced'":                 `user.toml: there is no preset "ballanced"; did you mean balanced?`,
		"[models]\ndeny = 'x'":                 `user.toml:2:8: `,
		"[models\n":                            `user.toml:1:`,
		"[day]\nusd = -1.0":                    `day has a bound below zero`,
		"[day]\nusd = nan":                     `day has a bound below zero`,
		"[models]\nallow = ['']":               `models has an empty pattern`,
		"[redact]\npatterns = ['a', '(']":      `redact.patterns[2] is not a regular expression`,
		"[redact]\npatterns = ['x*']":          `redact.patterns[1] also matches no text at all`,
		"[day]\ntokens = 99999999999999999999": `user.toml:2:10: `,
	} {
		_, err := policy.Parse(policy.Source{Origin: own, Text: text})
		check.ErrorIs(t, text, policy.ErrBad, err)
		check.Fails(t, text, err, want)
	}
}

func TestPolicy_WhoIsAllowed(t *testing.T) {
	for name, c := range map[string]struct {
		user, workspace string
		subject         policy.Subject
		thing, rule     string // the rule that refuses, of the user's file unless it says; empty: it is allowed
	}{
		"nothing said": {"", "", policy.Models, "openai/gpt", ""},
		"denied": {"[models]\ndeny=['a/*','openai/gpt*']", "",
			policy.Models, "openai/gpt-5", "models.deny[2]"},
		"denied in capitals":  {"[models]\ndeny=['openai/gpt']", "", policy.Models, "OpenAI/GPT", "models.deny[1]"},
		"allowed in capitals": {"[models]\nallow=['openai/gpt']", "", policy.Models, "OpenAI/GPT", "models.allow"},
		"deny wins":           {"[models]\nallow=['x/y']\ndeny=['x/*']", "", policy.Models, "x/y", "models.deny[1]"},
		"none allowed":        {"[programs]\nallow=[]", "", policy.Programs, "/usr/bin/git", "programs.allow"},
		"both have to allow": {"[members]\nallow=['ada']", "[members]\nallow=['bob']",
			policy.Members, "bob", "members.allow"},
		"the workspace narrows": {"[members]\nallow=['*']", "[members]\nallow=['ada']", policy.Members, "bob",
			"members.allow of " + cloned},
		"the workspace widens nothing": {"preset='locked'", "preset='open'", policy.Programs, "/bin/sh",
			"preset locked: programs.allow"},
		"a program by its name": {"[programs]\ndeny=['curl']", "", policy.Programs, "/usr/bin/curl", "programs.deny[1]"},
		"a program by its path": {"[programs]\nallow=['/usr/bin/*']", "", policy.Programs, "/tmp/curl", "programs.allow"},

		"below an address": {"[base_urls]\nallow=['https://a.example']", "",
			policy.BaseURLs, "https://a.example/v1/x", ""},
		"a longer host": {"[base_urls]\nallow=['https://a.example']", "",
			policy.BaseURLs, "https://a.example.org/", "base_urls.allow"},
		"a host in a path": {"[base_urls]\nallow=['https://*.example']", "",
			policy.BaseURLs, "https://evil.org/a.example", "base_urls.allow"},
		"a host as a user": {"[base_urls]\nallow=['https://a.example']", "",
			policy.BaseURLs, "https://a.example@evil.org/", "base_urls.allow"},
		"a host alone": {"[base_urls]\ndeny=['evil.org']", "",
			policy.BaseURLs, "http://Evil.org.:80/v1?key=1", "base_urls.deny[1]"},
		"the usual port": {"[base_urls]\nallow=['https://a.example']", "",
			policy.BaseURLs, "https://a.example:443/v1", ""},
		"this machine": {"[base_urls]\nallow=['http://localhost:*']", "", policy.BaseURLs, "http://[::1]:8080/v1", ""},
		"up by dots": {"[base_urls]\nallow=['https://a.example/mine']", "",
			policy.BaseURLs, "https://a.example/mine/../x", "base_urls.allow"},
		"not an address": {"[base_urls]\nallow=['https://*']", "", policy.BaseURLs, "x", "base_urls.allow"},
		"a file": {"[context]\ndeny=['secrets/*']", "",
			policy.Context, "./docs/../secrets/a/b.md", "context.deny[1]"},
		"a file outside":    {"preset='safe'", "", policy.Context, "../x.md", "preset safe: context.deny[3]"},
		"a dot is a letter": {"[context]\ndeny=['a.md']", "", policy.Context, "abmd", ""},
	} {
		rule := parse(t, c.user, c.workspace).Decide(c.subject, c.thing)
		if c.rule != "" && !strings.Contains(c.rule, ":") && !strings.Contains(c.rule, " of ") {
			c.rule += " of " + own
		}
		if rule.Allowed != (c.rule == "") || c.rule != "" && rule.Name != c.rule {
			t.Errorf("%s: %+v, want %q", name, rule, c.rule)
		}
	}
}

func TestPolicy_TheLowestBoundHolds(t *testing.T) {
	p := parse(t, "[day]\ntokens=50\nusd=2.0", "[day]\ntokens=90\nusd=1.5\n[session]\ntokens=10")
	want := policy.Limit{Tokens: 50, USD: council.Dollars(1.5), TokensRule: "day.tokens of " + own,
		CostRule: "day.usd of " + cloned}
	check.Equal(t, "it", want, p.Limit(policy.PerDay))
	if b, rule := p.Narrow(council.Budget{Tokens: 20, Minutes: 3}); b.Tokens != 10 || b.Minutes != 3 || rule == "" {
		t.Errorf("%+v, %q", b, rule)
	}
	if b, rule := p.Narrow(council.Budget{Tokens: 5}); b.Tokens != 5 || rule != "" {
		t.Errorf("%+v, %q", b, rule)
	}
	rule, _ := p.Limit(policy.PerDay).Exceeded(50, 0)
	check.That(t, rule == "", "what fits is refused by %s", rule)
}

func TestPolicy_ContradictionsAreNamed(t *testing.T) {
	p := parse(t, "[models]\nallow=['x/y','x/z','*']\ndeny=['x/y']", "[members]\ndeny=['ada']")
	want := []string{`models.allow[1] of user.toml allows "x/y", and models.deny[1] of user.toml denies it: ` +
		"it is denied"}
	check.Equal(t, "it", want, p.Contradictions())
}

func TestPolicy_WhatIsKeptIsReadAgain(t *testing.T) {
	p := parse(t, "preset = 'safe'\n[redact]\npatterns = ['EMP-\\d+']", "[models]\ndeny = ['''it's''']")
	doc := check.Get(p.Encode())(t)
	again := check.Get(policy.Decode(doc))(t)
	if diff := cmp.Diff(p.Rules(), again.Rules()); diff != "" || len(p.Rules()) < 8 {
		t.Errorf("%d rules\n%s", len(p.Rules()), diff)
	}
}

func TestPolicy_ABoundInDollarsNeedsPrices(t *testing.T) {
	c := &council.Charter{Members: []council.Member{{ID: "ada", Model: council.Model{Provider: "openai", Model: "m"}}}}
	find := func(program string) string { return program }
	err := parse(t, "[day]\nusd = 1.0", "").Charter(c, find)
	if refused := check.As[*policy.RefusedError](t, err); refused.Rule != "day.usd of "+own {
		t.Error(err)
	}
}

// A line for the shell is decided on twice: whether the shell may be started, and the program that the line begins
// with.
func TestPolicy_ALineForTheShellIsDecidedOnByTheListOfPrograms(t *testing.T) {
	auth := &council.Auth{Method: "command", Command: council.Printer{Shell: "'op' read op://v/i | head -1"}}
	c := &council.Charter{Members: []council.Member{{ID: "ada", Model: council.Model{Provider: "openai", Auth: auth}}}}
	find := func(program string) string { return program }
	for rules, refused := range map[string]bool{
		"[programs]\nallow=['sh','op']": false, "[programs]\nallow=['op']": true, "[programs]\nallow=['sh']": true,
		"[programs]\ndeny=['op']": true, "[programs]\ndeny=['sh']": true,
	} {
		err := parse(t, rules, "").Charter(c, find)
		check.That(t, errors.Is(err, policy.ErrRefused) == refused, "%s: %v", rules, err)
	}
}
