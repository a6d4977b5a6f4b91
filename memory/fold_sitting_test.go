package memory_test

import (
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

const (
	ada   = council.MemberID("ada")
	boole = council.MemberID("boole")
	curie = council.MemberID("curie")
)

// script is a session with its lines. A member without a line votes for ada, seconds, says YES,
// raises nothing and declines to dissent. The first turn of every visit moves the motion; all others pass.
type script struct {
	id     council.SessionID
	topic  string
	again  council.SessionID // the session that it takes up again
	edit   func(*council.Charter)
	remind []council.Reminder
	motion council.Turn
	lines  map[string]council.Body      // by ask
	faults map[string]council.FaultKind // by ask
	assess council.Assessment
	// summary is the leader's, and drafts are the versions of the document, in order.
	summary council.Summary
	drafts  []council.Draft
	rulings []council.Ruling // after the close
	at      time.Time        // of the first event; one second passes between events
}

func moves(title, decision string) council.Turn {
	return council.Turn{
		Action: council.ActionCallVote, MotionTitle: title, MotionText: "That " + title + ".", DecisionIfPass: decision,
	}
}

func charter() council.Charter {
	c := counciltest.Small(ada, boole, curie)
	c.CouncilName, c.Phases = "Architecture council", []council.Phase{phase("decide")}
	for i, name := range []string{"Ada Lovelace", "George Boole", "Marie Curie"} {
		c.Members[i].Name = name
	}
	c.Deliberation.SealedPositions = true
	return c
}

func phase(id council.PhaseID) council.Phase {
	p := counciltest.Phase(id, 1)
	p.Deliverables = []council.Deliverable{{ID: "result", Description: "A result"}}
	p.Fallback.Resolution = "Nothing."
	p.MemoryPolicy = council.MemoryPolicy{WriteMemberMemory: true, WriteCouncilMemory: true}
	return p
}

func documented(c *council.Charter) {
	c.Output.Type = council.OutputDocumentation
	c.DocumentationReview.MaxRevisionRounds = 1
}

// hold runs the session by the rules and returns it as it closed, or as it was ruled upon.
func (sc script) hold(t testing.TB) memory.Session {
	t.Helper()
	c := charter()
	if sc.edit != nil {
		sc.edit(&c)
	}
	topic := council.Topic{Text: sc.topic}
	if sc.again != "" {
		topic.Documents = []council.Document{council.NewDocument("record.txt", "As it was.")}
		topic.Reopens = &council.Reopened{Session: sc.again, Because: "It failed.", Record: "record.txt"}
	}
	s := counciltest.Open(t, sc.id, topic, c, sc.remind...)
	counciltest.Hold(t, s, func(s *rules.Session) (council.Event, error) {
		ask := s.Ready().Asks[0]
		r := council.Reply{Ask: ask.ID}
		if kind, ok := sc.faults[string(ask.ID)]; ok {
			r.Fault = &council.Fault{Kind: kind, Message: "in a test"}
		} else {
			r.Body = sc.line(ask)
		}
		return s.Answer(r)
	})
	for _, r := range sc.rulings {
		check.OK(t, s.Apply(check.Get(s.Rule(onBrief(r, s)))(t)))
	}
	return memory.Session{ID: sc.id, Entries: record(sc.id, sc.at, s.Events()), From: 1}
}

// onBrief sets the digest of the current brief in a ruling.
func onBrief(r council.Ruling, s *rules.Session) council.Ruling {
	sha := s.Handoff().BriefSHA256
	switch r := r.(type) {
	case council.ExecutionApproved:
		r.BriefSHA256 = sha
		return r
	case council.ExecutionRejected:
		r.BriefSHA256 = sha
		return r
	case council.ExecutionStarted:
		r.BriefSHA256 = sha
		return r
	}
	return r
}

func record(id council.SessionID, at time.Time, events []council.Event) []wire.Entry {
	entries := make([]wire.Entry, len(events))
	for i, e := range events {
		entries[i] = wire.Entry{Event: e, ID: e.Seq.ID(), Session: id, Time: at.Add(time.Duration(i) * time.Second)}
	}
	return entries
}

func (sc script) line(a council.Ask) council.Body {
	if b, ok := sc.lines[string(a.ID)]; ok {
		return b
	}
	switch a.Kind {
	case council.AskPosition:
		return council.Position{Position: "Undecided.", Confidence: 0.5}
	case council.AskNominate:
		return council.Nomination{Rationale: "She knows.", CandidateID: ada}
	case council.AskTurn:
		if sc.motion.Action != "" && strings.Contains(string(a.ID), ".r1.t1.") {
			return sc.motion
		}
		return council.Turn{Action: council.ActionPass, Reason: "Nothing to add."}
	case council.AskSecond:
		return council.Second{Rationale: "It is time.", Second: true}
	case council.AskBallot:
		return council.Ballot{Rationale: "So be it.", Ballot: council.ChoiceYes}
	case council.AskAssess:
		return sc.assess
	case council.AskSummary:
		if sc.summary.SummaryMarkdown == "" {
			sc.summary.SummaryMarkdown = "We talked."
		}
		if b := sc.summary.ExecutionBrief; b != nil && b.Motions == nil {
			brief := *b
			brief.Motions, sc.summary.ExecutionBrief = []string{sc.motion.MotionTitle}, &brief
		}
		return sc.summary
	case council.AskDraft:
		version := int(a.ID[1] - '0') // "d1.draft.ada"
		if version <= len(sc.drafts) {
			return sc.drafts[version-1]
		}
		return council.Draft{Markdown: "# Document"}
	case council.AskReview:
		return council.Review{}
	}
	return council.Dissent{}
}

// no returns the lines of members that vote NO.
func no(asks ...string) map[string]council.Body {
	lines := map[string]council.Body{}
	for _, a := range asks {
		lines[a] = council.Ballot{Rationale: "No.", Ballot: council.ChoiceNo}
	}
	return lines
}

// day is midnight of the n-th day of the tests' time.
func day(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

// upTo returns a session up to its close, and the rulings after it.
func upTo(s memory.Session) (closed, later memory.Session) {
	closed, later = s, s
	for i, e := range s.Entries {
		if e.Type() == council.TypeOf[council.SessionClosed]() {
			closed.Entries = s.Entries[:i+1]
			later.From = e.Seq + 1
		}
	}
	return closed, later
}

// story has the scripts of four sessions, each by the books after the earlier ones.
var story = []func(t *testing.T, s *store) script{undocumented, inconclusive, decidedAnew, elsewhere}

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
