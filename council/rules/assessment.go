package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// judge holds the leader's assessment against the charter and the record. What is claimed counts only where it cites
// something that exists; what is not shown is missing.
func (s *Session) judge(end *council.PhaseEnded) {
	if !toAssess(s.phase) {
		return
	}
	var a council.Assessment
	if s.assessment != nil {
		a = *s.assessment
	}
	cites := citations{session: s}
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
			if strings.EqualFold(strings.TrimSpace(c.ID), strings.TrimSpace(name)) {
				return c
			}
		}
	}
	return council.Claim{}
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
	session   *Session
	good, bad []string // each once, in order of appearance
}

// check returns those of the given citations that exist.
func (c *citations) check(cited []string) []string {
	var exist []string
	for _, cite := range cited {
		cite = strings.TrimSpace(cite)
		list := &c.bad
		if c.session.cites(cite) {
			list = &c.good
			exist = append(exist, cite)
		}
		if !slices.Contains(*list, cite) {
			*list = append(*list, cite)
		}
	}
	return exist
}

// cites reports whether a citation names an event of the log ("e12"), a document, or lines of one
// ("README.md:12", "README.md:12-15").
func (s *Session) cites(cite string) bool {
	if number, ok := strings.CutPrefix(strings.ToLower(cite), "e"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			return n >= 1 && n <= len(s.log)
		}
	}
	for _, d := range s.topic.Documents {
		if cite == d.Name {
			return true
		}
		if lines, ok := strings.CutPrefix(cite, d.Name+":"); ok && linesExist(lines, d.Text) {
			return true
		}
	}
	return false
}

func linesExist(lines, text string) bool {
	from, to, ranged := strings.Cut(lines, "-")
	first, err := strconv.Atoi(from)
	if err != nil {
		return false
	}
	last := first
	if ranged {
		if last, err = strconv.Atoi(to); err != nil {
			return false
		}
	}
	return 1 <= first && first <= last && last <= 1+strings.Count(strings.TrimSuffix(text, "\n"), "\n")
}
