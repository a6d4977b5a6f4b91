package story

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// Execution is how far the brief has come. The rulings are those on the brief as it stands.
type Execution struct {
	Status      artifact.HandoffStatus
	Brief       council.Brief
	BriefSHA256 string
	Approval    *artifact.HandoffRuling
	Rejection   *artifact.HandoffRuling
	Started     *artifact.HandoffRuling
	Finished    *artifact.HandoffRuling
}

// hand sets the brief of a session that was just closed on its way, if there is one.
func (s *Story) hand() {
	if !s.Outcome.RequiresExecution {
		return
	}
	if s.Summary != nil {
		p := s.Summary.Payload.(council.SummaryWritten)
		s.Execution.BriefSHA256 = p.BriefSHA256
		if p.ExecutionBrief != nil {
			s.Execution.Brief = *p.ExecutionBrief
		}
	}
	s.Execution.Status = s.uncleared()
}

// uncleared is the status of a brief that nobody ruled on.
func (s *Story) uncleared() artifact.HandoffStatus {
	if s.Started.Charter.Execution.RequireHumanApproval {
		return artifact.HandoffAwaitingApproval
	}
	return artifact.HandoffCleared
}

func (s *Story) takeExecution(e wire.Entry) {
	x := &s.Execution
	ruling := func(by, note string) *artifact.HandoffRuling {
		return &artifact.HandoffRuling{By: by, At: wire.Stamp(e.Time), Event: e.Seq.ID(), Note: note}
	}
	switch p := e.Payload.(type) {
	case council.BriefAmended:
		*x = Execution{Status: s.uncleared(), Brief: p.Brief, BriefSHA256: p.BriefSHA256}
	case council.ExecutionApproved:
		if p.BriefSHA256 == x.BriefSHA256 {
			x.Status, x.Approval, x.Rejection = artifact.HandoffApproved, ruling(p.By, p.Note), nil
		}
	case council.ExecutionRejected:
		if p.BriefSHA256 == x.BriefSHA256 {
			x.Status, x.Approval, x.Rejection = artifact.HandoffRejected, nil, ruling(p.By, p.Reason)
		}
	case council.ExecutionStarted:
		if p.BriefSHA256 == x.BriefSHA256 {
			x.Status, x.Started = artifact.HandoffStarted, ruling(p.By, "")
		}
	case council.ExecutionFinished:
		x.Status, x.Finished = artifact.HandoffFailed, ruling(p.By, p.Note)
		if p.Succeeded {
			x.Status = artifact.HandoffSucceeded
		}
	}
}
