// Package charter checks whether a charter can open a session, and bounds how long a session under it can be.
package charter

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/names"
)

// The bounds of a charter. They are far beyond any council that people would read, and keep every session finite.
const (
	MinMembers          = 3
	MaxMembers          = 99
	MaxPhases           = 100
	MaxRounds           = 1000 // of one phase
	MaxPhaseTransitions = 1000
	MaxRevisionRounds   = 100
	MaxAmendments       = 20 // voted on for one motion
	MaxMinCitations     = 1000
	MaxSections         = 100 // of the document
)

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check returns the [Problems] of a charter as an error, joined when there are several.
func Check(charter *council.Charter) error { return problems(Problems(charter)).err() }

// Problems lists everything that keeps a charter from opening a session, in the order of the charter. No message
// quotes a value that may be a secret. It expects every default to be filled in.
func Problems(charter *council.Charter) []*council.CharterError {
	c := checker{charter}
	var p problems
	p.text("/councilName", c.CouncilName)
	p.text("/purpose", c.Purpose)
	c.checkPolicy(&p)
	if i, problem := council.OptionProblem(c.Options); len(c.Options) > 0 && problem != "" {
		p.add(fmt.Sprintf("/options/%d", i), "%s", problem)
	}
	c.checkPhases(&p)
	c.checkOutput(&p)
	c.checkDeliberation(&p)
	c.checkMoney(&p)
	c.checkMembers(&p)
	p.text("/storage/rootDir", c.Storage.RootDir)
	p.text("/storage/memoryDir", c.Storage.MemoryDir)
	p.text("/execution/defaultExecutorProfile", c.Execution.DefaultExecutorProfile)
	return p
}

type checker struct{ *council.Charter }

func (c checker) checkPolicy(p *problems) {
	policy := c.SessionPolicy
	if policy.EntryPhaseID == "" {
		p.add("/sessionPolicy/entryPhaseId", "it must name the phase in which the session begins")
	} else if c.Phase(policy.EntryPhaseID) == nil {
		p.add("/sessionPolicy/entryPhaseId", "there is no phase %q", policy.EntryPhaseID)
	}
	p.between("/sessionPolicy/maxPhaseTransitions", policy.MaxPhaseTransitions, 1, MaxPhaseTransitions)
	oneOf(p, "/sessionPolicy/phaseContextVerbosity", policy.PhaseContextVerbosity,
		council.VerbosityMinimal, council.VerbosityStandard, council.VerbosityFull)
}

func (c checker) checkOutput(p *problems) {
	oneOf(p, "/output/type", c.Output.Type, council.OutputNone, council.OutputDocumentation)
	review := c.DocumentationReview
	p.between("/documentationReview/maxRevisionRounds", review.MaxRevisionRounds, 0, MaxRevisionRounds)
	if review.Governance != nil {
		c.checkGovernance(p, "/documentationReview/governance", *review.Governance)
	}
	p.refuse(len(review.Sections) > MaxSections, "/documentationReview/sections",
		"a document has at most %d sections, not %d", MaxSections, len(review.Sections))
	seen := map[string]bool{}
	for i, section := range review.Sections {
		at := fmt.Sprintf("/documentationReview/sections/%d", i)
		p.text(at, section)
		p.unique(at, "section", strings.ToLower(strings.TrimSpace(section)), seen)
		p.refuse(strings.ContainsAny(section, "\r\n"), at, "a section's heading stands on one line")
	}
}

func (c checker) checkGovernance(p *problems, at string, g council.Governance) {
	p.refuse(!g.MajorityThreshold.Valid(), at+"/majorityThreshold",
		`it must be more than 0 and at most 1, a number or a fraction such as "2/3", not %q`, g.MajorityThreshold)
	oneOf(p, at+"/countOf", g.CountOf, quorum.Members, quorum.Present, quorum.Cast)
	p.between(at+"/maxAmendments", g.MaxAmendments, 0, MaxAmendments)
	p.refuse(g.Quorum < 0 || g.Quorum > len(c.Members), at+"/quorum",
		"it must be at most the number of members, %d, or 0 for a majority of them, not %d", len(c.Members), g.Quorum)
}

type problems []*council.CharterError

// err joins several problems, and returns a single one as it is.
func (p problems) err() error {
	if len(p) == 1 {
		return p[0]
	}
	return errors.Join(council.Map(p, func(one *council.CharterError) error { return one })...)
}

func (p *problems) add(pointer, format string, args ...any) {
	*p = append(*p, &council.CharterError{Pointer: pointer, Problem: fmt.Sprintf(format, args...)})
}

func (p *problems) refuse(wrong bool, pointer, format string, args ...any) {
	if wrong {
		p.add(pointer, format, args...)
	}
}

func (p *problems) text(pointer, text string) {
	p.refuse(strings.TrimSpace(text) == "", pointer, "it must not be empty")
}

func (p *problems) between(pointer string, n, low, high int) {
	p.refuse(n < low || n > high, pointer, "it must be between %d and %d, not %d", low, high, n)
}

func (p *problems) notNegative(pointer string, f float64) {
	p.refuse(!(f >= 0) || math.IsInf(f, 0), pointer, "it must be 0 (for none) or more, not %v", f)
}

