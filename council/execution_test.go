package council_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// fold folds payloads in the order given.
func fold(log ...council.Payload) council.Handoff {
	var h council.Handoff
	for i, p := range log {
		h.Apply(council.Event{Seq: council.Seq(i + 1), Payload: p})
	}
	return h
}

// said is a summary with a brief.
func said(b council.Brief) council.Payload {
	return council.SummaryWritten{Summary: council.Summary{RequiresExecution: true, ExecutionBrief: &b},
		BriefSHA256: b.SHA256()}
}

func TestExecutionStatus(t *testing.T) {
	first, second := council.Brief{Objective: "one"}, council.Brief{Objective: "two"}
	approve := council.ExecutionApproved{By: "Grace", BriefSHA256: first.SHA256()}
	approveSecond := council.ExecutionApproved{By: "Grace", BriefSHA256: second.SHA256()}
	reject := council.ExecutionRejected{By: "Grace", BriefSHA256: first.SHA256(), Reason: "no"}
	amend := council.BriefAmended{By: "Grace", Brief: second, BriefSHA256: second.SHA256()}
	start := council.ExecutionStarted{By: "builder", BriefSHA256: first.SHA256()}
	finish := council.ExecutionFinished{Succeeded: true}
	type rulings []council.Payload
	cases := []struct {
		name     string
		free     bool // the charter asks for no approval
		withheld council.Withholding
		rulings  rulings
		want     council.ExecutionStatus
	}{
		{"nobody ruled", false, "", nil, council.ExecutionAwaitingApproval},
		{"no approval is asked for", true, "", nil, council.ExecutionCleared},
		{"approved", false, "", rulings{approve}, council.ExecutionPermitted},
		{"approval of another brief", false, "", rulings{approveSecond}, council.ExecutionAwaitingApproval},
		{"approval voided by an amendment", false, "", rulings{approve, amend}, council.ExecutionAwaitingApproval},
		{"amended and approved again", false, "", rulings{approve, amend, approveSecond}, council.ExecutionPermitted},
		{"approval of the brief before the amendment", false, "", rulings{amend, approve}, council.ExecutionAwaitingApproval},
		{"amended without need of approval", true, "", rulings{amend}, council.ExecutionAwaitingApproval},
		{"nobody voted on it", true, council.WithheldUnvoted, nil, council.ExecutionAwaitingApproval},
		{"it names nothing", true, council.WithheldUnnamed, nil, council.ExecutionWithheld},
		{"rejected", false, "", rulings{reject}, council.ExecutionRefused},
		{"approved, then rejected", false, "", rulings{approve, reject}, council.ExecutionRefused},
		{"rejected, then approved", false, "", rulings{reject, approve}, council.ExecutionPermitted},
		{"started", false, "", rulings{approve, start}, council.ExecutionUnderWay},
		{"started without approval", false, "", rulings{start}, council.ExecutionAwaitingApproval},
		{"start of another brief", false, "", rulings{amend, approveSecond, start}, council.ExecutionPermitted},
		{"finished without a start", false, "", rulings{approve, finish}, council.ExecutionPermitted},
		{"amended while under way", false, "", rulings{approve, start, amend}, council.ExecutionUnderWay},
		{"succeeded", false, "", rulings{approve, start, finish}, council.ExecutionSucceeded},
		{"failed", false, "", rulings{approve, start, council.ExecutionFinished{}}, council.ExecutionFailed},
		{"nothing was decided", true, council.WithheldUndecided, nil, council.ExecutionWithheld},
		{"adjourned", true, council.WithheldAdjourned, nil, council.ExecutionWithheld},
		{"for a motion that was lost", true, council.WithheldMotion, nil, council.ExecutionWithheld},
		{"withheld, and ruled on all the same", true, council.WithheldUndecided,
			rulings{amend, approve, start, finish, reject}, council.ExecutionWithheld},
		{"the document is not approved", true, council.WithheldDocument, nil, council.ExecutionAwaitingApproval},
		{"… and amended", true, council.WithheldDocument, rulings{amend}, council.ExecutionAwaitingApproval},
		{"… and approved by a person", true, council.WithheldDocument, rulings{approve}, council.ExecutionPermitted},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var ch council.Charter
			ch.Execution.RequireHumanApproval = !c.free
			h := fold(append([]council.Payload{
				council.SessionStarted{Charter: ch},
				said(first),
				council.SessionClosed{Outcome: council.Outcome{RequiresExecution: c.withheld == "", ExecutionWithheld: c.withheld}},
			}, c.rulings...)...)
			check.Is(t, "status", c.want, h.Status)
			check.Is(t, "an execution that is not withheld has no reason", h.Withheld.Why() == "", c.withheld == "")
		})
	}
}

// A log whose first event was erased does not say that approval is waived.
func TestExecution_OfAnErasedCharterAwaitsApproval(t *testing.T) {
	h := fold(nil, council.SessionClosed{Outcome: council.Outcome{RequiresExecution: true}})
	check.That(t, h.Status == council.ExecutionAwaitingApproval, "status %s", h.Status)
}

// A session that needs no execution has none, and an open one has none yet.
func TestNoExecution(t *testing.T) {
	brief := council.Brief{Objective: "one"}
	for name, h := range map[string]council.Handoff{
		"closed": fold(council.SessionStarted{}, council.SessionClosed{}),
		"open":   fold(council.SessionStarted{}, said(brief), council.ExecutionApproved{BriefSHA256: brief.SHA256()}),
	} {
		check.That(t, h.Status == council.ExecutionNotRequired && !h.HandedOff(), "%s: status %s", name, h.Status)
	}
}

func TestExecution_ABriefIsHeldUntilAPersonRules(t *testing.T) {
	brief := council.Brief{Objective: "one"}
	log := []council.Payload{
		said(brief),
		council.SessionClosed{Outcome: council.Outcome{ExecutionWithheld: council.WithheldDocument}},
	}
	h := fold(log...)
	check.Is(t, "held", council.WithheldDocument, h.Held())
	if h = fold(append(log, council.ExecutionApproved{BriefSHA256: brief.SHA256()})...); h.Held() != "" ||
		h.Withheld != council.WithheldDocument {
		t.Errorf("approved, it is held as %q", h.Held())
	}
}

// A rejection holds for the brief that it names, also when that brief was amended in between.
func TestExecution_ARejectionOutlivesAnAmendment(t *testing.T) {
	first, second := council.Brief{Objective: "one"}, council.Brief{Objective: "two"}
	amend := func(b council.Brief) council.Payload {
		return council.BriefAmended{By: "Grace", Brief: b, BriefSHA256: b.SHA256()}
	}
	log := []council.Payload{
		council.SessionStarted{Charter: council.Charter{Execution: council.Execution{RequireHumanApproval: true}}},
		said(first),
		council.SessionClosed{Outcome: council.Outcome{RequiresExecution: true}},
		council.ExecutionRejected{By: "Grace", BriefSHA256: first.SHA256(), Reason: "no"},
		amend(second), amend(first),
	}
	h := fold(log...)
	if r := h.RejectionOf(first.SHA256()); r == nil || r.By != "Grace" || r.Note != "no" ||
		h.RejectionOf(second.SHA256()) != nil {
		t.Errorf("the rejection is %+v", r)
	}
	before := h
	h.Apply(council.Event{Seq: 7, Payload: council.ExecutionApproved{By: "Ada", BriefSHA256: first.SHA256()}})
	check.That(t, h.RejectionOf(first.SHA256()) == nil && before.RejectionOf(first.SHA256()) != nil,
		"an approval does not overrule the rejection, or does so in a copy")
}
