package rules

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Answer checks a reply and returns the event to record. It changes nothing. [ErrNotPending]: the ask is not open.
// [council.ErrBadReply]: the reply breaks its contract.
func (s *Session) Answer(r council.Reply) (council.Event, error) {
	if s.due != nil || s.outcome != nil {
		return council.Event{}, ErrNotPending
	}
	a, ok := s.open.find(r.Ask)
	if !ok {
		return council.Event{}, ErrNotPending
	}
	if (r.Body == nil) == (r.Fault == nil) {
		return council.Event{}, badReply("a reply has either a body or a fault")
	}
	if err := s.checkUses(a.Member, r.Tools); err != nil {
		return council.Event{}, err
	}
	if len(r.Refused) > 0 && a.Kind != council.AskDraft {
		return council.Event{}, badReply("a %s has no refused drafts", a.Kind)
	}
	var p council.Payload
	var err error
	if r.Fault != nil {
		p, err = faultPayload(a, r)
	} else if r.Body.AskKind() != a.Kind {
		err = badReply("a %s was asked for, not a %s", a.Kind, r.Body.AskKind())
	} else {
		p, err = s.replyPayload(a, r)
	}
	if err != nil {
		return council.Event{}, err
	}
	return s.newEvent(p, a.Member), nil
}

func faultPayload(a council.Ask, r council.Reply) (council.Payload, error) {
	f := *r.Fault
	if !slices.Contains(council.FaultKinds(), f.Kind) {
		return nil, badReply("there is no fault %q", f.Kind)
	}
	if f.Kind.Curable() {
		return council.SessionSuspended{Ask: a.ID, Usage: r.Usage, Fault: f}, nil
	}
	standing := standingOf(f.Kind, a.Kind)
	return council.MemberFaulted{Answered: r.Answered(a), Kind: a.Kind, Standing: standing, Fault: f}, nil
}

// standingOf returns how a fault counts for an ask: a spoiled ballot is invalid, every other fault is an absence.
func standingOf(k council.FaultKind, ask council.AskKind) council.Standing {
	voted := ask.Blind() && ask != council.AskPosition
	if voted && (k == council.FaultUnparsable || k == council.FaultTruncated) {
		return council.StandingInvalid
	}
	return council.StandingAbsent
}

func (s *Session) replyPayload(a council.Ask, r council.Reply) (council.Payload, error) {
	answered := r.Answered(a)
	body, shortened := council.Shorten(r.Body)
	if len(shortened) > 0 {
		answered.Shortened = shortened
	}
	switch b := body.(type) {
	case council.Position:
		if !(b.Confidence >= 0 && b.Confidence <= 1) {
			return nil, badReply("confidence must lie between 0 and 1")
		}
		if !s.charter.Deliberation.ElectWithPositions || !slices.Contains(s.seats, b.CandidateID) {
			b.CandidateID = ""
		}
		if err := s.rankPosition(&b); err != nil {
			return nil, err
		}
		return council.PositionSealed{Answered: answered, Position: b}, requireText("position", b.Position)
	case council.Nomination:
		if !slices.Contains(s.seats, b.CandidateID) {
			return nil, badReply("there is no member %q to vote for", b.CandidateID)
		}
		return council.LeaderBallotCast{Answered: answered, Nomination: b}, nil
	case council.Turn:
		return s.turnPayload(a.Member, answered, b)
	case council.Answer:
		return council.QuestionAnswered{Answered: answered, Answer: b}, requireText("answer", b.Answer)
	case council.Second:
		return s.secondPayload(answered, b)
	case council.Amend:
		return s.amendPayload(answered, b)
	case council.Ballot:
		return s.ballotPayload(answered, b)
	case council.Ranked:
		if _, ok := b.Ranking.Of(s.motion.Options); !ok {
			return nil, errRanking
		}
		return council.RankingCast{Answered: answered, Motion: s.motion.ID, Ranked: b}, nil
	case council.Assessment:
		return council.PhaseAssessed{Answered: answered, Assessment: b}, nil
	case council.Summary:
		return s.summaryPayload(answered, b)
	case council.Draft:
		return s.draftPayload(answered, b)
	case council.Review:
		b.CriticalBlockers = s.numberBlockers(a.Member, b.CriticalBlockers)
		return council.ReviewGiven{Answered: answered, Version: s.version, Review: b}, nil
	case council.Dissent:
		if b.CriticalBlockers = s.numberBlockers(a.Member, b.CriticalBlockers); !s.mayBlock(a.Member) {
			b.CriticalBlockers = nil
		}
		return council.DissentWritten{Answered: answered, Dissent: b}, nil
	}
	return nil, badReply("there is no such reply")
}

