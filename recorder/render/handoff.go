package render

func (s *session) handoffFile() HandoffFile {
	h := s.Handoff
	f := HandoffFile{
		Header:           s.header(),
		Council:          s.Started.Charter.CouncilName,
		Status:           h.Status,
		Withheld:         h.Held(),
		Why:              h.Held().Why(),
		ApprovalRequired: s.Started.Charter.Execution.RequireHumanApproval,
		Approval:         s.Ruling(h.Approval),
		Rejection:        s.Ruling(h.Rejection),
		Started:          s.Ruling(h.Start),
		Finished:         s.Ruling(h.Finish),
		Executes:         []HandoffMotion{},
		BriefSHA256:      h.BriefSHA256,
		Documentation:    HandoffDocumentation{Status: s.Outcome.Documentation, Unanswered: s.Unanswered()},
		Dissents:         len(s.Dissents),
	}
	if h.Brief != nil { // else it was erased
		f.Brief, f.ExecutorProfile = *h.Brief, h.Brief.RecommendedExecutorProfile
	}
	if f.ExecutorProfile == "" {
		f.ExecutorProfile = s.Started.Charter.Execution.DefaultExecutorProfile
	}
	if s.Summary != nil {
		f.FinalResolution = s.Summary.FinalResolution
	}
	for _, id := range h.Executes {
		one := HandoffMotion{Motion: id}
		if m := s.Motion(id); m != nil {
			one = HandoffMotion{
				Motion: id, Phase: m.Phase, Title: m.Title, Text: m.Text, Decision: m.Decision, Vote: m.Vote,
			}
		}
		f.Executes = append(f.Executes, one)
	}
	if doc := s.documentation(); doc.File != "" {
		f.Documentation.File = doc.File
		final := s.FinalDraft()
		f.Documentation.SHA256 = final.SHA256
		_, f.Documentation.FileSHA256 = s.draftFile(final)
	}
	return f
}
