package council

import "strings"

// Body is the content of a reply. Models write its fields in this order: reason first, verdict last.
type Body interface{ AskKind() AskKind }

// Position is an opinion sealed before any discussion.
type Position struct {
	Position   string   `json:"position" text:"said"`
	Confidence float64  `json:"confidence" jsonschema:"minimum=0,maximum=1"` // from 0 to 1
	Overlooked []string `json:"overlooked,omitempty" text:"said"`            // facts that others may overlook, with their source

	// The answer it prefers, in a few words; see [StanceOf]. Where the charter has options, the one ranked first.
	Stance  string `json:"stance,omitempty" text:"stance"`
	Ranking Ranks  `json:"ranking,omitempty" text:"option"` // of the charter's options

	// The entries of a ranking that cannot be read, even when it was asked for again; then there is no ranking.
	UnreadRanking []string `json:"unreadRanking,omitempty" text:"short"`

	// Its vote for a leader, where positions elect; empty for none, and for somebody who is not a member.
	CandidateID MemberID `json:"candidateId,omitempty"`

	// At the pace auto.
	Counter    string `json:"counter,omitempty" text:"said"`    // the strongest argument against the answer
	ChangeMind string `json:"changeMind,omitempty" text:"said"` // the fact that would change its mind
	Missing    string `json:"missing,omitempty" text:"option"`  // an answer that the options lack
}

// Answers is the leader's proposal after the positions: the answers that they come to, the first of them in the words
// of a resolution, and the summary that holds if that one is carried.
type Answers struct {
	Crux    string `json:"crux" text:"said"` // the question on which the positions differ
	Answers []Held `json:"answers"`          // the one that most hold first
	Text    string `json:"text" text:"said"` // the first answer as a resolution
	Summary
}

// Held is an answer with the members that hold it.
type Held struct {
	Answer string     `json:"answer" text:"option"`
	HeldBy []MemberID `json:"heldBy"`
}

// Nomination is a vote for a leader.
type Nomination struct {
	Rationale   string   `json:"rationale" text:"said"`
	CandidateID MemberID `json:"candidateId"`
}

// Turn is a member's move when it has the floor. Action decides which of the other fields matter.
type Turn struct {
	Action         Action `json:"action"`
	Message        string `json:"message,omitempty"`        // CONTRIBUTE, ADD_OPTION
	Reason         string `json:"reason,omitempty"`         // PASS
	Note           string `json:"note,omitempty"`           // PASS
	MotionTitle    string `json:"motionTitle,omitempty"`    // CALL_VOTE
	MotionText     string `json:"motionText,omitempty"`     // CALL_VOTE
	DecisionIfPass string `json:"decisionIfPass,omitempty"` // CALL_VOTE

	Options    []string   `json:"options,omitempty"`    // CALL_CHOICE, whose question is MotionTitle
	Option     string     `json:"option,omitempty"`     // ADD_OPTION, whose reasons are Message
	Supersedes []MotionID `json:"supersedes,omitempty"` // CALL_VOTE: motions in force that it replaces if it carries
	To         MemberID   `json:"to,omitempty"`         // ASK: a member, or [Convener]
	Question   string     `json:"question,omitempty"`   // ASK
}

// Action is the kind of a turn.
type Action string

// The actions of a turn.
const (
	ActionContribute Action = "CONTRIBUTE"
	ActionPass       Action = "PASS"
	ActionCallVote   Action = "CALL_VOTE"
	ActionCallChoice Action = "CALL_CHOICE"
	ActionAddOption  Action = "ADD_OPTION"
	ActionAsk        Action = "ASK"
)

// Answer is the answer to a question that a member put in its turn.
type Answer struct {
	Answer string `json:"answer" text:"said"`
}

// Second is a member's answer to a motion: whether it seconds, and its stand.
type Second struct {
	Rationale string     `json:"rationale" text:"said"`
	Stand     Stand      `json:"stand,omitempty"`     // with debate
	Amendment *Amendment `json:"amendment,omitempty"` // of AMEND
	Second    bool       `json:"second"`              // false where no second is needed
}