func oneOf[S ~string](p *problems, pointer string, value S, allowed ...S) {
	words, last := council.Strings(allowed), len(allowed)-1
	p.refuse(!slices.Contains(allowed, value), pointer, "it must be %s or %s, not %q",
		strings.Join(words[:last], ", "), words[last], value)
}

// unique reports a name that was seen before, and remembers it.
func (p *problems) unique(pointer, what, name string, seen map[string]bool) {
	p.refuse(seen[name] && name != "", pointer, "there is more than one %s %q", what, name)
	seen[name] = true
}

const minSeats = 2 // at the pace auto

// checkDeliberation checks that the stances exist which its settings need.
func (c checker) checkDeliberation(p *problems) {
	d := c.Deliberation
	if d.Pace != "" {
		oneOf(p, "/deliberation/pace", d.Pace,
			council.PaceAuto, council.PaceQuick, council.PaceStandard, council.PaceThorough, council.PaceWritten)
	}
	c.checkNamed(p, "/deliberation/spares", d.Spares)
	p.refuse(len(d.Spares) > 0 && !c.IsAuto(), "/deliberation/spares", "only pace auto has spares")
	p.refuse(len(d.Spares) > 0 && len(c.Seats()) < minSeats, "/deliberation/spares",
		"at least %d members must sit", minSeats)
	p.refuse(d.ElectWithPositions && !d.SealedPositions, "/deliberation/electWithPositions",
		"there are no positions to elect with; set sealedPositions too")
	p.refuse(d.ContestedOnly && !(d.Stances && d.SealedPositions), "/deliberation/contestedOnly",
		"whether anything is contested shows in the stances of sealed positions; set sealedPositions and stances too")
}

func (c checker) checkMoney(p *problems) {
	p.notNegative("/budget/tokens", float64(c.Budget.Tokens))
	p.notNegative("/budget/usd", c.Budget.USD)
	p.notNegative("/budget/minutes", c.Budget.Minutes)
	p.refuse(len(c.Prices) > council.MaxRates, "/prices",
		"there are at most %d prices, not %d", council.MaxRates, len(c.Prices))
	for i := range c.Prices {
		for _, found := range c.Prices[i].Problems() {
			p.add(fmt.Sprintf("/prices/%d/%s", i, found.Field), "%s", found.Text)
		}
	}
}

func (c checker) checkMembers(p *problems) {
	switch n := len(c.Members); {
	case n < MinMembers:
		p.add("/members", "a council needs at least %d members, not %d", MinMembers, n)
	case n > MaxMembers:
		p.add("/members", "a council has at most %d members, not %d", MaxMembers, n)
	case n%2 == 0 && !slices.ContainsFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Person }):
		p.add("/members", "a council without a person needs an odd number of members, so that votes do not tie, not %d", n)
	}
	seen := map[string]bool{}
	for i, m := range c.Members {
		at := fmt.Sprintf("/members/%d", i)
		p.refuse(!m.ID.Valid(), at+"/id",
			"an id is 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit, not %q", m.ID)
		p.refuse(m.ID == council.Convener, at+"/id",
			"%q is the id of the person who convened the council: give the member another", m.ID)
		p.unique(at+"/id", "member", string(m.ID), seen)
		p.text(at+"/name", m.Name)
		p.text(at+"/role", m.Role)
		if m.SystemPromptFile == "" {
			p.text(at+"/systemPrompt", m.SystemPrompt)
		}
		for j, trait := range m.Traits {
			p.text(fmt.Sprintf("%s/traits/%d", at, j), trait)
		}
		for _, topic := range slices.Sorted(maps.Keys(m.FocusWeights)) {
			if w := m.FocusWeights[topic]; math.IsNaN(w) || math.IsInf(w, 0) {
				p.add(at+"/focusWeights/"+council.PointerPart(topic), "a weight must be a finite number")
			}
		}
		checkModel(p, at+"/model", m.Model)
		checkTools(p, at+"/tools", m)
	}
	c.checkAlike(p)
	c.checkTurnOrder(p)
}

// checkAlike refuses names and ids that readers would take for those of another member.
func (c checker) checkAlike(p *problems) {
	type called struct {
		what, name string
		member     int
	}
	seen := map[string]called{} // by kind and key
	for i, m := range c.Members {
		id, name := called{"id", string(m.ID), i}, called{"name", m.Name, i}
		for _, this := range []called{id, name} {
			at := fmt.Sprintf("/members/%d/%s", i, this.what)
			if !names.Seen(this.name) {
				p.refuse(strings.TrimSpace(this.name) != "", at,
					"no character of %s is visible; give the member a name that people can read", quoteName(this.name))
				continue
			}
			keys := names.Keys(this.name)
			for _, key := range []string{this.what + keys[0], this.what + keys[1], "id" + keys[0], "id" + keys[1],
				"name" + keys[0], "name" + keys[1]} {
				if other, taken := seen[key]; taken && other.member != i && (this.what != "id" || this.name != other.name) {
					p.add(at, "the %s %s looks like %s, the %s of member %q, so one could be taken for the other: change one of them",
						this.what, quoteName(this.name), quoteName(other.name), other.what, c.Members[other.member].ID)
					break
				}
			}
			for _, key := range keys {
				if _, taken := seen[this.what+key]; !taken {
					seen[this.what+key] = this
				}
			}
		}
	}
}

