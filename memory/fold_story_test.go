package memory_test

import (
	"testing"

	"github.com/council-engine/council/council"
)

// story is what happens to a council over four sessions, each told when the books stand as the earlier ones left them.
var story = []func(t *testing.T, s *store) script{
	undocumented, inconclusive, decidedAnew, elsewhere,
}

var latency = council.Blocker{
	Section: "Risks", Problem: "No figure for latency.", Impact: "Nobody can plan.",
	RequiredChange: "Every claim on speed must have a figure.", Severity: "critical",
}

// undocumented decides, and its document is never approved. The execution is rejected.
func undocumented(*testing.T, *store) script {
	lines := no("p1.r1.t1.ballot.curie", "d1.ballot.boole", "d1.ballot.curie", "d2.ballot.boole", "d2.ballot.curie")
	lines["position.ada"] = council.Position{Position: "Yes, in **two** steps.", Confidence: 0.7,
		Overlooked: []string{"The old queue lost messages in May."}}
	lines["position.curie"] = council.Position{Position: "No: nobody here can run it.", Confidence: 0.9}
	again := latency
	again.Problem = "There is still no figure for latency."
	lines["d1.review.boole"] = council.Review{CriticalBlockers: []council.Blocker{latency,
		{Problem: "No owner is named.", RequiredChange: "Name one.", Severity: "minor"}}}
	lines["d2.review.boole"] = council.Review{CriticalBlockers: []council.Blocker{again}}
	lines["dissent.curie"] = council.Dissent{Dissent: "# No\n\nThe operators were not heard."}
	return script{
		id: "20260101-000000-nats-1", topic: "# Shall we adopt NATS?\n\nWe have *two* queues.", at: day(0), edit: documented,
		motion: moves("Adopt NATS", "We adopt NATS in March."), lines: lines,
		faults: map[string]council.FaultKind{"position.boole": council.FaultRefusal,
			"d2.review.curie": council.FaultUnparsable},
		assess: council.Assessment{
			Assumptions: []string{"The disk is honest."}, Constraints: []string{"Messages of the shop must be kept in order."},
			Risks: []council.Risk{{Risk: "Latency doubles", Mitigation: "Batch the writes."}},
		},
		summary: council.Summary{
			SummaryMarkdown: "We talked.", RequiresExecution: true,
			ExecutionBrief: &council.Brief{Objective: "Install NATS",
				Risks:              []council.BriefRisk{{Risk: "The old queue still gets messages."}},
				AcceptanceCriteria: []string{"A kill loses no message."}},
		},
		drafts: []council.Draft{
			{Markdown: "# NATS"},
			{Markdown: "# NATS, again", Responses: []council.BlockerResponse{
				{BlockerID: "d1.boole.b1", Answer: council.AnswerAccepted, Note: "Will do."},
				{BlockerID: "d1.boole.b2", Answer: council.AnswerDeferred},
			}},
		},
		rulings: []council.Ruling{council.ExecutionRejected{By: "Grace", Reason: "Not before the holidays are over"}},
	}
}

// inconclusive ends without a resolution, after the leader could not assess.
func inconclusive(*testing.T, *store) script {
	return script{
		id: "20260110-000000-nats-2", topic: "Shall we adopt NATS now?", at: day(9), edit: func(c *council.Charter) {
			c.Phases[0].Deliverables[0].Required = true
		},
		faults: map[string]council.FaultKind{"p1.assess.ada": council.FaultTruncated, "position.boole": council.FaultRefusal},
		assess: council.Assessment{Assumptions: []string{"The disks are honest"}},
		lines: map[string]council.Body{
			"position.curie": council.Position{Position: "Yes, if somebody learns it.", Confidence: 0.6},
		},
	}
}

// decidedAnew decides otherwise, approves its document and settles a risk. The execution is amended, approved and
// fails.
func decidedAnew(t *testing.T, s *store) script {
	return script{
		id: "20260810-000000-nats-3", topic: "Shall we adopt NATS?", at: day(221), edit: documented,
		remind: s.reminders(day(221)), motion: moves("Wait", "We keep the old queue for a year."),
		lines: no("d1.ballot.boole"),
		summary: council.Summary{
			SummaryMarkdown: "We talked.", RequiresExecution: true,
			ExecutionBrief: &council.Brief{Objective: "Mend the old queue"},
			Settles: []council.Settlement{
				{Record: s.find(t, "", "Latency doubles").ID, How: council.SettledResolved,
					Because: "There are no batches any more."},
				{Record: s.find(t, boole, "No figure").ID, How: council.SettledResolved}, // not hers: it counts for nothing
			},
		},
		rulings: []council.Ruling{
			council.BriefAmended{By: "Grace", Brief: council.Brief{Objective: "Mend the old queue by night",
				Steps: []council.Step{{Step: "Ask"}, {Step: "Mend"}}, AcceptanceCriteria: []string{"Nobody is woken."}}},
			council.ExecutionApproved{By: "Grace", Note: "Call me first."},
			council.ExecutionStarted{By: "builder"},
			council.ExecutionFinished{By: "builder", Note: "The disk was full."},
		},
	}
}

// elsewhere decides on another topic, and in the leader's words also in place of the first matter.
func elsewhere(t *testing.T, s *store) script {
	return script{
		id: "20260820-000000-kafka", topic: "Shall we adopt Kafka?", at: day(231), remind: s.reminders(day(231)),
		motion: moves("Adopt Kafka", "We adopt Kafka at once."),
		summary: council.Summary{SummaryMarkdown: "We talked.", Settles: []council.Settlement{
			{Record: s.find(t, "", "Wait").ID, How: council.SettledSuperseded, Because: "Kafka is here."},
			{Record: "r-000000000000", How: council.SettledSuperseded}, // no member was reminded of it
		}},
	}
}
