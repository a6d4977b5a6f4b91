package council

import (
	"maps"
	"slices"
	"strings"

	"github.com/council-engine/council/council/quorum"
)

// ExecutionStatus is how far the execution of a session has come.
type ExecutionStatus string

// The statuses of an execution.
const (
	ExecutionNotRequired      ExecutionStatus = "NOT_REQUIRED" // or the session is still open
	ExecutionWithheld         ExecutionStatus = "WITHHELD"     // for good: no ruling clears it
	ExecutionAwaitingApproval ExecutionStatus = "AWAITING_APPROVAL"
	ExecutionCleared          ExecutionStatus = "CLEARED"  // the charter asks for no approval
	ExecutionPermitted        ExecutionStatus = "APPROVED" // by a person
	ExecutionRefused          ExecutionStatus = "REJECTED"
	ExecutionUnderWay         ExecutionStatus = "STARTED"
	ExecutionSucceeded        ExecutionStatus = "SUCCEEDED"
	ExecutionFailed           ExecutionStatus = "FAILED"
)

// Words returns the status as people are told it; "" where there is nothing to carry out.
func (s ExecutionStatus) Words() string { return executionWords[s] }

// ExecutionWords lists what [ExecutionStatus.Words] may return, in order.
func ExecutionWords() []string { return slices.Sorted(maps.Values(executionWords)) }

var executionWords = map[ExecutionStatus]string{
	ExecutionWithheld:         "withheld",
	ExecutionAwaitingApproval: "awaits approval",
	ExecutionCleared:          "cleared",
	ExecutionPermitted:        "approved",
	ExecutionRefused:          "rejected",
	ExecutionUnderWay:         "started",
	ExecutionSucceeded:        "carried out",
	ExecutionFailed:           "failed",
}

// Withholding is the reason why a brief that the leader wrote is not cleared. Empty: nothing withholds it.
type Withholding string

// The reasons. Only an unapproved document leaves the execution to a person; the others end it.
const (
	WithheldRehearsed Withholding = "REHEARSED"
	WithheldAdjourned Withholding = "ADJOURNED"
	WithheldUndecided Withholding = "NOT_DECIDED"
	WithheldMotion    Withholding = "MOTION_NOT_CARRIED"
	WithheldDocument  Withholding = "DOCUMENT_NOT_APPROVED"
)

// Why returns the reason as a sentence, or "".
func (w Withholding) Why() string { return reasons[w] }

var reasons = map[Withholding]string{
	WithheldRehearsed: "The built-in rehearsal had a seat, so nothing was decided, and the brief cannot be carried out.",
	WithheldAdjourned: "The session was adjourned before it was completed, so its brief cannot be carried out.",
	WithheldUndecided: "The council decided nothing, so there is nothing to carry out.",
	WithheldMotion:    "The brief names a motion that did not carry or was replaced, so it cannot be carried out.",
	WithheldDocument:  "A document was asked for and not approved, so only a person who has read the brief can clear it.",
}

// Handoff folds a log into how far the execution of its brief has come. The zero value is the fold of no event. It
// takes the log's word for consequences; rulings that do not apply change nothing.
type Handoff struct {
	Status      ExecutionStatus
	Withheld    Withholding
	Executes    []MotionID // the carried motions that the brief carries out
	Brief       *Brief     // as it stands; nil: the leader wrote none
	BriefSHA256 string     // what an approval must name

	// The rulings on the brief as it stands; nil where there is none.
	Approval, Rejection, Start, Finish *ExecutionRuling

	waived     bool // the charter asks for no approval
	rejections []rejection
}

// rejection is the last rejection of a brief that no approval of the same brief followed.
type rejection struct {
	brief string // its SHA-256
	*ExecutionRuling
}

// RejectionOf returns the last rejection of the brief with the given SHA-256 that no approval of it followed, or nil.
// It outlives an amendment, so that a brief that was rejected is known again when it comes back.
func (h *Handoff) RejectionOf(sha256 string) *ExecutionRuling {
	for _, r := range h.rejections {
		if r.brief == sha256 {
			return r.ExecutionRuling
		}
	}
	return nil
}

