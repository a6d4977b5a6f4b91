package rules

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// Answer checks a reply and returns the event to record. It changes nothing. [ErrNotPending]: the ask is not open.
// [council.ErrBadReply]: the reply breaks its contract.
func (s *Session) Answer(r council.Reply) (council.Event, error) {
	a := council.Find(s.open.out, func(a council.Ask) bool { return a.ID == r.Ask })
	if a == nil || s.due != nil || s.closing.outcome != nil {
		return council.Event{}, ErrNotPending
	}
	p, err := s.replyPayload(*a, r)
	if err != nil {
		return council.Event{}, err
	}
	return s.newEvent(p, a.Member), nil
}

// faultPayload records a fault as an absence, but a spoiled ballot as invalid.
func (s *Session) faultPayload(a council.Ask, r council.Reply) (council.Payload, error) {
	f, standing, votes := *r.Fault, council.StandingAbsent, a.Kind.Blind() && a.Kind != council.AskPosition
	switch {
	case !slices.Contains(council.FaultKinds(), f.Kind) || f.Kind == council.FaultExcluded:
		return nil, badReply("there is no fault %q", f.Kind)
	case f.Kind == council.FaultNotAwaited && !s.settled():
		return nil, badReply("%s is awaited", a.ID)
	case f.Kind.Spends() && s.poll.mayStayOpen(a):
		standing = council.StandingOpen
	case f.Kind.Curable():
		return council.SessionSuspended{Ask: a.ID, Usage: r.Usage, Fault: f}, nil
	case votes && (f.Kind == council.FaultUnparsable || f.Kind == council.FaultTruncated):
		standing = council.StandingInvalid
	}
	return council.MemberFaulted{Answered: r.Answered(a), Kind: a.Kind, Standing: standing, Fault: f}, nil
}

func (s *Session) replyPayload(a council.Ask, r council.Reply) (council.Payload, error) {
	switch err := s.checkUses(a.Member, r.Tools); {
	case (r.Body == nil) == (r.Fault == nil):
		return nil, badReply("a reply has either a body or a fault")
	case err != nil:
		return nil, err
	case len(r.Refused) > 0 && a.Kind != council.AskDraft:
		return nil, badReply("a %s has no refused drafts", a.Kind)
	case r.Fault != nil:
		return s.faultPayload(a, r)
	case r.Body.AskKind() != a.Kind:
		return nil, badReply("a %s was asked for, not a %s", a.Kind, r.Body.AskKind())
	}
	answered := r.Answered(a)
	body, shortened := council.Shorten(r.Body)
	if len(shortened) > 0 {
		answered.Shortened = shortened
	}
	c, m := &s.closing, &s.visit.matter
	switch b := body.(type) {
	case council.Position:
		options := s.charter.Options
		if s.visit.phase != nil { // of a spare
			options = s.poll.answers
		}
		return s.election.positionPayload(answered, b, options)
	case council.Nomination:
		if !slices.Contains(s.seats, b.CandidateID) {
			return nil, badReply("there is no member %q to vote for", b.CandidateID)
		}
		return council.LeaderBallotCast{Answered: answered, Nomination: b}, nil
	case council.Answers:
		return s.poll.proposalPayload(answered, b)
	case council.Turn:
		return turn{&s.visit, a.Member, answered, b}.payload()
	case council.Answer:
		return council.QuestionAnswered{Answered: answered, Answer: b}, requireText("answer", b.Answer)
	case council.Second:
		return m.secondPayload(answered, b)
	case council.Amend:
		return m.amendPayload(answered, b)
	case council.Ballot:
		return s.ballotPayload(answered, b)
	case council.Ranked:
		if _, ok := b.Ranking.Of(m.motion.Options); !ok {
			return nil, errRanking
		}
		return council.RankingCast{Answered: answered, Motion: m.motion.ID, Ranked: b}, nil
	case council.Assessment:
		return council.PhaseAssessed{Answered: answered, Assessment: b}, nil
	case council.Summary:
		return c.summaryPayload(answered, b)
	case council.Draft:
		return c.draftPayload(answered, b)
	case council.Review:
		b.CriticalBlockers = c.numberBlockers(a.Member, b.CriticalBlockers)
		return council.ReviewGiven{Answered: answered, Version: c.version, Review: b}, nil
	case council.Dissent:
		if b.CriticalBlockers = c.numberBlockers(a.Member, b.CriticalBlockers); !c.mayBlock(a.Member) {
			b.CriticalBlockers = nil
		}
		return council.DissentWritten{Answered: answered, Dissent: b}, nil
	}
	return nil, badReply("there is no such reply")
}

