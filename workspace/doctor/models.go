package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/council/member/tools"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/seat"
)

// model is one model of a council, of all members who have it as their own or as a fallback.
type model struct {
	council.Model // without its fallbacks
	members       []council.MemberID
	places        []*council.Model // in the charter
	at            string           // the first of them, as a JSON pointer

	asked        bool
	probe.Report // when it was asked; its window also when its server was
}

func (x *exam) enrol() {
	known := map[string]*model{}
	x.chains = map[council.MemberID][]*model{}
	for _, id := range x.c.Seats() {
		i := slices.IndexFunc(x.c.Members, func(m council.Member) bool { return m.ID == id })
		own := &x.c.Members[i].Model
		for j := range len(own.Fallbacks) + 1 {
			one, at := own, fmt.Sprintf("/members/%d/model", i)
			if j > 0 {
				one, at = &own.Fallbacks[j-1], fmt.Sprintf("%s/fallbacks/%d", at, j-1)
			}
			alone := *one
			alone.Fallbacks = nil
			key := council.CompactJSON(alone)
			m := known[key]
			if m == nil {
				m = &model{Model: alone, at: at}
				known[key], x.models = m, append(x.models, m)
			}
			if m.places = append(m.places, one); !slices.Contains(m.members, id) {
				m.members = append(m.members, id)
			}
			x.chains[id] = append(x.chains[id], m)
		}
	}
}

// findOf adds a finding about a field of a model, or about all of it. A finding that would stop the council only costs
// where another model answers for each of its members: the first that is not missing or down.
func (x *exam) findOf(m *model, row, field string, args ...any) *Finding {
	f := x.find(row, strings.TrimSuffix(m.at+"/"+field, "/"), args...)
	f.Members = m.members
	needed := func(id council.MemberID) bool {
		chain := x.chains[id]
		i := slices.IndexFunc(chain, func(one *model) bool {
			return one.Trouble == "" && (one.Fault == nil || !member.IsUnavailable(one.Fault.Kind))
		})
		return i < 0 || chain[i] == m
	}
	if f.Severity == Stops && !slices.ContainsFunc(m.members, needed) {
		f.Severity = Costs
	}
	return f
}

// Bounds of a reply, in tokens, within which hardly any summary or assessment of a leader, and hardly any draft, fits.
const (
	shortReply = 1000
	shortDraft = 2000
)

// checkModels looks at the models as they are configured. With seats it seats each once, without a call.
func (x *exam) checkModels(seats bool) {
	for _, m := range x.models {
		empty := x.checkVariables(m)
		x.checkAddress(m)
		cut := plural.Things(m.MaxTokens, "token")
		switch { // any member may be elected, and then writes as a leader
		case m.MaxTokens == 0:
		case m.MaxTokens < shortReply:
			x.findOf(m, "replies-short", "maxTokens", cut, 2*shortReply)
		case m.MaxTokens < shortDraft && x.c.Output.Type == council.OutputDocumentation:
			x.findOf(m, "replies-short:draft", "maxTokens", cut, 2*shortDraft)
		}
		if billions, named := parameters(m.Model.Model); named && billions < 1 { // docs/members.md describes such models
			x.findOf(m, "model-small", "model", m.Name())
		}
		if !seats {
			continue
		}
		_, leave, err := x.seat(m.Model, nil)
		leave()
		switch {
		case err == nil:
		case !errors.Is(err, member.ErrNoKey):
			x.findOf(m, "seat", "", err).Severity = Stops
		case !empty: // else it was said why there is none
			x.findOf(m, "credential", "", err).Severity = Stops
		}
	}
}

