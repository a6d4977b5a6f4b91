package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// Rule decides what a human ruling means and returns the event to record. It changes nothing. [ErrBadRuling]: the
// ruling does not apply to the session as it stands.
func (s *Session) Rule(r council.Ruling) (council.Event, error) {
	if s.owed != nil {
		return council.Event{}, badRuling("%s is due first", s.owed.Row().Type)
	}
	p, err := s.rule(r)
	if err != nil {
		return council.Event{}, err
	}
	return s.event(p, ""), nil
}

func (s *Session) rule(r council.Ruling) (council.Payload, error) {
	switch r := r.(type) {
	case council.MemoryRecalled:
		return r, s.mayRecall(r)
	case council.SessionSuspended:
		if !r.Fault.Kind.Curable() {
			return nil, badRuling("a %s fault does not suspend a session", r.Fault.Kind)
		}
		return council.SessionSuspended{Fault: r.Fault}, s.whileOpen()
	case council.SessionResumed:
		if s.suspended == nil {
			return nil, badRuling("the session is not suspended")
		}
		return r, s.whileOpen()
	case council.SessionAdjourned:
		return r, s.whileOpen()
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
		return r, s.whileOpen()
	case council.BudgetAmended:
		if why := affordable(&s.charter, r.Budget); why != "" {
			return nil, badRuling("%s", why)
		}
		return r, s.whileOpen()
	case council.ServerMoved:
		if _, err := charter.Move(s.reached, r.Member, r.BaseURL); err != nil {
			return nil, badRuling("%v", err)
		}
		return r, s.whileOpen()
	case council.BriefAmended:
		executes, lost, unknown := s.executes(r.Brief)
		if others := append(lost, unknown...); len(others) > 0 && s.outcome != nil {
			return nil, badRuling("the brief names %q, and the council carried no such motion", others[0])
		}
		r.BriefSHA256, r.Executes = r.Brief.SHA256(), executes
		return r, s.takesRuling(r)
	case council.ExecutionApproved:
		if r.InAdvance && s.handoff.Withheld != "" {
			return nil, badRuling("it cannot be approved in advance: %s", s.handoff.Withheld.Why())
		}
		return r, s.onBrief(r, r.BriefSHA256)
	case council.ExecutionRejected:
		return r, s.onBrief(r, r.BriefSHA256)
	case council.ExecutionStarted:
		return r, s.onBrief(r, r.BriefSHA256)
	case council.ExecutionFinished:
		return r, s.takesRuling(r)
	}
	return nil, badRuling("there is no such ruling")
}

func (s *Session) whileOpen() error {
	if s.outcome != nil {
		return badRuling("the session is closed")
	}
	return nil
}