// ballotPayload checks a ballot on an amendment, a motion or a draft. Only on a motion does it name a stance.
func (s *Session) ballotPayload(answered council.Answered, b council.Ballot) (council.Payload, error) {
	if b.Ballot != council.ChoiceYes && b.Ballot != council.ChoiceNo && b.Ballot != council.ChoiceAbstain {
		return nil, badReply("a ballot is YES, NO or ABSTAIN, not %q", b.Ballot)
	}
	var on council.Subject
	stance := ""
	switch m := &s.visit.matter; {
	case m.pending != nil:
		on.Amendment = m.pending.ID
	case m.motion != nil:
		on.Motion, stance = m.motion.ID, s.stanceOf(b.Stance)
	default:
		on.Draft = new(s.closing.draft.DraftRef)
	}
	if b.Stance = stance; on.Draft == nil || !s.charter.IsAuto() {
		b.CriticalBlockers = nil
	}
	return council.BallotCast{Answered: answered, Subject: on, Ballot: b}, nil
}

func requireText(name, text string) error {
	if strings.TrimSpace(text) == "" {
		return badReply("%s is empty", name)
	}
	return nil
}

// Rule checks a person's ruling and returns the event to record, changing nothing. [ErrBadRuling]: it does not apply.
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
	c := &s.closing
	switch r := r.(type) {
	case council.MemoryRecalled:
		return r, s.checkRecall(r)
	case council.SessionSuspended:
		if !r.Fault.Kind.Curable() {
			return nil, badRuling("a %s fault does not suspend a session", r.Fault.Kind)
		}
		return council.SessionSuspended{Fault: r.Fault}, c.checkOpen()
	case council.SessionResumed:
		if s.suspended == nil {
			return nil, badRuling("the session is not suspended")
		}
		return r, c.checkOpen()
	case council.SessionAdjourned:
		return r, c.checkOpen()
	case council.NoteGiven:
		if n := utf8.RuneCountInString(r.Text); n > council.MaxNote || strings.TrimSpace(r.Text) == "" {
			return nil, badRuling("a note has 1 to %d characters, and this one %d", council.MaxNote, n)
		}
		if r.In(s.log) {
			return nil, badRuling("the note %s is recorded already", r.ID)
		}
		if r.Ahead && len(s.open.out) < len(s.open.asks) {
			return nil, badRuling("a question that was open with the others is answered already")
		}
		return r, c.checkOpen()
	case council.BudgetAmended:
		if why := s.charter.CannotHold(r.Budget); why != "" {
			return nil, badRuling("%s", why)
		}
		return r, c.checkOpen()
	case council.MembersExcluded:
		return r, cmp.Or(c.checkOpen(), s.checkExclusion(r.Members))
	case council.ServerMoved:
		if _, err := charter.MoveServer(s.reached, r.Member, r.BaseURL); err != nil {
			return nil, badRuling("%v", err)
		}
		return r, c.checkOpen()
	case council.BriefAmended:
		return c.briefPayload(r)
	case council.ExecutionApproved:
		if r.InAdvance && c.handoff.Withheld != "" {
			return nil, badRuling("it cannot be approved in advance: %s", c.handoff.Withheld.Why())
		}
		return r, c.checkBrief(r, r.BriefSHA256)
	case council.ExecutionRejected:
		return r, c.checkBrief(r, r.BriefSHA256)
	case council.ExecutionStarted:
		return r, c.checkBrief(r, r.BriefSHA256)
	case council.ExecutionFinished:
		return r, c.checkApplies(r)
	}
	return nil, badRuling("there is no such ruling")
}