// overrule forgets the rejection of a brief. Copies of a handoff share their rejections, so none is changed in place.
func (h *Handoff) overrule(sha256 string) {
	h.rejections = slices.DeleteFunc(slices.Clone(h.rejections), func(r rejection) bool { return r.brief == sha256 })
}

// ExecutionRuling is a person's ruling on a brief, with its event.
type ExecutionRuling struct {
	Seq       Seq
	By, Note  string
	InAdvance bool
}

// rulable lists the statuses in which each ruling on a brief applies.
var rulable = map[EventType][]ExecutionStatus{
	TypeOf[BriefAmended]():      {ExecutionAwaitingApproval, ExecutionCleared, ExecutionPermitted, ExecutionRefused},
	TypeOf[ExecutionApproved](): {ExecutionAwaitingApproval, ExecutionRefused},
	TypeOf[ExecutionRejected](): {ExecutionAwaitingApproval, ExecutionCleared, ExecutionPermitted},
	TypeOf[ExecutionStarted]():  {ExecutionCleared, ExecutionPermitted},
	TypeOf[ExecutionFinished](): {ExecutionUnderWay},
}

// RulesOnBrief reports whether events of the type are rulings on the execution brief, which follow the close.
func (t EventType) RulesOnBrief() bool { _, ok := rulable[t]; return ok }

// Takes reports whether a ruling of the given type applies to the execution as it stands.
func (h *Handoff) Takes(ruling EventType) bool { return slices.Contains(rulable[ruling], h.Status) }

// Take folds in the next event of the log.
func (h *Handoff) Take(e Event) {
	if h.Status == "" {
		h.Status = ExecutionNotRequired
	}
	switch p := e.Payload.(type) {
	case SessionStarted:
		h.waived = !p.Charter.Execution.RequireHumanApproval
	case SummaryWritten:
		if p.RequiresExecution && p.ExecutionBrief != nil {
			h.Brief, h.BriefSHA256 = p.ExecutionBrief, p.BriefSHA256
		}
	case SessionClosed:
		h.Withheld, h.Executes = p.ExecutionWithheld, p.Executes
		switch {
		case p.RequiresExecution, p.ExecutionWithheld == WithheldDocument:
			h.Status = h.clearance()
		case p.ExecutionWithheld != "":
			h.Status = ExecutionWithheld
		}
	case BriefAmended:
		if h.Takes(e.Type()) {
			*h = Handoff{
				Withheld: h.Withheld, Executes: p.Executes, Brief: &p.Brief, BriefSHA256: p.BriefSHA256,
				waived: h.waived, rejections: h.rejections,
			}
			h.Status = h.clearance()
		}
	case ExecutionApproved:
		if h.rule(e, ExecutionPermitted, p.BriefSHA256) {
			h.Approval, h.Rejection = &ExecutionRuling{e.Seq, p.By, p.Note, p.InAdvance}, nil
			h.overrule(p.BriefSHA256)
		}
	case ExecutionRejected:
		if h.rule(e, ExecutionRefused, p.BriefSHA256) {
			h.Approval, h.Rejection = nil, &ExecutionRuling{Seq: e.Seq, By: p.By, Note: p.Reason}
			h.overrule(p.BriefSHA256)
			h.rejections = append(h.rejections, rejection{p.BriefSHA256, h.Rejection})
		}
	case ExecutionStarted:
		if h.rule(e, ExecutionUnderWay, p.BriefSHA256) {
			h.Start = &ExecutionRuling{Seq: e.Seq, By: p.By}
		}
	case ExecutionFinished:
		status := ExecutionFailed
		if p.Succeeded {
			status = ExecutionSucceeded
		}
		if h.rule(e, status, h.BriefSHA256) {
			h.Finish = &ExecutionRuling{Seq: e.Seq, By: p.By, Note: p.Note}
		}
	}
}

// rule moves the execution on, if the ruling applies to it and is on the brief as it stands.
func (h *Handoff) rule(e Event, to ExecutionStatus, sha256 string) bool {
	applies := h.Takes(e.Type()) && sha256 == h.BriefSHA256
	if applies {
		h.Status = to
	}
	return applies
}

