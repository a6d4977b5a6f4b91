// Package artifact holds the shapes of the JSON files that a session's log is rendered to. The schemas of the same
// names describe them.
package artifact

import "github.com/council-engine/council/council"

// Format is the version of the JSON artifacts. It grows when a field changes its meaning or goes.
const Format = 1

// Header begins every JSON artifact.
type Header struct {
	Format    int               `json:"format"`
	SessionID council.SessionID `json:"sessionId"`
	Rehearsal bool              `json:"rehearsal"`      // no model was asked: every member was the built-in rehearsal
	Note      string            `json:"note,omitempty"` // the same in words
}

// SessionFile is session.json: where a session stands, in one piece. Times are UTC in RFC 3339 with milliseconds.
type SessionFile struct {
	Header
	Council       string            `json:"council"`
	Topic         string            `json:"topic"`
	Documents     []GivenDocument   `json:"documents"`
	Skipped       []council.Skipped `json:"skipped,omitempty"` // what was named as context and not given
	Cut           []council.Cut     `json:"cut,omitempty"`     // secrets that were taken out of the topic and the documents
	Hidden        []council.Cut     `json:"hidden,omitempty"`  // characters in them that readers do not see
	CutReplies    []CutOf           `json:"cutReplies,omitempty"`
	HiddenReplies []CutOf           `json:"hiddenReplies,omitempty"`
	CutLookups    []CutOf           `json:"cutLookups,omitempty"`
	HiddenLookups []CutOf           `json:"hiddenLookups,omitempty"`
	Lookups       []Lookups         `json:"lookups,omitempty"` // of members that have tools, in turn order; absent where none was called
	Memory        *Memory           `json:"memory,omitempty"`  // what the session was given of memory, and settled of it
	Status        Status            `json:"status"`
	OpenedAt      string            `json:"openedAt"`
	ClosedAt      string            `json:"closedAt,omitempty"`
	LastEvent     string            `json:"lastEvent"`
	Checkpoint    Checkpoint        `json:"checkpoint"` // what an anchor of the log as it stands signs
	Members       []Seat            `json:"members"`
	Diversity     *Diversity        `json:"diversity,omitempty"` // absent where all members have one and the same model
	Leader        *Leader           `json:"leader,omitempty"`
	Phases        []PhaseVisit      `json:"phases"`
	Motions       []Motion          `json:"motions"`
	Decided       bool              `json:"decided"`              // closed, and the last phase that voted carried a motion
	Resolution    council.MotionID  `json:"resolution,omitempty"` // that motion
	Documentation Documentation     `json:"documentation"`
	Execution     Execution         `json:"execution"`
	Dissents      []DissentRef      `json:"dissents"`
	Citations     *Citations        `json:"citations,omitempty"` // absent: the charter does not have them marked
	Faults        []FaultRecord     `json:"faults"`
	Suspensions   []Suspension      `json:"suspensions"`
	Usage         UsageReport       `json:"usage"`
	Erased        []string          `json:"erased,omitempty"`  // events of whose content something was erased
	Receipt       *Receipt          `json:"receipt,omitempty"` // absent while the session is open, and where nobody is asked for stances
	Artifacts     []string          `json:"artifacts"`         // files that can be written from the log as it stands
}

// Checkpoint is how many events there are and the root of the tree over them: package anchor says how it is made.
type Checkpoint struct {
	Origin string `json:"origin"`
	Size   int    `json:"size"`
	Root   string `json:"root"`
}

// Status is how a session stands.
type Status string

// The statuses of a session.
const (
	StatusRunning   Status = "RUNNING"
	StatusSuspended Status = "SUSPENDED"
	StatusCompleted Status = "COMPLETED"
	StatusAdjourned Status = "ADJOURNED"
)

// GivenDocument names a context document.
type GivenDocument struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// Memory names what members were told of earlier sessions, and what became of it in this one.
type Memory struct {
	Reminded   []Reminded           `json:"reminded,omitempty"`   // the council's first, then the members' in seat order
	RecalledIn string               `json:"recalledIn,omitempty"` // the event
	Recalled   []Recalled           `json:"recalled,omitempty"`
	Settled    []council.Settlement `json:"settled,omitempty"` // those that count
}

