package paper

import "testing"

func TestPartOf(t *testing.T) {
	for title, want := range map[string]part{
		"Summary": partSummary, "Question": partContext, "Context": partContext, "Answer": partDecision, "Decision": partDecision,
		"Reasons": partReasons, "Why this and not that": partReasons, "Alternatives": partOptions, "Options considered": partOptions,
		"Risks and mitigations": partRisks, "Threats": partRisks, "Accepted risks": partAccepted, "Consequences": partConsequences,
		"What happens next": partPlan, "Next steps": partPlan, "Required changes": partPlan, "Verification": partAcceptance,
		"Open questions": partOpen, "Scope and assets": partScope, "Trust boundaries and assumptions": partScope,
		"Must change before merging": partPlan, "Tests": partAcceptance, "What was not reviewed": partOpen, "How it happened": partReasons,
		"What made it worse": partRisks, "Actions": partPlan, "What we still do not know": partOpen, "What is known": partEvidence,
		"The bet": partReasons, "First release": partPlan, "How we shall know": partAcceptance, "How it would fail": partRisks,
		"Checkpoints": partAcceptance, "Opinion": partDecision, "Choice": partDecision, "Conditions": partPlan, "Offers": partOptions,
		"Names not chosen": partOptions, "Moving over": partPlan, "What the change does": partConsequences,
		"Dissent": partDissent, "Controls in place": partOther, "Zusammenfassung": partOther, "": partOther,
	} {
		if got := partOf(title); got != want {
			t.Errorf("%q is for %s, not %s", title, got, want)
		}
	}
}

func TestHeadingsAreNotFoundInCode(t *testing.T) {
	got := headings("# T\n\n## One\n\ntext\n\n```\n## Not one\n```\n\n## Two\n\nmore\n")
	if len(got) != 2 || got[0].title != "One" || got[1].title != "Two" {
		t.Errorf("the headings are %+v", got)
	}
}