// Amend is a member's answer to the amendments that were proposed to a motion.
type Amend struct {
	Rationale  string        `json:"rationale" text:"said"`
	Amendments []AmendmentID `json:"amendments,omitzero"` // the mover: which it accepts; the others: which they second
	Withdraw   bool          `json:"withdraw,omitempty"`  // the mover withdraws the motion
}

// Ballot is a vote.
type Ballot struct {
	Rationale string `json:"rationale" text:"said"`
	Ballot    Choice `json:"ballot"`

	// On a motion: the answer it prefers by now, whichever way it votes.
	Stance string `json:"stance,omitempty" text:"stance"`

	// On a draft at the pace auto: the changes without which it does not vote YES.
	CriticalBlockers []Blocker `json:"criticalBlockers,omitempty" jsonschema:"maxItems=5"`
}

// Ranked is a ballot on a choice.
type Ranked struct {
	Rationale string `json:"rationale" text:"said"`
	Ranking   Ranks  `json:"ranking" text:"option"`

	// At the pace auto.
	Blockers []string `json:"blockers,omitempty" text:"said" jsonschema:"maxItems=5"` // of the first answer
	Missing  string   `json:"missing,omitempty" text:"option"`                        // an answer that the list lacks
}

// Choice is the vote of a valid ballot.
type Choice string

// The choices.
const (
	ChoiceYes     Choice = "YES"
	ChoiceNo      Choice = "NO"
	ChoiceAbstain Choice = "ABSTAIN"
)

// Assessment is the leader's judgement of a phase against its charter. Every claim cites events or documents.
type Assessment struct {
	Deliverables []Claim  `json:"deliverables,omitzero"`
	QualityGates []Claim  `json:"qualityGates,omitzero"`
	Assumptions  []string `json:"assumptions,omitzero" text:"said"`
	Risks        []Risk   `json:"risks,omitzero"`

	// The constraints on any solution that the debate brought up.
	Constraints []string `json:"constraints,omitzero" text:"said"`
	Citations   []string `json:"citations,omitzero" text:"cited"` // evidence for the phase as a whole
}

// Claim is the leader's judgement of one deliverable or quality gate, with citations that show it.
type Claim struct {
	ID        string   `json:"id" text:"compared"` // the deliverable's id, or the gate's own words
	Claim     string   `json:"claim" text:"said"`
	Citations []string `json:"citations,omitzero" text:"cited"`
	Met       bool     `json:"met"`
}

// Risk is a line of the risk register.
type Risk struct {
	Risk       string `json:"risk" text:"said"`
	Mitigation string `json:"mitigation" text:"said"`
}

// Summary is the leader's account of the deliberation. It is its author's: the outcome is that of the votes.
type Summary struct {
	SummaryMarkdown   string       `json:"summaryMarkdown" text:"said"`
	RequiresExecution bool         `json:"requiresExecution"`
	ExecutionBrief    *Brief       `json:"executionBrief,omitempty"`
	Undecided         *Undecided   `json:"undecided,omitempty"` // where nothing was carried
	Settles           []Settlement `json:"settles,omitempty"`   // of records that the leader was reminded of; other ids count for nothing
}

// Draft is a version of the document, with the leader's answers to the blockers of the version before.
type Draft struct {
	Markdown  string            `json:"markdown" text:"draft"`
	Responses []BlockerResponse `json:"responses,omitempty"`

	// Of a revision, where the leader states the brief anew. Without it the brief before goes with this version too.
	ExecutionBrief *Brief `json:"executionBrief,omitempty"`

	// The leader's server gave no reason for the end of the document, even when it was asked again: it may be a part.
	NoStopReason bool `json:"noStopReason,omitempty"`

	// Sections that the document lacks, although they were asked for again. A blocker without a member names them.
	MissingSections []string `json:"missingSections,omitempty" text:"charter"`
}

// BlockerResponse answers one blocker.
type BlockerResponse struct {
	BlockerID string         `json:"blockerId" text:"blocker"`
	Answer    ResponseAnswer `json:"answer"`
	Note      string         `json:"note,omitempty" text:"said"`
}