var sizeInName = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])([0-9]{1,4}(?:\.[0-9]{1,2})?)([mb])(?:[^a-z0-9]|$)`)

// parameters returns how many billions of parameters a model has by its name, such as 0.5 for qwen2.5:0.5b.
func parameters(model string) (billions float64, isNamed bool) {
	found := sizeInName.FindStringSubmatch(model)
	if found == nil {
		return 0, false
	}
	billions, err := strconv.ParseFloat(found[1], 64)
	if strings.EqualFold(found[2], "m") {
		billions /= 1000
	}
	return billions, err == nil
}

// variable is an environment variable of a model, and the field that names it: "" where its provider does.
type variable struct{ name, field string }

// isSecret reports whether the variable must hold a key: a program may be given any text.
func (v variable) isSecret() bool { return !strings.HasPrefix(v.field, "env/") }

func variables(m council.Model) []variable {
	var all []variable
	add := func(name, field string) {
		if name != "" && !slices.ContainsFunc(all, func(v variable) bool { return v.name == name }) {
			all = append(all, variable{name, field})
		}
	}
	if m.Auth != nil {
		add(m.Auth.APIKeyEnv, "auth/apiKeyEnv")
	}
	add(m.APIKeyEnv, "apiKeyEnv")
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		for _, variable := range member.Variables(m.Headers[name]) {
			add(variable, "headers/"+name)
		}
	}
	for i, name := range m.Env {
		add(name, fmt.Sprintf("env/%d", i))
	}
	add(credential.Variable(m), "")
	return all
}

// checkVariables checks the environment variables of a model, and reports whether one is set but empty.
func (x *exam) checkVariables(m *model) (empty bool) {
	for _, v := range variables(m.Model) {
		value := x.Getenv(v.name)
		if value == "" && !x.IsSet(v.name) {
			continue // whether it is needed is found by seating the member
		}
		key := strings.TrimSpace(value)
		switch {
		case key == "" && (v.isSecret() || value == ""):
			empty = true
			x.findOf(m, "variable-empty", v.field, v.name).Severity = Stops
		case !v.isSecret():
		case strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
			x.findOf(m, "variable-broken:blank", v.field, v.name)
		case strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII }):
			x.findOf(m, "variable-broken:character", v.field, v.name)
		case strings.Trim(key, `"'`) != key:
			x.findOf(m, "variable-quoted", v.field, v.name)
		}
	}
	return empty
}

// versionPart matches a part of a path that says which version of a protocol it is.
var versionPart = regexp.MustCompile(`^v\d+[a-z0-9]*$`)

func (x *exam) checkAddress(m *model) {
	u, err := url.Parse(m.BaseURL)
	if err != nil {
		return // it cannot be seated
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i := range len(parts) - 1 {
		a, b := parts[i], parts[i+1]
		if b != "" && a == b || versionPart.MatchString(a) && versionPart.MatchString(b) {
			if f := x.findOf(m, "address-doubled", "baseUrl", u.Path, a, b); len(m.places[0].Fallbacks) > 0 {
				f.Severity = Costs
			}
			break
		}
	}
	if host, clear := inTheClear(m.Model); clear {
		x.findOf(m, "key-in-the-clear", "baseUrl", host)
	}
}

// inTheClear reports whether a secret is sent to a host in such a way that everybody between could read it.
func inTheClear(m council.Model) (host string, clear bool) {
	u, err := url.Parse(m.BaseURL)
	if err != nil || u.Scheme != "http" || member.Loopback(m.BaseURL) {
		return "", false
	}
	return u.Host, m.Auth != nil || slices.ContainsFunc(variables(m), variable.isSecret)
}

// checkTools looks whether members can be given their tools and, unless offline, servers have them. It calls none.
func (x *exam) checkTools(ctx context.Context) {
	looked := map[string][]tools.Trouble{}
	for i := range x.c.Members {
		m := &x.c.Members[i]
		if m.Tools == nil {
			continue
		}
		find := func(row, field string, args ...any) {
			x.find(row, fmt.Sprintf("/members/%d/tools%s", i, field), args...).Members = []council.MemberID{m.ID}
		}
		for j := range m.Tools.MCP {
			if host, clear := inTheClear(credential.Caller(&m.Tools.MCP[j])); clear {
				find("key-in-the-clear:token", fmt.Sprintf("/mcp/%d/url", j), host)
			}
		}
		box, err := seat.RosterOf(x.World, x.c.Storage.RootDir).Kit(x.c, m)
		switch {
		case errors.Is(err, member.ErrNoKey):
			find("credential:tools", "", err)
		case err != nil:
			find("tools", "", err)
		case box != nil && !x.Offline && ctx.Err() == nil:
			same := council.CompactJSON(m.Tools)
			if _, known := looked[same]; !known {
				looked[same] = box.Look(ctx)
			}
			box.Close()
			for _, t := range looked[same] {
				if t.Tool < 0 {
					find("tool-server", fmt.Sprintf("/mcp/%d", t.Server), t.Words)
				} else {
					find("tool", fmt.Sprintf("/mcp/%d/allow/%d", t.Server, t.Tool), t.Words)
				}
			}
		}
	}
}