// clearance returns the status of a brief without rulings.
func (h *Handoff) clearance() ExecutionStatus {
	if h.waived && h.Withheld == "" {
		return ExecutionCleared
	}
	return ExecutionAwaitingApproval
}

// Held returns why the brief may not be carried out, or "" once a person has ruled on it.
func (h *Handoff) Held() Withholding {
	if h.Status == ExecutionWithheld || h.Status == ExecutionAwaitingApproval {
		return h.Withheld
	}
	return ""
}

// Approved reports whether the brief may be carried out: a person approved it, or the charter asks for no approval.
func (h *Handoff) Approved() bool {
	return h.HandedOff() && h.Status != ExecutionAwaitingApproval && h.Status != ExecutionRefused
}

// HandedOff reports whether there is a brief that may be carried out, now or once a person approves it.
func (h *Handoff) HandedOff() bool {
	return h.Status != "" && h.Status != ExecutionNotRequired && h.Status != ExecutionWithheld
}

// Brief tells an executor what to do. Motions names the carried motions that it carries out, each by its id or by the
// event that made or decided it; without any it carries out the session's resolution.
type Brief struct {
	Objective                  string      `json:"objective" text:"brief"`
	RecommendedExecutorProfile string      `json:"recommendedExecutorProfile" text:"id"`
	Motions                    []string    `json:"motions,omitempty" text:"id"`
	Steps                      []Step      `json:"steps,omitzero"`
	Risks                      []BriefRisk `json:"risks,omitzero"`

	// By which all of it is accepted, beyond those of its steps.
	AcceptanceCriteria []string `json:"acceptanceCriteria,omitzero" text:"brief"`
}

// Step is one step of a brief.
type Step struct {
	Step               string   `json:"step" text:"brief"`
	AcceptanceCriteria []string `json:"acceptanceCriteria,omitempty" text:"brief"`
	AskedIn            []string `json:"askedIn,omitempty" text:"id"` // the events in which somebody asked for it
}

// BriefRisk is a risk of carrying out a brief. Unlike the words of a [Risk], a digest on record names its words.
type BriefRisk struct {
	Risk       string `json:"risk" text:"brief"`
	Mitigation string `json:"mitigation,omitempty" text:"brief"`
}

// SHA256 names the brief in approvals: the digest of its compact JSON, in which `<`, `>` and `&` stand as they are.
func (b Brief) SHA256() string { return Digest(CompactJSON(b)) }

// Told lists in words of one line each the steps, the risks, and the criteria of the steps and then of all of it.
func (b Brief) Told() (steps, risks, criteria []string) {
	for _, s := range b.Steps {
		steps, criteria = append(steps, s.Step), append(criteria, s.AcceptanceCriteria...)
	}
	for _, r := range b.Risks {
		risks = append(risks, r.Risk)
	}
	return steps, risks, append(criteria, b.AcceptanceCriteria...)
}

// MotionNamed finds a motion by its id, or by the event that made or decided it. It stands if it carried and no motion
// that carried later replaced it. The id is "" where the name is not that of a motion.
func MotionNamed(log []Event, name string) (id MotionID, stands bool) {
	name = strings.ToLower(strings.Trim(name, " \t\r\n[]().,"))
	replaces, options := map[MotionID][]MotionID{}, map[MotionID][]MotionID{}
	for _, e := range log {
		switch p := e.Payload.(type) {
		case MotionMade:
			replaces[p.Motion] = p.Supersedes
			if name == string(p.Motion) || name == e.Seq.ID() {
				id = p.Motion
			}
		case ChoicePut:
			options[p.Motion] = p.Motions
		case MotionDecided:
			if name == string(p.Motion) || name == e.Seq.ID() {
				id = p.Motion
			}
			carried := p.Result == quorum.Carried
			if of := options[p.Motion]; carried && len(of) > 0 { // the motion that was chosen stands by the choice
				replaces[p.Motion] = replaces[of[p.Choice.Winner]]
				if id == of[p.Choice.Winner] {
					id = p.Motion
				}
			}
			if p.Motion == id {
				stands = carried
			} else if carried && slices.Contains(replaces[p.Motion], id) {
				stands = false
			}
		}
	}
	return id, stands
}
