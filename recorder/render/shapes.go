package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// Format is the version of the JSON artifacts. It grows when a field changes its meaning or goes.
const Format = 1

// Header begins every JSON artifact.
type Header struct {
	Format    int               `json:"format"`
	SessionID council.SessionID `json:"sessionId"`
	Rehearsal bool              `json:"rehearsal"`      // the built-in rehearsal had a seat, so nothing is decided
	Note      string            `json:"note,omitempty"` // the same in words
}

// SessionFile is session.json: the state of a session. Times are UTC in RFC 3339 with milliseconds.
type SessionFile struct {
	Header
	Outcome   Outcome           `json:"outcome"`
	Council   string            `json:"councilName"`
	Topic     string            `json:"topic"`
	Documents []GivenDocument   `json:"documents"`
	Skipped   []council.Skipped `json:"skipped,omitempty"` // context that was named and not given
	Cut       []council.Cut     `json:"cut,omitempty"`     // secrets taken out of topic and documents
	Hidden    []council.Cut     `json:"hidden,omitempty"`  // characters in them that are not seen
	minutes.Withheld
	Lookups       []minutes.Lookups    `json:"lookups,omitempty"` // of members with tools, in turn order
	Memory        *Memory              `json:"memory,omitempty"`  // the memory that it was given, and settled
	OpenedAt      string               `json:"openedAt"`
	ClosedAt      string               `json:"closedAt,omitempty"`
	LastEvent     string               `json:"lastEvent"`
	Checkpoint    Checkpoint           `json:"checkpoint"` // the text that an anchor of the log signs
	Members       []Seat               `json:"members"`
	Diversity     *minutes.Diversity   `json:"diversity,omitempty"` // absent where all have one model
	Leader        council.MemberID     `json:"leaderId,omitempty"`
	Election      *minutes.Leader      `json:"election,omitempty"`
	Phases        []*minutes.Visit     `json:"phaseResults"`
	Motions       []*minutes.Motion    `json:"motions"`
	EndedBy       string               `json:"endedBy,omitempty"`         // ADJOURNED, or the end of the last debate
	Decided       bool                 `json:"decided"`                   // the deciding phase carried a motion
	Winning       *minutes.Moved       `json:"winningMotion,omitempty"`   // that motion
	Final         string               `json:"finalResolution,omitempty"` // the decisions of the resolutions
	Requires      bool                 `json:"requiresExecution"`         // there is an execution-handoff.json
	Approved      bool                 `json:"executionApproved"`         // the brief may be carried out
	OutputType    council.OutputType   `json:"outputType"`
	DocApproved   *bool                `json:"documentationApproved"` // null: no document was asked for
	Documentation Documentation        `json:"documentation"`
	Execution     Execution            `json:"execution"`
	Undecided     *council.Undecided   `json:"undecided,omitempty"`
	Dissents      []DissentRef         `json:"dissents"`
	Citations     *minutes.Citations   `json:"citations,omitempty"` // absent: the charter does not have them marked
	Faults        []minutes.Fault      `json:"faults"`
	Suspensions   []minutes.Suspension `json:"suspensions"`
	Usage         minutes.UsageReport  `json:"usage"`
	Erased        []string             `json:"erased,omitempty"`  // events of whose content something was erased
	Receipt       *minutes.Receipt     `json:"receipt,omitempty"` // see [minutes.Minutes.Receipt]
	Artifacts     []string             `json:"artifacts"`         // files that can be rendered from the log
}

// Outcome is the answer that people want first.
type Outcome struct {
	minutes.Gist
	Resolutions []minutes.Moved    `json:"resolutions"`       // those in force, in the order in which they carried
	Findings    []minutes.Moved    `json:"findings"`          // motions that carried and decide nothing
	Leaning     string             `json:"leaning,omitempty"` // the option to which an undecided council leans
	Unmet       minutes.Unmet      `json:"unmet"`
	Objection   *minutes.Objection `json:"objection,omitempty"` // the strongest; absent: there is none
}