// Reminded names the records of one memory that were told; whose it is, an empty member says for the council's.
type Reminded struct {
	Member  council.MemberID `json:"member,omitempty"`
	Records []string         `json:"records"`
	Left    int              `json:"left,omitempty"` // how many more there was no room for
}

// Recalled names something that a search of memory found.
type Recalled struct {
	ID      string            `json:"id"`
	Kind    string            `json:"kind"` // turn, episode or record
	Session council.SessionID `json:"session,omitempty"`
	Date    string            `json:"date"` // YYYY-MM-DD in UTC
}

// Seat is one member, in turn order.
type Seat struct {
	ID       council.MemberID `json:"id"`
	Name     string           `json:"name"`
	Role     string           `json:"role"`
	Provider string           `json:"provider"`
	Model    string           `json:"model,omitempty"`    // as configured
	Reported string           `json:"reported,omitempty"` // as the provider last named it
	StoodIn  []StandIn        `json:"stoodIn,omitempty"`  // other models that answered while it was missing or down

	// PromptCut is the first event whose prompt its server counted shorter than a shorter one before.
	PromptCut string `json:"promptCut,omitempty"`
}

// Leader says who leads and by which vote. After a succession it differs from the elected.
type Leader struct {
	Member council.MemberID         `json:"member"`
	Tie    bool                     `json:"tie"`
	Votes  []council.CandidateVotes `json:"votes"`
}

// PhaseVisit is one visit to a phase.
type PhaseVisit struct {
	Visit      int               `json:"visit"`
	Phase      council.PhaseID   `json:"phase"`
	Goal       string            `json:"goal"`
	Rounds     int               `json:"rounds"` // begun so far
	Ended      council.DebateEnd `json:"ended,omitempty"`
	Resolution council.MotionID  `json:"resolution,omitempty"`
	Complete   []string          `json:"complete,omitempty"` // deliverables and gates shown to be met
	Missing    []string          `json:"missing,omitempty"`
	Next       council.PhaseID   `json:"next,omitempty"`
}

// MotionStatus is what became of a motion.
type MotionStatus string

// The statuses of a motion. An open one waits for a second or for ballots.
const (
	MotionOpen     MotionStatus = "OPEN"
	MotionDied     MotionStatus = "DIED"
	MotionCarried  MotionStatus = "CARRIED"
	MotionLost     MotionStatus = "LOST"
	MotionNoQuorum MotionStatus = "NO_QUORUM"
)

