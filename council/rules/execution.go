package rules

import (
	"slices"

	"github.com/council-engine/council/council"
)

// onBrief refuses a ruling that does not apply to the execution, or is on another brief than the one that stands.
func (s *Session) onBrief(p council.Payload, sha256 string) error {
	if err := s.takesRuling(p); err != nil {
		return err
	}
	if now := s.handoff.BriefSHA256; sha256 != now {
		return badRuling("the brief is %s, not %s", now, sha256)
	}
	return nil
}

// stands describes an execution to which a ruling does not apply, by its status.
var stands = map[council.ExecutionStatus]string{
	council.ExecutionNotRequired:      "the session's leader called for no execution, so there is no brief to rule on",
	council.ExecutionAwaitingApproval: "the execution awaits approval",
	council.ExecutionCleared:          "the charter asks for no approval, and the execution is cleared",
	council.ExecutionPermitted:        "the execution is approved already",
	council.ExecutionRefused:          "the execution is rejected",
	council.ExecutionUnderWay:         "the execution has started",
	council.ExecutionSucceeded:        "the execution is finished: it succeeded",
	council.ExecutionFailed:           "the execution is finished: it failed",
}

func (s *Session) takesRuling(p council.Payload) error {
	switch h := s.handoff; {
	case s.outcome == nil:
		return badRuling("the session is not closed yet")
	case h.Takes(p.Row().Type):
		return nil
	case h.Status == council.ExecutionWithheld:
		return badRuling("%s", h.Withheld.Why())
	default:
		return badRuling("%s", stands[h.Status])
	}
}

// concludeExecution computes from a session's decisions whether the brief that its leader wrote is to be carried out.
func (s *Session) concludeExecution(o *council.Outcome) {
	brief := s.handoff.Brief
	if brief == nil {
		return
	}
	executes, lost, _ := s.executes(*brief)
	switch {
	case s.adjourned:
		o.ExecutionWithheld = council.WithheldAdjourned
	case !o.Decided:
		o.ExecutionWithheld = council.WithheldUndecided
	case len(lost) > 0:
		o.ExecutionWithheld = council.WithheldMotion
	default:
		o.Executes = executes
		if o.Documentation != council.DocumentationNone && o.Documentation != council.DocumentationApproved {
			o.ExecutionWithheld = council.WithheldDocument
		}
	}
	o.RequiresExecution = o.ExecutionWithheld == ""
}

// executes sorts what a brief names: motions that stand, motions that do not, and what is not a motion. A brief that
// names no motion carries out all that the session resolved.
func (s *Session) executes(b council.Brief) (carried []council.MotionID, lost, unknown []string) {
	for _, name := range b.Motions {
		switch id, stands := council.MotionNamed(s.log, name); {
		case id == "":
			unknown = append(unknown, name)
		case !stands:
			lost = append(lost, name)
		case !slices.Contains(carried, id):
			carried = append(carried, id)
		}
	}
	if len(carried)+len(lost) == 0 {
		carried = ids(s.decided)
	}
	return carried, lost, unknown
}
