package council

import (
	"cmp"
	"maps"
	"slices"
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

// Words returns the status for people; "" where there is nothing to carry out.
func (s ExecutionStatus) Words() string { return executionWords[s] }

// ExecutionWords lists the words of [ExecutionStatus.Words], in order.
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

// The reasons. A brief that no ballot covered is left to a person; the other reasons end the execution.
const (
	WithheldRehearsed Withholding = "REHEARSED"
	WithheldAdjourned Withholding = "ADJOURNED"
	WithheldUndecided Withholding = "NOT_DECIDED"
	WithheldMotion    Withholding = "MOTION_NOT_CARRIED"
	WithheldUnnamed   Withholding = "NOTHING_NAMED"
	WithheldUnvoted   Withholding = "NOT_VOTED_ON"          // no document was asked for
	WithheldDocument  Withholding = "DOCUMENT_NOT_APPROVED" // or it was never drafted
)

// UpToPerson reports whether a person may clear the brief in spite of the reason.
func (w Withholding) UpToPerson() bool { return w == WithheldUnvoted || w == WithheldDocument }

// Why returns the reason as a sentence, or "".
func (w Withholding) Why() string { return withholdReasons[w] }

var withholdReasons = map[Withholding]string{
	WithheldRehearsed: "The built-in rehearsal had a seat, so nothing was decided, and the brief cannot be carried out.",
	WithheldAdjourned: "The session was adjourned before it was completed, so its brief cannot be carried out.",
	WithheldUndecided: "The council decided nothing, so there is nothing to carry out.",
	WithheldMotion:    "The brief names a motion that did not carry or was replaced, so it cannot be carried out.",
	WithheldUnnamed:   "The brief names nothing that the council carried, so it cannot be carried out.",
	WithheldUnvoted:   "No ballot covered the brief, so only a person who has read it can clear it.",
	WithheldDocument:  "A document was asked for and not approved, so only a person who has read the brief can clear it.",
}

// Handoff folds a log into how far the execution of its brief has come. The zero value is the fold of no event. It
// takes the log's word for consequences; rulings that do not apply change nothing.
type Handoff struct {
	Status      ExecutionStatus
	Withheld    Withholding
	Executes    []MotionID // the carried motions that the brief carries out
	Brief       *Brief     // as amended; nil: the leader wrote none
	BriefIn     Seq        // the event that holds it
	BriefSHA256 string     // its name in approvals
	Summarised  *Brief     // the brief of the leader's summary, from which a draft or a person may have changed it

	// The rulings on the current brief; nil where there is none.
	Approval, Rejection, Start, Finish *ExecutionRuling

	waived     bool                        // the charter asks for no approval
	rejections map[string]*ExecutionRuling // by the SHA-256 of the brief; nil: approved since
}

// RejectionOf returns the last rejection of the brief with the given SHA-256 that no approval of it followed, or nil.
// It outlives an amendment, so that a brief that was rejected is known again when it comes back.
func (h *Handoff) RejectionOf(sha256 string) *ExecutionRuling { return h.rejections[sha256] }

// setRejection replaces the rejections, which copies of a handoff share.
func (h *Handoff) setRejection(sha256 string, r *ExecutionRuling) {
	all := map[string]*ExecutionRuling{}
	maps.Copy(all, h.rejections)
	all[sha256] = r
	h.rejections = all
}

// ExecutionRuling is a person's ruling on a brief, with its event.
type ExecutionRuling struct {
	Seq       Seq
	By, Note  string
	InAdvance bool
}

// allowedStatuses lists the statuses in which each ruling on a brief applies.
var allowedStatuses = map[EventType][]ExecutionStatus{
	TypeOf[BriefAmended]():      {ExecutionAwaitingApproval, ExecutionCleared, ExecutionPermitted, ExecutionRefused},
	TypeOf[ExecutionApproved](): {ExecutionAwaitingApproval, ExecutionRefused},
	TypeOf[ExecutionRejected](): {ExecutionAwaitingApproval, ExecutionCleared, ExecutionPermitted},
	TypeOf[ExecutionStarted]():  {ExecutionCleared, ExecutionPermitted},
	TypeOf[ExecutionFinished](): {ExecutionUnderWay},
}

// RulesOnBrief reports whether events of the type are rulings on the execution brief, which follow the close.
func (t EventType) RulesOnBrief() bool { _, ok := allowedStatuses[t]; return ok }

// Takes reports whether a ruling of the given type applies to the execution now.
func (h *Handoff) Takes(ruling EventType) bool {
	return slices.Contains(allowedStatuses[ruling], h.Status)
}

// Apply folds in the next event of the log.
func (h *Handoff) Apply(e Event) {
	h.Status = cmp.Or(h.Status, ExecutionNotRequired)
	switch p := e.Payload.(type) {
	case SessionStarted:
		h.waived = !p.Charter.Execution.RequireHumanApproval
	case SummaryWritten:
		if p.RequiresExecution && p.ExecutionBrief != nil {
			h.Brief, h.BriefIn, h.BriefSHA256, h.Summarised = p.ExecutionBrief, e.Seq, p.BriefSHA256, p.ExecutionBrief
		}
	case DraftWritten:
		if p.ExecutionBrief != nil {
			h.Brief, h.BriefIn, h.BriefSHA256 = p.ExecutionBrief, e.Seq, p.BriefSHA256
		}
	case SessionClosed:
		h.Withheld, h.Executes = p.ExecutionWithheld, p.Executes
		switch {
		case p.RequiresExecution && h.waived && h.Withheld == "":
			h.Status = ExecutionCleared
		case p.RequiresExecution, h.Withheld.UpToPerson():
			h.Status = ExecutionAwaitingApproval
		case h.Withheld != "":
			h.Status = ExecutionWithheld
		}
	case BriefAmended:
		if h.Takes(e.Type()) {
			*h = Handoff{Status: ExecutionAwaitingApproval, Withheld: h.Withheld, Executes: p.Executes,
				Brief: &p.Brief, BriefIn: e.Seq, BriefSHA256: p.BriefSHA256, Summarised: h.Summarised, rejections: h.rejections}
		}
	case ExecutionApproved:
		if h.applyRuling(e, ExecutionPermitted, p.BriefSHA256) {
			h.Approval, h.Rejection = &ExecutionRuling{e.Seq, p.By, p.Note, p.InAdvance}, nil
			h.setRejection(p.BriefSHA256, nil)
		}
	case ExecutionRejected:
		if h.applyRuling(e, ExecutionRefused, p.BriefSHA256) {
			h.Approval, h.Rejection = nil, &ExecutionRuling{Seq: e.Seq, By: p.By, Note: p.Reason}
			h.setRejection(p.BriefSHA256, h.Rejection)
		}
	case ExecutionStarted:
		if h.applyRuling(e, ExecutionUnderWay, p.BriefSHA256) {
			h.Start = &ExecutionRuling{Seq: e.Seq, By: p.By}
		}
	case ExecutionFinished:
		status := ExecutionFailed
		if p.Succeeded {
			status = ExecutionSucceeded
		}
		if h.applyRuling(e, status, h.BriefSHA256) {
			h.Finish = &ExecutionRuling{Seq: e.Seq, By: p.By, Note: p.Note}
		}
	}
}

// applyRuling sets the status, if the ruling applies now and is on the current brief.
func (h *Handoff) applyRuling(e Event, to ExecutionStatus, sha256 string) bool {
	applies := h.Takes(e.Type()) && sha256 == h.BriefSHA256
	if applies {
		h.Status = to
	}
	return applies
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
