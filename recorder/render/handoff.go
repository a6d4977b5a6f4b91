package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
)

func (s *session) handoffFile() artifact.HandoffFile {
	x := s.Execution
	f := artifact.HandoffFile{
		Header:           s.Header,
		Council:          s.Started.Charter.CouncilName,
		Status:           x.Status,
		ApprovalRequired: s.Started.Charter.Execution.RequireHumanApproval,
		Approval:         x.Approval,
		Rejection:        x.Rejection,
		Started:          x.Started,
		Finished:         x.Finished,
		BriefSHA256:      x.BriefSHA256,
		Brief:            x.Brief,
		ExecutorProfile:  x.Brief.RecommendedExecutorProfile,
		Documentation:    artifact.HandoffDocumentation{Status: s.Outcome.Documentation},
		Dissents:         len(s.Dissents),
	}
	if f.ExecutorProfile == "" {
		f.ExecutorProfile = s.Started.Charter.Execution.DefaultExecutorProfile
	}
	if s.Summary != nil {
		f.FinalResolution = s.Summary.Payload.(council.SummaryWritten).FinalResolution
	}
	if r := s.Outcome.Resolution; r != nil {
		f.Resolution = &artifact.HandoffResolution{
			Motion: r.Motion, Phase: r.Phase, Title: r.Title, Text: r.Text, Decision: r.Decision,
		}
		if m := s.Motion(r.Motion); m != nil {
			f.Resolution.Vote = m.Vote
		}
	}
	if doc := s.documentation(); doc.File != "" {
		f.Documentation.File = doc.File
		f.Documentation.SHA256 = s.FinalDraft().SHA256
	}
	return f
}