// Checkpoint holds the number of events, the root of the tree over them, as package anchor makes it, and the sum of the
// last event.
type Checkpoint struct {
	Origin string `json:"origin"`
	Size   int    `json:"size"`
	Root   string `json:"root"`
	Head   string `json:"head"`
}

// GivenDocument names a context document.
type GivenDocument struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// Memory names the records of earlier sessions that members were given, and their fate in this one.
type Memory struct {
	Reminded   []Reminded           `json:"reminded,omitempty"`   // the council's first, then the members' in seat order
	RecalledIn string               `json:"recalledIn,omitempty"` // the event
	Recalled   []Recalled           `json:"recalled,omitempty"`
	Settled    []council.Settlement `json:"claimedSettled,omitempty"` // by the leader
}

// Reminded names the records of one memory that were given. Member is empty for the council's memory.
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
	ID       council.MemberID          `json:"id"`
	Name     string                    `json:"name"`
	Role     string                    `json:"role"`
	Provider string                    `json:"provider"`
	Model    string                    `json:"model,omitempty"`    // as configured
	Reported string                    `json:"reported,omitempty"` // as the provider last named it
	StoodIn  []minutes.FallbackAnswers `json:"stoodIn,omitempty"`  // other models that answered while it was missing or down

	// PromptCut is the first event whose server counted fewer tokens than its prompt has.
	PromptCut string `json:"promptCut,omitempty"`
}

// Documentation is the state of the document.
type Documentation struct {
	Status council.DocumentationStatus `json:"status,omitempty"` // set when the session is closed, or the draft approved
	File   string                      `json:"file,omitempty"`   // documentation.md or documentation.unapproved.md
	SHA256 string                      `json:"fileSha256,omitempty"`
	Drafts []DraftRecord               `json:"drafts"`
}

// DraftRecord is one version of the document with its vote.
type DraftRecord struct {
	Version    int               `json:"version"`
	SHA256     string            `json:"sha256"` // of the words that were voted on
	File       string            `json:"file"`
	FileSHA256 string            `json:"fileSha256,omitempty"` // of the file, which shows HTML and links as text
	Event      string            `json:"event"`
	Vote       *council.Decision `json:"vote,omitempty"`
}

// Execution is the progress of the execution of the brief.
type Execution struct {
	Status      council.ExecutionStatus `json:"status"`
	Withheld    council.Withholding     `json:"withheld,omitempty"` // why the leader's brief is not cleared
	Why         string                  `json:"why,omitempty"`      // the same as a sentence
	BriefSHA256 string                  `json:"briefSha256,omitempty"`
}

// DissentRef names a dissent; its words are in minority-report.md.
type DissentRef struct {
	Member council.MemberID `json:"member"`
	Event  string           `json:"event"`
}

// ReviewFile is documentation.review.vN.json: the reasons against a draft, and the fate of its blockers.
type ReviewFile struct {
	Header
	Version   int                     `json:"version"`
	SHA256    string                  `json:"sha256"`
	File      string                  `json:"file"` // the draft
	Vote      council.Decision        `json:"vote"`
	Ballots   []minutes.Ballot        `json:"ballots"`
	Reviews   []minutes.Review        `json:"reviews"`
	Blockers  []minutes.RaisedBlocker `json:"blockers"`            // equal ones of several members once
	Unfounded []minutes.Unfounded     `json:"unfounded,omitempty"` // in the draft, ballots and reviews
}

// BlockersFile is documentation.unresolved-blockers.json: the reasons against the last draft. Blockers are those of the
// last failed vote; Earlier are those before it, each with its fate.
type BlockersFile struct {
	Header
	Draft       council.DraftRef        `json:"draft"`              // that in documentation.unapproved.md
	FailedIn    int                     `json:"failedIn,omitempty"` // the version whose vote failed last; 0: none
	Vote        *council.Decision       `json:"vote,omitempty"`     // that vote
	Blockers    []minutes.RaisedBlocker `json:"blockers"`
	Suggestions []Suggestion            `json:"suggestions"`
	Earlier     []minutes.RaisedBlocker `json:"earlier"`
}

// Suggestion is a change that a member would like but does not insist on.
type Suggestion struct {
	Member     council.MemberID `json:"member"`
	Suggestion string           `json:"suggestion"`
}

