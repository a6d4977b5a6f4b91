package render

import (
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// writeAssessment shows what the leader claimed of the phase beside what the record bears out.
func (t *Transcript) writeAssessment(p *page, end council.PhaseEnded) {
	s := &t.session
	v := s.Visit()
	if v == nil || v.Assessment == nil && len(end.Deliverables)+len(end.QualityGates)+len(end.Missing) == 0 {
		return
	}
	var said council.Assessment
	if v.Assessment != nil {
		said = s.Marked(*v.Assessment).Payload.(council.PhaseAssessed).Assessment
		p.heading(3, "Assessment by "+s.speaker(v.Assessment.Actor), v.Assessment.Seq)
		p.block("A deliverable or gate is complete when its claim cites something that is in the record.")
	} else {
		p.heading(3, "Assessment", 0)
		p.block("Nobody assessed the phase, so nothing counts as shown.")
	}
	t.writeFindings(p, "Deliverable", end.Deliverables, said.Deliverables)
	t.writeFindings(p, "Quality gate", end.QualityGates, said.QualityGates)
	if len(inlines(said.Assumptions)) > 0 {
		p.block("The leader assumes:")
		p.quoteList(said.Assumptions)
	}
	if len(inlines(said.Constraints)) > 0 {
		p.block("Constraints that any solution must respect, says the leader:")
		p.quoteList(said.Constraints)
	}
	var risks [][]string
	for _, r := range said.Risks {
		risks = append(risks, []string{cell(r.Risk, v.Assessment.Seq), cell(r.Mitigation, v.Assessment.Seq)})
	}
	p.table([]string{"Risk that the leader sees", "Its mitigation, says the leader"}, risks)
	if cited := quotations(said.Citations); cited != "" {
		p.say("Evidence cited for the phase as a whole: %s.", cited)
	}
	if missing := inlines(end.Missing); len(missing) > 0 {
		p.say("**Missing:** %s.", strings.TrimSuffix(strings.ReplaceAll(strings.Join(missing, "; "), ".;", ";"), "."))
	} else {
		p.block("Nothing that the charter requires is missing.")
	}
	if bad := quotations(end.BadCites); bad != "" {
		p.say("**Cited, but not in the record:** %s.", bad)
	}
}

func (t *Transcript) writeFindings(p *page, what string, findings []council.Finding, claims []council.Claim) {
	var rows [][]string
	for i, f := range findings {
		name := hostile.Inline(f.ID)
		if d := t.deliverable(f.ID); d != nil && what == "Deliverable" {
			name += ": " + hostile.Inline(d.Description)
			if !f.Required {
				name += " (optional)"
			}
		}
		claim := ""
		for _, c := range claims {
			if sameClaim(c.ID, f.ID, i) {
				claim = cell(c.Claim, t.session.Visit().Assessment.Seq)
				if !c.Met {
					claim = strings.TrimSpace(claim + " *(not met, says the leader)*")
				}
				break
			}
		}
		rows = append(rows, []string{
			name, hostile.Inline(strings.ToLower(string(f.Status))),
			orNone(claim), orNone(strings.Join(inlines(f.Citations), ", ")),
		})
	}
	p.table([]string{what, "Status", "The leader's claim", "Evidence found"}, rows)
}

func (t *Transcript) deliverable(id string) *council.Deliverable {
	ph := t.session.Started.Charter.Phase(t.session.Visit().Phase)
	if ph == nil {
		return nil
	}
	for i := range ph.Deliverables {
		if ph.Deliverables[i].ID == id {
			return &ph.Deliverables[i]
		}
	}
	return nil
}

// sameClaim reports whether a claim is about the finding at the given index: by its id, or as "gate-2" by its place.
func sameClaim(claim, finding string, index int) bool {
	claim = strings.TrimSpace(claim)
	return strings.EqualFold(claim, strings.TrimSpace(finding)) ||
		strings.EqualFold(claim, "gate-"+strconv.Itoa(index+1))
}

func orNone(cell string) string {
	if cell == "" {
		return "none"
	}
	return cell
}