func (s *Session) turnPayload(m council.MemberID, answered council.Answered, t council.Turn) (council.Payload, error) {
	switch t.Action {
	case council.ActionContribute:
		cites := s.firstCited(answered, t.Message)
		return council.ContributionMade{Answered: answered, Message: t.Message, Cites: cites},
			requireText("message", t.Message)
	case council.ActionPass:
		cites := s.firstCited(answered, t.Reason, t.Note)
		return council.TurnPassed{Answered: answered, Reason: t.Reason, Note: t.Note, Cites: cites}, nil
	case council.ActionAddOption:
		return s.optionPayload(m, answered, t)
	case council.ActionCallVote:
		if s.ranksOptions() {
			return nil, badReply("the options are ranked when the debate ends, and no motion is voted on")
		}
		for _, part := range []struct{ name, text string }{
			{"motionTitle", t.MotionTitle}, {"motionText", t.MotionText}, {"decisionIfPass", t.DecisionIfPass},
		} {
			if err := requireText(part.name, part.text); err != nil {
				return nil, err
			}
		}
		for _, id := range t.Supersedes {
			if !slices.Contains(motionIDs(s.carried), id) {
				return nil, badReply("no motion %q stands in this phase", id)
			}
		}
		moved := council.Wording{MotionTitle: t.MotionTitle, MotionText: t.MotionText, DecisionIfPass: t.DecisionIfPass}
		return council.MotionMade{
			Answered: answered, Motion: s.turnID(m), MotionTitle: t.MotionTitle, MotionText: t.MotionText,
			DecisionIfPass: t.DecisionIfPass, Supersedes: t.Supersedes,
		}, s.refuseLost(moved, nil)
	}
	if t.Action == council.ActionAsk && s.mayAsk() {
		return s.questionPayload(m, answered, t)
	}
	if t.Action == council.ActionCallChoice && s.phase.Governance.Choices && !s.together && !s.ranksOptions() {
		if _, problem := council.OptionProblem(t.Options); problem != "" {
			return nil, badReply("the options: %s", problem)
		}
		if err := s.refuseLost(council.Wording{}, t.Options); err != nil {
			return nil, err
		}
		return council.MotionMade{
			Answered: answered, Motion: s.turnID(m), MotionTitle: t.MotionTitle, MotionText: t.MotionText, Options: t.Options,
		}, requireText("motionTitle", t.MotionTitle)
	}
	return nil, badReply("there is no action %q", t.Action)
}

// refuseLost refuses a motion, or a choice, that was lost before.
func (s *Session) refuseLost(w council.Wording, options []string) error {
	if lost := council.LostBefore(s.log, w, options); lost > 0 {
		return badReply("it was lost already (%s), and may not be moved again unchanged", lost.ID())
	}
	return nil
}

func (s *Session) ballotPayload(answered council.Answered, b council.Ballot) (council.Payload, error) {
	if b.Ballot != council.ChoiceYes && b.Ballot != council.ChoiceNo && b.Ballot != council.ChoiceAbstain {
		return nil, badReply("a ballot is YES, NO or ABSTAIN, not %q", b.Ballot)
	}
	b.Stance = s.stanceOf(b.Stance)
	if s.subject().Motion == "" {
		b.Stance = "" // of a draft, or of an amendment, there is nothing to prefer
	}
	return council.BallotCast{Answered: answered, Subject: s.subject(), Ballot: b}, nil
}

func (s *Session) subject() council.Subject {
	if s.amending.pending != nil {
		return council.Subject{Amendment: s.amending.pending.ID}
	}
	if s.motion != nil {
		return council.Subject{Motion: s.motion.ID}
	}
	ref := s.draft.DraftRef
	return council.Subject{Draft: &ref}
}

func (s *Session) summaryPayload(answered council.Answered, b council.Summary) (council.Payload, error) {
	if len(s.decided) > 0 {
		b.Undecided = nil
	}
	for _, settlement := range b.Settles {
		if settlement.How != council.SettledResolved && settlement.How != council.SettledSuperseded {
			return nil, badReply("record %s is RESOLVED or SUPERSEDED, not %q", settlement.Record, settlement.How)
		}
	}
	p := council.SummaryWritten{Answered: answered, Summary: b}
	if b.RequiresExecution {
		if b.ExecutionBrief == nil {
			return nil, badReply("a resolution that requires execution needs an executionBrief")
		}
		brief := b.ExecutionBrief.WithIDs(s.log, motionIDs(s.decided))
		p.ExecutionBrief, p.BriefSHA256 = &brief, brief.SHA256()
	}
	return p, requireText("summaryMarkdown", b.SummaryMarkdown)
}

