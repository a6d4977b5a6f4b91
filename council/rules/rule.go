package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// Rule checks a person's ruling and returns the event to record. It changes nothing. [ErrBadRuling]: the ruling does
// not apply now.
func (s *Session) Rule(r council.Ruling) (council.Event, error) {
	if s.due != nil {
		return council.Event{}, badRuling("%s is due first", s.due.Row().Type)
	}
	p, err := s.rulingPayload(r)
	if err != nil {
		return council.Event{}, err
	}
	return s.newEvent(p, ""), nil
}

func (s *Session) rulingPayload(r council.Ruling) (council.Payload, error) {
	switch r := r.(type) {
	case council.MemoryRecalled:
		return r, s.checkRecall(r)
	case council.SessionSuspended:
		if !r.Fault.Kind.Curable() {
			return nil, badRuling("a %s fault does not suspend a session", r.Fault.Kind)
		}
		return council.SessionSuspended{Fault: r.Fault}, s.checkOpen()
	case council.SessionResumed:
		if s.suspended == nil {
			return nil, badRuling("the session is not suspended")
		}
		return r, s.checkOpen()
	case council.SessionAdjourned:
		return r, s.checkOpen()
	case council.NoteGiven:
		if n := utf8.RuneCountInString(r.Text); n > council.MaxNote || strings.TrimSpace(r.Text) == "" {
			return nil, badRuling("a note has 1 to %d characters, and this one %d", council.MaxNote, n)
		}
		if r.In(s.log) {
			return nil, badRuling("the note %s is recorded already", r.ID)
		}
		if r.Ahead && slices.Contains(s.open.done, true) {
			return nil, badRuling("a question that was open with the others is answered already")
		}
		return r, s.checkOpen()
	case council.BudgetAmended:
		if why := s.charter.CannotHold(r.Budget); why != "" {
			return nil, badRuling("%s", why)
		}
		return r, s.checkOpen()
	case council.ServerMoved:
		if _, err := charter.MoveServer(s.reached, r.Member, r.BaseURL); err != nil {
			return nil, badRuling("%v", err)
		}
		return r, s.checkOpen()
	case council.BriefAmended:
		if err := s.checkRuling(r); err != nil {
			return nil, err
		}
		r.Brief = r.Brief.WithIDs(s.log, motionIDs(s.decided))
		executes, lost, unknown := r.Brief.Named(s.log, motionIDs(s.decided))
		if others := append(lost, unknown...); len(others) > 0 {
			return nil, badRuling("the brief names %q, which is no resolution of the council", others[0])
		}
		if len(executes) == 0 { // a person may leave out the names of the brief before
			executes = s.handoff.Executes
		}
		r.BriefSHA256, r.Executes = r.Brief.SHA256(), executes
		return r, nil
	case council.ExecutionApproved:
		if r.InAdvance && s.handoff.Withheld != "" {
			return nil, badRuling("it cannot be approved in advance: %s", s.handoff.Withheld.Why())
		}
		return r, s.checkBrief(r, r.BriefSHA256)
	case council.ExecutionRejected:
		return r, s.checkBrief(r, r.BriefSHA256)
	case council.ExecutionStarted:
		return r, s.checkBrief(r, r.BriefSHA256)
	case council.ExecutionFinished:
		return r, s.checkRuling(r)
	}
	return nil, badRuling("there is no such ruling")
}

func (s *Session) checkOpen() error {
	if s.outcome != nil {
		return badRuling("the session is closed")
	}
	return nil
}

// checkBrief refuses a ruling that does not apply to the execution, or is on another brief than the current one.
func (s *Session) checkBrief(p council.Payload, sha256 string) error {
	if err := s.checkRuling(p); err != nil {
		return err
	}
	if now := s.handoff.BriefSHA256; sha256 != now {
		return badRuling("the brief is %s, not %s", now, sha256)
	}
	return nil
}

// rulingRefusals explains by the execution's status why a ruling does not apply.
var rulingRefusals = map[council.ExecutionStatus]string{
	council.ExecutionNotRequired:      "the session's leader called for no execution, so there is no brief to rule on",
	council.ExecutionAwaitingApproval: "the execution awaits approval",
	council.ExecutionCleared:          "the charter asks for no approval, and the execution is cleared",
	council.ExecutionPermitted:        "the execution is approved already",
	council.ExecutionRefused:          "the execution is rejected",
	council.ExecutionUnderWay:         "the execution has started",
	council.ExecutionSucceeded:        "the execution is finished: it succeeded",
	council.ExecutionFailed:           "the execution is finished: it failed",
}

func (s *Session) checkRuling(p council.Payload) error {
	switch h := s.handoff; {
	case s.outcome == nil:
		return badRuling("the session is not closed yet")
	case h.Takes(p.Row().Type):
		return nil
	case h.Status == council.ExecutionWithheld:
		return badRuling("%s", h.Withheld.Why())
	default:
		return badRuling("%s", rulingRefusals[h.Status])
	}
}

// concludeExecution computes from a session's decisions whether the brief that its leader wrote is to be carried out.
func (s *Session) concludeExecution(o *council.Outcome) {
	brief := s.handoff.Brief
	if brief == nil {
		return
	}
	executes, lost, _ := brief.Named(s.log, motionIDs(s.decided))
	switch {
	case o.Rehearsed:
		o.ExecutionWithheld = council.WithheldRehearsed
	case s.adjourned:
		o.ExecutionWithheld = council.WithheldAdjourned
	case !o.Decided:
		o.ExecutionWithheld = council.WithheldUndecided
	case len(lost) > 0:
		o.ExecutionWithheld = council.WithheldMotion
	case len(executes) == 0:
		o.ExecutionWithheld = council.WithheldUnnamed
	default:
		o.Executes = executes
		switch o.Documentation {
		case council.DocumentationNone:
			o.ExecutionWithheld = council.WithheldUnvoted
		case council.DocumentationApproved:
		default:
			o.ExecutionWithheld = council.WithheldDocument
		}
	}
	o.RequiresExecution = o.ExecutionWithheld == ""
}
