// Package charter checks whether a charter can open a session, and bounds how long a session under it can be.
package charter

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
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

// Problems lists everything that keeps a charter from opening a session, in the order of the charter. No message quotes
// a value that may be a secret. It expects every default to be filled in.
func Problems(charter *council.Charter) []*council.CharterError {
	c := checking{charter}
	var p problems
	p.text("/councilName", c.CouncilName)
	p.text("/purpose", c.Purpose)
	c.checkPolicy(&p)
	c.checkOptions(&p, "", c.Options)
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

// checking is a charter that is looked through.
type checking struct{ *council.Charter }

func (c checking) checkPolicy(p *problems) {
	policy := c.SessionPolicy
	if policy.EntryPhaseID == "" {
		p.add("/sessionPolicy/entryPhaseId", "it must name the phase in which the session begins")
	} else if c.Phase(policy.EntryPhaseID) == nil {
		p.add("/sessionPolicy/entryPhaseId", "there is no phase %q", policy.EntryPhaseID)
	}
	p.between("/sessionPolicy/maxPhaseTransitions", policy.MaxPhaseTransitions, 1, MaxPhaseTransitions)
	p.oneOf("/sessionPolicy/phaseContextVerbosity", string(policy.PhaseContextVerbosity),
		string(council.VerbosityMinimal), string(council.VerbosityStandard), string(council.VerbosityFull))
}

func (c checking) checkOutput(p *problems) {
	p.oneOf("/output/type", string(c.Output.Type), string(council.OutputNone), string(council.OutputDocumentation))
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

func (c checking) checkOptions(p *problems, at string, options []string) {
	if i, problem := council.OptionProblem(options); len(options) > 0 && problem != "" {
		p.add(fmt.Sprintf("%s/options/%d", at, i), "%s", problem)
	}
}

func (c checking) checkGovernance(p *problems, at string, g council.Governance) {
	p.refuse(!g.MajorityThreshold.Valid(), at+"/majorityThreshold",
		`it must be more than 0 and at most 1, a number or a fraction such as "2/3", not %q`, g.MajorityThreshold)
	p.oneOf(at+"/countOf", string(g.CountOf), string(quorum.Members), string(quorum.Present), string(quorum.Cast))
	p.between(at+"/maxAmendments", g.MaxAmendments, 0, MaxAmendments)
	p.refuse(g.Quorum < 0 || g.Quorum > len(c.Members), at+"/quorum",
		"it must be at most the number of members, %d, or 0 for a majority of them, not %d", len(c.Members), g.Quorum)
}

// problems collects what is wrong.
type problems []*council.CharterError

// err joins what was found; what is alone stands alone.
func (p problems) err() error {
	var all []error
	for _, one := range p {
		all = append(all, one)
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

func (p *problems) add(pointer, format string, args ...any) {
	*p = append(*p, &council.CharterError{Pointer: pointer, Problem: fmt.Sprintf(format, args...)})
}

// refuse adds a problem where something is wrong.
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

func (p *problems) oneOf(pointer, value string, allowed ...string) {
	if last := len(allowed) - 1; !slices.Contains(allowed, value) {
		p.add(pointer, "it must be %s or %s, not %q", strings.Join(allowed[:last], ", "), allowed[last], value)
	}
}

// unique reports a name that was seen before, and remembers it.
func (p *problems) unique(pointer, what, name string, seen map[string]bool) {
	p.refuse(seen[name] && name != "", pointer, "there is more than one %s %q", what, name)
	seen[name] = true
}

// checkDeliberation holds that what is contested can be told.
func (c checking) checkDeliberation(p *problems) {
	d := c.Deliberation
	if d.Pace != "" {
		p.oneOf("/deliberation/pace", string(d.Pace),
			string(council.PaceQuick), string(council.PaceStandard), string(council.PaceThorough))
	}
	p.refuse(d.ElectWithPositions && !d.SealedPositions, "/deliberation/electWithPositions",
		"there are no positions to elect with; set sealedPositions too")
	p.refuse(d.ContestedOnly && !(d.Stances && d.SealedPositions), "/deliberation/contestedOnly",
		"whether anything is contested shows in the stances of sealed positions; set sealedPositions and stances too")
}

// checkMoney holds the budget against itself and the prices.
func (c checking) checkMoney(p *problems) {
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