// ResponseAnswer is how a blocker was answered.
type ResponseAnswer string

// The answers. Unanswered is recorded for a blocker that the leader passed over; no leader gives it.
const (
	AnswerAccepted   ResponseAnswer = "accepted"
	AnswerRejected   ResponseAnswer = "rejected"
	AnswerDeferred   ResponseAnswer = "deferred"
	AnswerUnanswered ResponseAnswer = "unanswered"
)

// Review lists the changes that a member wants before it approves a draft.
type Review struct {
	CriticalBlockers []Blocker `json:"criticalBlockers,omitzero" jsonschema:"maxItems=5"`
	SuggestedChanges []string  `json:"suggestedChanges,omitzero" text:"said" jsonschema:"maxItems=6"`
}

// Blocker is one thing that must change before a member approves.
type Blocker struct {
	ID             string `json:"id" text:"blocker"` // made unique by the session: "d1.skeptic.b1"
	Section        string `json:"section" text:"short"`
	Problem        string `json:"problem" text:"said"`
	Impact         string `json:"impact" text:"said"`
	RequiredChange string `json:"requiredChange" text:"said"`
	Severity       string `json:"severity" text:"id"`
}

// Dissent is the bounded opinion of a member that did not vote with the side that prevailed. An empty one declines.
type Dissent struct {
	Dissent string `json:"dissent" text:"said" jsonschema:"maxLength=4000"`

	// The blockers of the approved draft, from a member that did not vote YES on it.
	CriticalBlockers []Blocker `json:"criticalBlockers,omitempty" jsonschema:"maxItems=5"`
}

// The bounds of a stance, of a review and of a dissent.
const (
	MaxStance      = 200 // characters
	MaxBlockers    = 5
	MaxSuggestions = 6
	MaxDissent     = 4000 // characters
)

// AskKind returns the kind of ask that the body answers.
func (Position) AskKind() AskKind   { return AskPosition }
func (Nomination) AskKind() AskKind { return AskNominate }
func (Answers) AskKind() AskKind    { return AskPropose }
func (Turn) AskKind() AskKind       { return AskTurn }
func (Answer) AskKind() AskKind     { return AskReply }
func (Second) AskKind() AskKind     { return AskSecond }
func (Amend) AskKind() AskKind      { return AskAmend }
func (Ballot) AskKind() AskKind     { return AskBallot }
func (Ranked) AskKind() AskKind     { return AskRank }
func (Assessment) AskKind() AskKind { return AskAssess }
func (Summary) AskKind() AskKind    { return AskSummary }
func (Draft) AskKind() AskKind      { return AskDraft }
func (Review) AskKind() AskKind     { return AskReview }
func (Dissent) AskKind() AskKind    { return AskDissent }

// Undecided is the answer of a council that carried nothing, as its leader gives it. Exactly one of its parts is set.
type Undecided struct {
	Alternatives  []Alternative  `json:"alternatives,omitempty"` // between which no vote decided
	Question      string         `json:"question,omitempty" text:"said"`
	Investigation *Investigation `json:"investigation,omitempty"`
}

// Alternative is an answer that the council neither carried nor ruled out.
type Alternative struct {
	Answer  string     `json:"answer" text:"said"`
	HeldBy  []MemberID `json:"heldBy,omitempty"`    // its supporters
	RightIf string     `json:"rightIf" text:"said"` // the condition under which it is the right one
}

// Investigation is a measurement that the council needs before it can decide.
type Investigation struct {
	Measure string `json:"measure" text:"said"`
	By      string `json:"by,omitempty" text:"said"` // who measures it
	Means   string `json:"means" text:"said"`        // the meaning of each result
}

// Words returns the answer in one line, for people; "" of none.
func (u *Undecided) Words() string {
	switch {
	case u == nil:
		return ""
	case u.Question != "":
		return "A question whose answer would decide: " + u.Question
	case u.Investigation != nil:
		return "To be measured first: " + u.Investigation.Measure
	}
	answers := Map(u.Alternatives, func(a Alternative) string { return a.Answer })
	return "Alternatives: " + strings.Join(answers, "; ")
}