// quoteName returns a name in quotation marks, with its unusual characters by their numbers as well.
func quoteName(name string) string {
	plain, numbered := strconv.Quote(name), strconv.QuoteToASCII(name)
	if plain == numbered {
		return plain
	}
	return plain + " (" + strings.Trim(numbered, `"`) + ")"
}

// checkTurnOrder holds the turn order to be a permutation of the members.
func (c checker) checkTurnOrder(p *problems) {
	c.checkNamed(p, "/turnOrder", c.TurnOrder)
	for _, m := range c.Members {
		p.refuse(len(c.TurnOrder) > 0 && !slices.Contains(c.TurnOrder, m.ID), "/turnOrder",
			"member %q has no place in it", m.ID)
	}
}

// checkNamed refuses a list that names somebody else than a member, or one twice.
func (c checker) checkNamed(p *problems, at string, members []council.MemberID) {
	for i, id := range members {
		where := fmt.Sprintf("%s/%d", at, i)
		p.refuse(c.Member(id) == nil, where, "there is no member %q", id)
		p.refuse(slices.Contains(members[:i], id), where, "member %q is named twice", id)
	}
}

// The widest bounds that a charter may set for tools, and the narrowest of a result.
const (
	maxToolCalls        = 50
	maxSessionToolCalls = 10_000
	maxToolBytes        = 256 << 10
	minToolBytes        = 1 << 10
	maxToolTimeout      = 600 // seconds
	maxToolServers      = 16
	maxAllowedTools     = 64 // of one server
)

var (
	serverName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	toolName   = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)
)

func checkTools(p *problems, at string, m council.Member) {
	t := m.Tools
	if t == nil {
		return
	}
	why := m.Model.Kind().NoTools
	p.refuse(why != "", at, "%s", why)
	p.refuse(t.Workspace == nil && len(t.MCP) == 0, at, "it names no tools: give it a workspace or mcp, or leave it out")
	p.between(at+"/mcp", len(t.MCP), 0, maxToolServers)
	names := map[string]bool{"workspace": true}
	for i := range t.MCP {
		checkToolServer(p, fmt.Sprintf("%s/mcp/%d", at, i), &t.MCP[i], names)
	}
	p.refuse(t.AllowWrites && len(t.MCP) == 0, at+"/allowWrites",
		"it has no effect without mcp: the workspace is only read")
	p.between(at+"/maxCalls", t.MaxCalls, 0, maxToolCalls)
	p.between(at+"/maxSessionCalls", t.MaxSessionCalls, 0, maxSessionToolCalls)
	if t.MaxBytes != 0 {
		p.between(at+"/maxBytes", t.MaxBytes, minToolBytes, maxToolBytes)
	}
	p.refuse(!(t.TimeoutSeconds >= 0 && t.TimeoutSeconds <= maxToolTimeout), at+"/timeoutSeconds",
		"it must be between 0 (for the default) and %d, not %v", maxToolTimeout, t.TimeoutSeconds)
}

func checkToolServer(p *problems, at string, s *council.ToolServer, names map[string]bool) {
	if !serverName.MatchString(s.Name) {
		p.add(at+"/name", "a server's name is 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or a digit, not %q",
			s.Name)
	} else {
		p.unique(at+"/name", "source of tools", s.Name, names)
	}
	p.refuse((s.Command == nil) == (s.URL == ""), at, "it needs either a command, for a program that is started, or a url")
	p.refuse(s.URL != "" && s.Env != nil, at+"/env", "it has no effect with url: no program is started")
	const program = "it has no effect with command: name in env the variables that the program is to be given"
	p.refuse(s.URL == "" && s.APIKeyEnv != "", at+"/apiKeyEnv", program)
	p.refuse(s.URL == "" && s.Auth != nil, at+"/auth", program)
	p.refuse(s.URL == "" && s.Headers != nil, at+"/headers", program)
	checkEnvs(p, at+"/env", s.Env)
	p.between(at+"/allow", len(s.Allow), 1, maxAllowedTools)
	for i, name := range s.Allow {
		where := fmt.Sprintf("%s/allow/%d", at, i)
		p.refuse(!toolName.MatchString(name), where,
			"a tool's name is 1 to 128 of A-Z, a-z, 0-9, _, -, . and /, not %q", name)
		p.refuse(slices.Contains(s.Allow[:i], name), where, "the tool %q is named twice", name)
	}
	if s.Command != nil {
		checkCommand(p, at+"/command", s.Command)
	}
	checkAddress(p, at+"/url", s.URL)
	checkEnv(p, at+"/apiKeyEnv", s.APIKeyEnv)
	if s.Auth != nil {
		checkAuth(p, at+"/auth", *s.Auth)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		checkHeader(p, at+"/headers/"+council.PointerPart(name), name, s.Headers[name])
	}
}