// draftPayload names the draft by its digest, with the brief that goes with it, and notes the blockers that the leader
// passed over. A brief that a revision states anew and that names nothing carries out the same as the one before.
func (s *Session) draftPayload(answered council.Answered, b council.Draft) (council.Payload, error) {
	for _, section := range b.MissingSections {
		if !slices.Contains(s.charter.DocumentationReview.Sections, section) {
			return nil, badReply("the charter asks for no section %q", section)
		}
	}
	given := map[string]council.BlockerResponse{}
	for _, r := range b.Responses {
		if r.Answer != council.AnswerAccepted && r.Answer != council.AnswerRejected && r.Answer != council.AnswerDeferred {
			return nil, badReply("blocker %s is accepted, rejected or deferred, not %q", r.BlockerID, r.Answer)
		}
		if !slices.ContainsFunc(s.blockers, func(known council.Blocker) bool { return known.ID == r.BlockerID }) {
			return nil, badReply("there is no blocker %q to answer", r.BlockerID)
		}
		given[r.BlockerID] = r
	}
	b.Responses = nil
	for _, blocker := range s.blockers {
		response, ok := given[blocker.ID]
		if !ok {
			response = council.BlockerResponse{BlockerID: blocker.ID, Answer: council.AnswerUnanswered}
		}
		b.Responses = append(b.Responses, response)
	}
	ref := council.DraftRef{Version: s.version, SHA256: council.Digest(b.Markdown), BriefSHA256: s.handoff.BriefSHA256}
	if s.version == 1 || s.handoff.Brief == nil {
		b.ExecutionBrief = nil // there is none to state anew
	} else if b.ExecutionBrief != nil {
		brief := b.ExecutionBrief.WithIDs(s.log, motionIDs(s.decided))
		if len(brief.Motions) == 0 {
			brief.Motions = s.handoff.Brief.Motions
		}
		b.ExecutionBrief, ref.BriefSHA256 = &brief, brief.SHA256()
	}
	return council.DraftWritten{Answered: answered, DraftRef: ref, Draft: b}, requireText("the document", b.Markdown)
}

func requireText(name, text string) error {
	if strings.TrimSpace(text) == "" {
		return badReply("%s is empty", name)
	}
	return nil
}

// checkUses holds a member's tool calls against its charter: who, how often, how much. Results are not judged.
func (s *Session) checkUses(id council.MemberID, uses []council.ToolUse) error {
	if len(uses) == 0 {
		return nil
	}
	m := s.charter.Member(id)
	if m == nil || m.Tools == nil {
		return badReply("%s has no tools", id)
	}
	if may := m.Tools.Calls(council.Uses(s.log, id)); len(uses) > may {
		return badReply("%s may call tools %d times more, not %d times", id, may, len(uses))
	}
	for _, u := range uses {
		if len(u.Result) > m.Tools.Bytes() {
			return badReply("a result has at most %d bytes", m.Tools.Bytes())
		}
		if u.SHA256 != council.Digest(u.Result) {
			return badReply("a result of %s is not what its SHA-256 says", u.Tool)
		}
	}
	return nil
}

// applyFault goes on without the member that gave no usable answer.
func (s *Session) applyFault(p council.MemberFaulted, m council.MemberID) {
	count := func(invalid, absent *int) {
		if p.Standing != council.StandingInvalid {
			invalid = absent
		}
		*invalid++
	}
	switch p.Kind {
	case council.AskPosition:
		s.noBallots++ // where positions elect
		s.afterPosition(m)
	case council.AskNominate:
		count(&s.badBallots, &s.noBallots)
		s.afterLast(m, s.countElection)
	case council.AskTurn:
		s.afterTurn(m)
	case council.AskReply:
		s.nextTurn()
	case council.AskSecond:
		s.afterSecond(m, false)
	case council.AskAmend:
		s.afterAmend(m, council.Amend{})
	case council.AskBallot, council.AskRank:
		count(&s.vote.count.Invalid, &s.vote.count.Absent)
		s.afterBallot(m)
	case council.AskReview:
		s.afterLast(m, s.callRevision)
	case council.AskDissent:
		s.afterLast(m, s.closeSession)
	case council.AskAssess, council.AskSummary, council.AskDraft:
		s.applyLeaderFault(p, m)
	}
}

// applyLeaderFault has the next in the ranking answer in the leader's place. When none is left, the session goes on
// without the answer.
func (s *Session) applyLeaderFault(p council.MemberFaulted, m council.MemberID) {
	s.handover = p.Kind
	if next := slices.Index(s.ranking, m) + 1; next < len(s.ranking) {
		s.setDue(council.LeaderSucceeded{From: m, To: s.ranking[next], Because: p.Ask})
		return
	}
	switch p.Kind {
	case council.AskAssess:
		s.setDue(s.endPhase())
	case council.AskSummary:
		s.callDocument()
	case council.AskDraft:
		s.callDissent()
	}
}