// HandoffFile is execution-handoff.json: all that another tool needs to carry out the decision. It exists when there is
// a brief that may be carried out, now or after a person's approval.
type HandoffFile struct {
	Header
	Council          string                  `json:"councilName"`
	Topic            string                  `json:"topic"`
	ClosedAt         string                  `json:"closedAt"`
	Checkpoint       Checkpoint              `json:"checkpoint"` // of the log from which the file was rendered
	Leader           council.MemberID        `json:"leaderId"`
	Status           council.ExecutionStatus `json:"status"`
	ApprovalRequired bool                    `json:"approvalRequired"`
	Approved         bool                    `json:"approved"`           // it may be carried out
	Withheld         council.Withholding     `json:"withheld,omitempty"` // why the brief is not cleared by itself
	Why              string                  `json:"why,omitempty"`      // the same as a sentence
	Approval         *minutes.Ruling         `json:"approval,omitempty"` // of the present brief
	Rejection        *minutes.Ruling         `json:"rejection,omitempty"`
	Started          *minutes.Ruling         `json:"started,omitempty"`
	Finished         *minutes.Ruling         `json:"finished,omitempty"`
	Outcome          HandoffOutcome          `json:"outcome"`
	Motion           council.MotionID        `json:"motionId"`        // the last of the decisions
	FinalResolution  string                  `json:"finalResolution"` // the decisions of the resolutions
	Decisions        []minutes.Motion        `json:"decisions"`       // that the brief carries out, without their ballots
	Unmet            minutes.Unmet           `json:"unmet"`
	Brief            HandoffBrief            `json:"executionBrief"`
	Changes          []council.Change        `json:"briefChanges"` // since the leader's summary, by revisions and people
	BriefSHA256      string                  `json:"briefSha256"`  // of the brief as the log has it
	DefaultProfile   string                  `json:"defaultExecutorProfile"`
	Steps            []HandoffStep           `json:"steps"`
	Criteria         []string                `json:"acceptanceCriteria"` // of the whole, beyond those of the steps
	Risks            []HandoffRisk           `json:"risks"`
	Documents        []GivenDocument         `json:"documents"` // that the council was given
	Documentation    HandoffDocumentation    `json:"documentation"`
}

// HandoffOutcome is the question to the council, and the answer in the words that were carried.
type HandoffOutcome struct {
	Question    string              `json:"question"`
	Resolutions []HandoffResolution `json:"resolutions"`
}

// HandoffResolution is a resolution with the events that made and decided it.
type HandoffResolution struct {
	council.Resolution
	Event     string `json:"event"`
	DecidedIn string `json:"decidedIn"`
}

// HandoffBrief is the brief in one line an entry; acceptanceCriteria has those of the steps too.
type HandoffBrief struct {
	Objective string   `json:"objective"`
	Profile   string   `json:"recommendedExecutorProfile"`
	Steps     []string `json:"steps"`
	Risks     []string `json:"risks"`
	Criteria  []string `json:"acceptanceCriteria"`
}

// HandoffStep is a step of the present brief. Its id counts from s1.
type HandoffStep struct {
	ID       string     `json:"id"`
	Step     string     `json:"step"`
	Criteria []string   `json:"acceptanceCriteria"`
	AskedIn  []AskedFor `json:"askedIn"` // the decisions, where the brief names no event of the session
}

// AskedFor names who asked for a step in which event. Member is empty for a person.
type AskedFor struct {
	Event  string           `json:"event"`
	Member council.MemberID `json:"member,omitempty"`
}

// HandoffRisk is a risk of the present brief. Its id counts from r1.
type HandoffRisk struct {
	ID string `json:"id"`
	council.BriefRisk
}

// HandoffDocumentation names the document, if there is one.
type HandoffDocumentation struct {
	Status     council.DocumentationStatus `json:"status"`
	File       string                      `json:"file,omitempty"`
	SHA256     string                      `json:"sha256,omitempty"`     // of the words that were voted on
	FileSHA256 string                      `json:"fileSha256,omitempty"` // of the file
}