// checkExclusion refuses to exclude strangers, members that are excluded already, and the last one that sits.
func (s *Session) checkExclusion(members []council.MemberID) error {
	excluded := slices.Clone(s.excluded)
	for _, m := range members {
		switch {
		case s.charter.Member(m) == nil:
			return badRuling("there is no member %q to exclude", m)
		case slices.Contains(excluded, m):
			return badRuling("%s is excluded already", m)
		}
		excluded = append(excluded, m)
	}
	switch left := s.membersWhere(func(m council.MemberID) bool { return !slices.Contains(excluded, m) }); {
	case len(members) == 0:
		return badRuling("it excludes no member")
	case len(left) == 0:
		return badRuling("no member would be left to ask; such a session can be adjourned")
	}
	return nil
}

type turn struct {
	*visit
	member   council.MemberID
	answered council.Answered
	council.Turn
}

func (t turn) payload() (council.Payload, error) {
	switch {
	case t.Action == council.ActionContribute:
		cites := t.firstCited(t.answered, t.Message)
		return council.ContributionMade{Answered: t.answered, Message: t.Message, Cites: cites},
			requireText("message", t.Message)
	case t.Action == council.ActionPass:
		cites := t.firstCited(t.answered, t.Reason, t.Note)
		return council.TurnPassed{Answered: t.answered, Reason: t.Reason, Note: t.Note, Cites: cites}, nil
	case t.Action == council.ActionAddOption:
		return t.optionPayload()
	case t.Action == council.ActionCallVote && t.ranksOptions():
		return nil, badReply("the options are ranked when the debate ends, and no motion is voted on")
	case t.Action == council.ActionCallVote:
		return t.motionPayload()
	case t.Action == council.ActionAsk && t.mayAsk():
		return t.questionPayload()
	case t.Action == council.ActionCallChoice && t.phase.Governance.Choices && !t.together && !t.ranksOptions():
		return t.choicePayload()
	}
	return nil, badReply("there is no action %q", t.Action)
}

// optionPayload checks an option that a turn adds, with its reasons.
func (t turn) optionPayload() (council.Payload, error) {
	options, may := t.charter.OptionsAt(t.phase, t.added, t.answered.AsOf, t.member)
	if !may {
		return nil, badReply("no option can be added")
	}
	if _, problem := council.OptionProblem(append(options, t.Option)); problem != "" {
		return nil, badReply("the option: %s", problem)
	}
	return council.ContributionMade{Answered: t.answered, Message: t.Message, Option: t.Option,
		Cites: t.firstCited(t.answered, t.Message)}, requireText("message", t.Message)
}

func (t turn) motionPayload() (council.Payload, error) {
	if err := cmp.Or(requireText("motionTitle", t.MotionTitle), requireText("motionText", t.MotionText),
		requireText("decisionIfPass", t.DecisionIfPass)); err != nil {
		return nil, err
	}
	for _, id := range t.Supersedes {
		if !slices.Contains(motionIDs(t.carried), id) {
			return nil, badReply("no motion %q stands in this phase", id)
		}
	}
	moved := council.Wording{MotionTitle: t.MotionTitle, MotionText: t.MotionText, DecisionIfPass: t.DecisionIfPass}
	return council.MotionMade{Answered: t.answered, Motion: t.turnID(t.member), MotionTitle: t.MotionTitle,
		MotionText: t.MotionText, DecisionIfPass: t.DecisionIfPass, Supersedes: t.Supersedes}, t.refuseLost(moved, nil)
}

func (t turn) choicePayload() (council.Payload, error) {
	if _, problem := council.OptionProblem(t.Options); problem != "" {
		return nil, badReply("the options: %s", problem)
	}
	return council.MotionMade{Answered: t.answered, Motion: t.turnID(t.member), MotionTitle: t.MotionTitle,
		MotionText: t.MotionText, Options: t.Options,
	}, cmp.Or(t.refuseLost(council.Wording{}, t.Options), requireText("motionTitle", t.MotionTitle))
}

func (t turn) questionPayload() (council.Payload, error) {
	if t.To == t.member || t.To != council.Convener && !slices.Contains(t.seats, t.To) {
		return nil, badReply("a question is put to another member or to %s, not to %q", council.Convener, t.To)
	}
	return council.QuestionPut{Answered: t.answered, To: t.To, Question: t.Question,
		Unanswered: t.To == council.Convener && !t.charter.Deliberation.Convener}, requireText("question", t.Question)
}
