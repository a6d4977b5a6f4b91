package council

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council/quorum"
)

// SummaryWritten records the leader's account of the deliberation.
type SummaryWritten struct {
	Answered
	Summary

	// The name of the brief in approvals; present with `requiresExecution`.
	BriefSHA256 string `json:"briefSha256,omitempty" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
}

// Row implements [Payload].
func (SummaryWritten) Row() Row       { return replyRow("SUMMARY_WRITTEN", "47, 48, 82", AskSummary) }
func (p SummaryWritten) reply() Reply { return p.Reply(p.Summary) }

// DraftWritten records one version of the document.
type DraftWritten struct {
	Answered
	DraftRef
	Draft
}

func (DraftWritten) Row() Row { return replyRow("DRAFT_WRITTEN", "49, 53, 140", AskDraft) }
func (p DraftWritten) reply() Reply { // without the answers that were recorded because the leader gave none
	p.Responses = slices.DeleteFunc(slices.Clone(p.Responses), func(r BlockerResponse) bool {
		return r.Answer == AnswerUnanswered
	})
	return p.Reply(p.Draft)
}

// Lacks returns the blocker that no member raised: that the draft lacks sections which the charter asks for. It is nil
// where it lacks none.
func (p DraftWritten) Lacks() []Blocker {
	if len(p.MissingSections) == 0 {
		return nil
	}
	return []Blocker{{ID: "d" + strconv.Itoa(p.Version) + ".sections", Section: strings.Join(p.MissingSections, "; "),
		Problem: "The document lacks sections that were asked for: " + strings.Join(p.MissingSections, "; ") + ".",
		Impact:  "It does not say what it was to say there.", RequiredChange: "Add these sections.", Severity: "high"}}
}

// DraftRef names one version of the document, and the brief that is voted on with it.
type DraftRef struct {
	Version int    `json:"version" jsonschema:"minimum=1"`
	SHA256  string `json:"sha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"` // of its Markdown

	// Of the execution brief that goes with it, if there is one.
	BriefSHA256 string `json:"briefSha256,omitempty" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`
}

// DraftDecided gives the result of a vote on a draft, under `documentationReview.governance` or that of the deciding
// phase.
type DraftDecided struct {
	DraftRef
	Decision
}

func (DraftDecided) Row() Row { return openingRow("DRAFT_DECIDED", "50, 54") }

// ReviewGiven records the requests of a member that did not approve a draft.
type ReviewGiven struct {
	Answered
	Version int `json:"version" jsonschema:"minimum=1"`
	Review
}

func (ReviewGiven) Row() Row       { return replyRow("REVIEW_GIVEN", "51, 52", AskReview) }
func (p ReviewGiven) reply() Reply { return p.Reply(p.Review) }

// DissentWritten records the opinion of a member that did not vote for the result of the deciding vote, or of the last
// on a draft. An empty opinion declines.
type DissentWritten struct {
	Answered
	Dissent
}

func (DissentWritten) Row() Row       { return replyRow("DISSENT_WRITTEN", "55", AskDissent) }
func (p DissentWritten) reply() Reply { return p.Reply(p.Dissent) }

// SessionClosed records the outcome of the session. It is the commit point. Only rulings may follow it.
type SessionClosed struct {
	Outcome
}

func (SessionClosed) Row() Row { return dueRow("SESSION_CLOSED", "56, 57, 215, 222, 229") }

// Outcome is the result of a closed session.
type Outcome struct {
	Ended             SessionEnd          `json:"ended"`
	Leader            MemberID            `json:"leader,omitempty"`
	Decided           bool                `json:"decided"`             // the deciding phase carried something in its last visit
	Rehearsed         bool                `json:"rehearsed,omitempty"` // a seat is the built-in rehearsal: nothing is decided
	Resolutions       []Resolution        `json:"resolutions,omitempty"`
	Undecided         *Undecided          `json:"undecided,omitempty"` // the leader's answer in the place of a decision
	Documentation     DocumentationStatus `json:"documentation"`
	Draft             *DraftRef           `json:"draft,omitempty"`   // the last version, approved or not
	RequiresExecution bool                `json:"requiresExecution"` // the leader wrote a brief, and nothing withholds it
	ExecutionWithheld Withholding         `json:"executionWithheld,omitempty"`

	// The resolutions that the brief names. Absent where the execution is withheld for good.
	Executes []MotionID `json:"executes,omitempty"`
}

// SessionEnd is how a session ended.
type SessionEnd string

// The ends of a session.
const (
	SessionCompleted SessionEnd = "COMPLETED"
	SessionCutShort  SessionEnd = "ADJOURNED"
)

// Last returns the resolution that carried last, or nil.
func (o *Outcome) Last() *Resolution {
	if len(o.Resolutions) == 0 {
		return nil
	}
	return &o.Resolutions[len(o.Resolutions)-1]
}

// Decisions lists the resolutions' decisions, in the order in which they carried. A rehearsal decides nothing.
func (o *Outcome) Decisions() []string {
	if o.Rehearsed {
		return nil
	}
	return Map(o.Resolutions, func(r Resolution) string { return r.Decision })
}

// Resolution is a motion that carried in the last visit to the deciding phase and that no later one replaced.
type Resolution struct {
	Phase    PhaseID  `json:"phase"`
	Motion   MotionID `json:"motion"`
	Title    string   `json:"title" text:"said"`
	Text     string   `json:"text" text:"said"`
	Decision string   `json:"decision" text:"said"`
	Yes      int      `json:"yes"`
	No       int      `json:"no"`
	Abstain  int      `json:"abstain,omitempty"`
	Invalid  int      `json:"invalid,omitempty"`
	Absent   int      `json:"absent,omitempty"`

	// By ranked ballots: `yes` of them rank it above the closest alternative, `no` below.
	Ranked bool `json:"ranked,omitempty"`
}

// Count returns the vote on it.
func (r *Resolution) Count() quorum.Count {
	return quorum.Count{Yes: r.Yes, No: r.No, Abstain: r.Abstain, Invalid: r.Invalid, Absent: r.Absent}
}

// DocumentationStatus is how far the document came.
type DocumentationStatus string

// The statuses of the document. Missing: one was asked for and none was ever drafted.
const (
	DocumentationNone       DocumentationStatus = "NONE"
	DocumentationApproved   DocumentationStatus = "APPROVED"
	DocumentationUnapproved DocumentationStatus = "UNAPPROVED"
	DocumentationMissing    DocumentationStatus = "MISSING"
)