// Motion is a motion with its vote.
type Motion struct {
	ID       council.MotionID  `json:"id"`
	Event    string            `json:"event"`
	Phase    council.PhaseID   `json:"phase"`
	Round    int               `json:"round"`
	Mover    council.MemberID  `json:"mover"`
	Seconder council.MemberID  `json:"seconder,omitempty"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	Decision string            `json:"decisionIfPass"`
	Status   MotionStatus      `json:"status"`
	Vote     *council.Decision `json:"vote,omitempty"`
	Ballots  []Ballot          `json:"ballots,omitempty"`
}

// Ballot is one member's ballot. A ballot of INVALID or ABSENT has a fault and no rationale.
type Ballot struct {
	Member    council.MemberID  `json:"member"`
	Ballot    string            `json:"ballot"` // YES, NO, ABSTAIN, INVALID or ABSENT
	Rationale string            `json:"rationale,omitempty"`
	Fault     council.FaultKind `json:"fault,omitempty"`
	Event     string            `json:"event"`
}

// Documentation says what became of the document.
type Documentation struct {
	Status council.DocumentationStatus `json:"status,omitempty"` // set when the session is closed, or the draft approved
	File   string                      `json:"file,omitempty"`   // documentation.md or documentation.unapproved.md
	Drafts []DraftRecord               `json:"drafts"`
}

// DraftRecord is one version of the document with its vote.
type DraftRecord struct {
	Version    int               `json:"version"`
	SHA256     string            `json:"sha256"` // of the words that were voted on
	File       string            `json:"file"`
	FileSHA256 string            `json:"fileSha256,omitempty"` // of the file; another where it shows HTML or links as text
	Event      string            `json:"event"`
	Vote       *council.Decision `json:"vote,omitempty"`
}

// Execution says how far the execution brief has come.
type Execution struct {
	Status      council.ExecutionStatus `json:"status"`
	Withheld    council.Withholding     `json:"withheld,omitempty"` // why what the leader called for is not cleared
	Why         string                  `json:"why,omitempty"`      // the same as a sentence
	BriefSHA256 string                  `json:"briefSha256,omitempty"`
}

// DissentRef names a dissent; its words are in minority-report.md.
type DissentRef struct {
	Member council.MemberID `json:"member"`
	Event  string           `json:"event"`
}

// FaultRecord is one ask that got no usable answer.
type FaultRecord struct {
	Event    string            `json:"event"`
	At       string            `json:"at"`
	Member   council.MemberID  `json:"member"`
	Ask      council.AskKind   `json:"ask"`
	Fault    council.FaultKind `json:"fault"`
	Message  string            `json:"message,omitempty"`
	Standing council.Standing  `json:"standing"`
}

// Suspension is one stop of the session. ResumedAt is empty while it lasts, and when the session was adjourned.
type Suspension struct {
	Event     string            `json:"event"`
	At        string            `json:"at"`
	Member    council.MemberID  `json:"member,omitempty"`
	Fault     council.FaultKind `json:"fault"`
	Message   string            `json:"message,omitempty"`
	ResumedAt string            `json:"resumedAt,omitempty"`
	ResumedBy string            `json:"resumedBy,omitempty"`
}

// UsageReport is what the replies cost, by member in turn order, by kind of ask in the order of the protocol, and in
// all. What a reply cost that led to a suspension is in it.
type UsageReport struct {
	Members []MemberUsage `json:"members"`
	Asks    []AskUsage    `json:"asks"`
	Total   Usage         `json:"total"`
	Cost    *CostReport   `json:"cost,omitempty"` // absent: the charter knows no prices
}

// CostReport is what the replies cost in money, by the prices that the charter froze. What is unknown is null.
type CostReport struct {
	Currency   string       `json:"currency"`              // USD
	PricesAsOf string       `json:"pricesAsOf,omitempty"`  // the day on which the oldest of the prices was read; absent: nothing is billed
	Billed     int          `json:"billedCalls,omitempty"` // calls of which the provider said what they cost, whatever the prices
	Members    []MemberCost `json:"members"`
	Total      *float64     `json:"total"`
}

// MemberCost is what one member's replies cost.
type MemberCost struct {
	Member council.MemberID `json:"member"`
	Cost   *float64         `json:"cost"`
}

// MemberUsage is what one member's replies cost.
type MemberUsage struct {
	Member council.MemberID `json:"member"`
	Usage
}

// AskUsage is what the replies to one kind of ask cost.
type AskUsage struct {
	Ask council.AskKind `json:"ask"`
	Usage
}

// Usage counts calls, tokens of five kinds that exclude one another, and milliseconds from question to reply. Times
// are added up even where members were asked at once.
type Usage struct {
	Calls            int   `json:"calls"`
	InputTokens      int64 `json:"inputTokens"` // new ones
	CachedTokens     int64 `json:"cachedTokens"`
	CacheWriteTokens int64 `json:"cacheWriteTokens"`
	OutputTokens     int64 `json:"outputTokens"`
	ReasoningTokens  int64 `json:"reasoningTokens,omitempty"`
	ElapsedMS        int64 `json:"elapsedMs"`
}

// ReviewFile is documentation.review.vN.json: why a draft was not approved, and what the leader made of it.
type ReviewFile struct {
	Header
	Version    int                       `json:"version"`
	SHA256     string                    `json:"sha256"`
	File       string                    `json:"file"` // the draft
	Vote       council.Decision          `json:"vote"`
	Ballots    []Ballot                  `json:"ballots"`
	Reviews    []Review                  `json:"reviews"`
	AnsweredIn int                       `json:"answeredIn,omitempty"` // the version that answers the blockers
	Answers    []council.BlockerResponse `json:"answers,omitempty"`
	Unfounded  []Unfounded               `json:"unfounded,omitempty"` // what the draft, the ballots and the reviews cite that does not hold
}

// Review is what one member asked for.
type Review struct {
	Member      council.MemberID  `json:"member"`
	Event       string            `json:"event"`
	Blockers    []council.Blocker `json:"criticalBlockers"`
	Suggestions []string          `json:"suggestedChanges"`
}

// BlockersFile is documentation.unresolved-blockers.json: what stood between the last draft and its approval. Blockers
// are those of the last failed vote; Earlier are those before it with the leader's answers.
type BlockersFile struct {
	Header
	Draft       council.DraftRef  `json:"draft"`              // what documentation.unapproved.md shows
	FailedIn    int               `json:"failedIn,omitempty"` // the version whose vote failed last; 0: none was voted on
	Vote        *council.Decision `json:"vote,omitempty"`     // that vote
	Blockers    []RaisedBlocker   `json:"blockers"`
	Suggestions []Suggestion      `json:"suggestions"`
	Earlier     []RaisedBlocker   `json:"earlier"`
}

// RaisedBlocker is a blocker, who raised it against which version, and how it was answered, if it was.
type RaisedBlocker struct {
	Version int              `json:"version"`
	Member  council.MemberID `json:"member"`
	council.Blocker
	Answer     council.ResponseAnswer `json:"answer,omitempty"`
	Note       string                 `json:"note,omitempty"`
	AnsweredIn int                    `json:"answeredIn,omitempty"`
}

// Suggestion is a change that a member would like and does not insist on.
type Suggestion struct {
	Member     council.MemberID `json:"member"`
	Suggestion string           `json:"suggestion"`
}

// HandoffFile is execution-handoff.json: all that another tool needs to carry out what the council decided. It exists
// when there is a brief that may be carried out, now or once a person approves it.
type HandoffFile struct {
	Header
	Council          string                  `json:"council"`
	Status           council.ExecutionStatus `json:"status"`
	ApprovalRequired bool                    `json:"approvalRequired"`
	Withheld         council.Withholding     `json:"withheld,omitempty"` // why the brief is not cleared by itself
	Why              string                  `json:"why,omitempty"`      // the same as a sentence
	Approval         *HandoffRuling          `json:"approval,omitempty"` // of the brief as it stands
	Rejection        *HandoffRuling          `json:"rejection,omitempty"`
	Started          *HandoffRuling          `json:"started,omitempty"`
	Finished         *HandoffRuling          `json:"finished,omitempty"`
	Executes         []HandoffMotion         `json:"executes"`        // the carried motions that the brief carries out
	FinalResolution  string                  `json:"finalResolution"` // in the leader's words
	BriefSHA256      string                  `json:"briefSha256"`     // over the brief's compact JSON
	Brief            council.Brief           `json:"brief"`
	ExecutorProfile  string                  `json:"executorProfile"` // the brief's, else the charter's default
	Documentation    HandoffDocumentation    `json:"documentation"`
	Dissents         int                     `json:"dissents"`
}

// HandoffRuling is who ruled, when, in which event and in which words.
type HandoffRuling struct {
	By    string `json:"by"`
	At    string `json:"at"`
	Event string `json:"event"`
	Note  string `json:"note,omitempty"`

	InAdvance bool `json:"inAdvance,omitempty"` // an approval before the brief could be read
}

// HandoffMotion is a motion that the council carried.
type HandoffMotion struct {
	Motion   council.MotionID  `json:"motion"`
	Phase    council.PhaseID   `json:"phase"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	Decision string            `json:"decision"`
	Vote     *council.Decision `json:"vote,omitempty"`
}

// HandoffDocumentation names the document, if there is one.
type HandoffDocumentation struct {
	Status     council.DocumentationStatus `json:"status"`
	File       string                      `json:"file,omitempty"`
	SHA256     string                      `json:"sha256,omitempty"`     // of the words that were voted on
	FileSHA256 string                      `json:"fileSha256,omitempty"` // of the file; another where it shows HTML or links as text
	Unanswered []string                    `json:"unanswered,omitempty"` // ids of critical blockers that no draft answers
}
