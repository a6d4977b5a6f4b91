package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
)

// judge holds the leader's assessment against the charter and the record. What is claimed counts only where it cites
// something that exists; what is not shown is missing.
func (s *Session) judge(end *council.PhaseEnded) {
	if !Assesses(s.phase) {
		return
	}
	var a council.Assessment
	if s.assessment != nil {
		a = *s.assessment
	}
	cites := s.cited()
	cites.check(a.Citations)
	for _, d := range s.phase.Deliverables {
		f := finding(d.ID, d.Required, claimOn(a.Deliverables, d.ID), &cites)
		end.Deliverables = append(end.Deliverables, f)
		if f.Required && f.Status == council.FindingMissing {
			end.Missing = append(end.Missing, "deliverable "+d.ID)
		}
	}
	for i, gate := range s.phase.QualityGates {
		f := finding(gate, true, claimOn(a.QualityGates, gate, "gate-"+strconv.Itoa(i+1)), &cites)
		end.QualityGates = append(end.QualityGates, f)
		if f.Status == council.FindingMissing {
			end.Missing = append(end.Missing, "quality gate: "+gate)
		}
	}
	need := s.phase.EvidenceRequirements
	if n := len(cites.good); n < need.MinCitations {
		end.Missing = append(end.Missing, "citations: "+strconv.Itoa(n)+" of "+strconv.Itoa(need.MinCitations))
	}
	if need.RequireExplicitAssumptions && len(a.Assumptions) == 0 {
		end.Missing = append(end.Missing, "explicit assumptions")
	}
	if need.RequireRiskRegister && len(a.Risks) == 0 {
		end.Missing = append(end.Missing, "risk register")
	}
	end.BadCites = cites.bad
}

func claimOn(claims []council.Claim, names ...string) council.Claim {
	for _, c := range claims {
		for _, name := range names {
			if strings.EqualFold(plain(c.ID), plain(name)) {
				return c
			}
		}
	}
	return council.Claim{}
}

// plain returns the name of what is claimed without marks at its ends and with single spaces.
func plain(name string) string {
	return strings.Join(strings.Fields(strings.Trim(name, " \t\n.;:!*\"'`“”")), " ")
}

func finding(id string, required bool, c council.Claim, cites *citations) council.Finding {
	f := council.Finding{ID: id, Status: council.FindingMissing, Required: required, Citations: cites.check(c.Citations)}
	if c.Met && len(f.Citations) > 0 {
		f.Status = council.FindingComplete
	}
	return f
}

// citations sorts what an assessment cites into what exists and what does not.
type citations struct {
	given     *citation.Given
	at        citation.Moment
	good, bad []string // each once, in order of appearance
}

// cited begins to check the citations of the phase's assessment.
func (s *Session) cited() citations {
	c := citations{given: citation.NewGiven(), at: citation.Moment{AsOf: council.Seq(len(s.log))}}
	for _, e := range s.log {
		c.given.Take(e)
		if p, ok := e.Payload.(council.PhaseAssessed); ok && s.charter.Deliberation.MarkCitations {
			c.at = citation.Moment{AsOf: p.AsOf, Event: e.Seq}
		}
	}
	return c
}

// check returns those of the given citations that exist.
func (c *citations) check(cited []string) []string {
	var exist []string
	for _, entry := range cited {
		for _, cite := range c.given.Alone(entry, c.at) {
			list := &c.bad
			if cite.Fault == "" {
				list = &c.good
				exist = append(exist, cite.Text)
			}
			if !slices.Contains(*list, cite.Text) {
				*list = append(*list, cite.Text)
			}
		}
	}
	return exist
}
