package council

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Answer decides what a reply means and returns the event to record. It changes nothing. [ErrNotPending]: the ask is
// not open. [ErrBadReply]: the reply breaks its contract.
func (s *Session) Answer(r Reply) (Event, error) {
	if s.owed != nil || s.outcome != nil {
		return Event{}, ErrNotPending
	}
	a, ok := s.open.find(r.Ask)
	if !ok {
		return Event{}, ErrNotPending
	}
	if (r.Body == nil) == (r.Fault == nil) {
		return Event{}, badReply("a reply has either a body or a fault")
	}
	var p Payload
	var err error
	if r.Fault != nil {
		p, err = fault(a, r)
	} else if r.Body.AskKind() != a.Kind {
		err = badReply("a %s was asked for, not a %s", a.Kind, r.Body.AskKind())
	} else {
		p, err = s.answer(a, r)
	}
	if err != nil {
		return Event{}, err
	}
	return s.event(p, a.Member), nil
}

func fault(a Ask, r Reply) (Payload, error) {
	f := *r.Fault
	if !slices.Contains(FaultKinds(), f.Kind) {
		return nil, badReply("there is no fault %q", f.Kind)
	}
	if f.Kind.Curable() {
		return SessionSuspended{Ask: a.ID, Usage: r.Usage, Fault: f}, nil
	}
	answered := Answered{Ask: a.ID, AsOf: a.AsOf, Usage: r.Usage}
	return MemberFaulted{Answered: answered, Kind: a.Kind, Standing: standing(f.Kind, a.Kind), Fault: f}, nil
}

// standing says how a fault counts for an ask: a spoiled ballot is a ballot, every other fault is an absence.
func standing(k FaultKind, ask AskKind) Standing {
	voted := ask == AskBallot || ask == AskNominate || ask == AskSecond
	if voted && (k == FaultUnparsable || k == FaultTruncated) {
		return StandingInvalid
	}
	return StandingAbsent
}

// answer checks a body against its contract and the state of the session, and makes it a payload.
func (s *Session) answer(a Ask, r Reply) (Payload, error) {
	answered := Answered{Ask: a.ID, AsOf: a.AsOf, Usage: r.Usage}
	switch b := r.Body.(type) {
	case Position:
		if !(b.Confidence >= 0 && b.Confidence <= 1) {
			return nil, badReply("confidence must lie between 0 and 1")
		}
		return PositionSealed{Answered: answered, Position: b}, needs("position", b.Position)
	case Nomination:
		if s.charter.Member(b.CandidateID) == nil {
			return nil, badReply("there is no member %q to vote for", b.CandidateID)
		}
		return LeaderBallotCast{Answered: answered, Nomination: b}, nil
	case Turn:
		return s.takeTurn(answered, b)
	case Second:
		return SecondAnswered{Answered: answered, Motion: s.motion.ID, Second: b}, nil
	case Ballot:
		if b.Ballot != ChoiceYes && b.Ballot != ChoiceNo && b.Ballot != ChoiceAbstain {
			return nil, badReply("a ballot is YES, NO or ABSTAIN, not %q", b.Ballot)
		}
		return BallotCast{Answered: answered, Subject: s.subject(), Ballot: b}, nil
	case Assessment:
		return PhaseAssessed{Answered: answered, Assessment: b}, nil
	case Summary:
		return summary(answered, b)
	case Draft:
		return s.takeDraft(answered, b)
	case Review:
		if len(b.CriticalBlockers) > MaxBlockers || len(b.SuggestedChanges) > MaxSuggestions {
			return nil, badReply("a review has at most %d blockers and %d suggestions", MaxBlockers, MaxSuggestions)
		}
		b.CriticalBlockers = s.numberBlockers(a.Member, b.CriticalBlockers)
		return ReviewGiven{Answered: answered, Version: s.version, Review: b}, nil
	case Dissent:
		if utf8.RuneCountInString(b.Dissent) > MaxDissent {
			return nil, badReply("a dissent has at most %d characters", MaxDissent)
		}
		return DissentWritten{Answered: answered, Dissent: b}, nil
	}
	return nil, badReply("there is no such reply")
}

func (s *Session) takeTurn(answered Answered, t Turn) (Payload, error) {
	switch t.Action {
	case ActionContribute:
		return ContributionMade{Answered: answered, Message: t.Message}, needs("message", t.Message)
	case ActionPass:
		return TurnPassed{Answered: answered, Reason: t.Reason, Note: t.Note}, needs("reason", t.Reason)
	case ActionCallVote:
		for name, text := range map[string]string{
			"motionTitle": t.MotionTitle, "motionText": t.MotionText, "decisionIfPass": t.DecisionIfPass,
		} {
			if err := needs(name, text); err != nil {
				return nil, err
			}
		}
		return MotionMade{
			Answered: answered, Motion: s.turnID(),
			MotionTitle: t.MotionTitle, MotionText: t.MotionText, DecisionIfPass: t.DecisionIfPass,
		}, nil
	}
	return nil, badReply("a turn is CONTRIBUTE, PASS or CALL_VOTE, not %q", t.Action)
}

func (s *Session) subject() Subject {
	if s.motion != nil {
		return Subject{Motion: s.motion.ID}
	}
	ref := s.draft.DraftRef
	return Subject{Draft: &ref}
}

func summary(answered Answered, b Summary) (Payload, error) {
	if err := needs("finalResolution", b.FinalResolution); err != nil {
		return nil, err
	}
	p := SummaryWritten{Answered: answered, Summary: b}
	if b.RequiresExecution {
		if b.ExecutionBrief == nil {
			return nil, badReply("a resolution that requires execution needs an executionBrief")
		}
		p.BriefSHA256 = b.ExecutionBrief.SHA256()
	}
	return p, needs("summaryMarkdown", b.SummaryMarkdown)
}

// takeDraft names the draft by its digest and notes the blockers that the leader passed over.
func (s *Session) takeDraft(answered Answered, b Draft) (Payload, error) {
	given := map[string]BlockerResponse{}
	for _, r := range b.Responses {
		if r.Answer != AnswerAccepted && r.Answer != AnswerRejected && r.Answer != AnswerDeferred {
			return nil, badReply("blocker %s is accepted, rejected or deferred, not %q", r.BlockerID, r.Answer)
		}
		if !slices.ContainsFunc(s.blockers, func(known Blocker) bool { return known.ID == r.BlockerID }) {
			return nil, badReply("there is no blocker %q to answer", r.BlockerID)
		}
		given[r.BlockerID] = r
	}
	b.Responses = nil
	for _, blocker := range s.blockers {
		response, ok := given[blocker.ID]
		if !ok {
			response = BlockerResponse{BlockerID: blocker.ID, Answer: AnswerUnanswered}
		}
		b.Responses = append(b.Responses, response)
	}
	ref := DraftRef{Version: s.version, SHA256: Digest(b.Markdown)}
	return DraftWritten{Answered: answered, DraftRef: ref, Draft: b}, needs("the document", b.Markdown)
}

func needs(name, text string) error {
	if strings.TrimSpace(text) == "" {
		return badReply("%s is empty", name)
	}
	return nil
}
