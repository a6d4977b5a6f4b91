package story

import (
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// Draft is one version of the document and what was said about it.
type Draft struct {
	council.DraftWritten
	By      council.MemberID
	Event   string
	Erased  bool              // its words were forgotten: it is not what was voted on any more
	Vote    *council.Decision // nil until it is counted
	Ballots []artifact.Ballot
	Reviews []artifact.Review

	shown string // see Shown; empty until it is asked for
}

// Shown is what the draft's file holds: the words that were voted on, with nothing in them that acts when it is shown.
func (d *Draft) Shown() string {
	if d.shown == "" {
		d.shown = hostile.Document(d.Markdown)
	}
	return d.shown
}

// FileSHA256 is the SHA-256 of the draft's file; it is empty when the draft has none.
func (d *Draft) FileSHA256() string {
	if d.Erased {
		return ""
	}
	return council.Digest(d.Shown())
}

// File is the name of the draft's file; it is empty when the draft has none, because its words were forgotten.
func (d *Draft) File() string {
	if d.Erased {
		return ""
	}
	return "documentation.draft.v" + strconv.Itoa(d.Version) + ".md"
}

// ReviewFile is the name of the file that says why the draft was not approved.
func (d *Draft) ReviewFile() string {
	return "documentation.review.v" + strconv.Itoa(d.Version) + ".json"
}

// Approved reports whether the vote on the draft carried.
func (d *Draft) Approved() bool { return d.Vote != nil && d.Vote.Result == quorum.Carried }

// Failed reports whether the draft was voted on and not approved.
func (d *Draft) Failed() bool { return d.Vote != nil && d.Vote.Result != quorum.Carried }

func (s *Story) takeMotion(e wire.Entry) {
	switch p := e.Payload.(type) {
	case council.MotionMade:
		s.Motions = append(s.Motions, &artifact.Motion{
			ID: p.Motion, Event: e.Seq.ID(), Phase: e.Phase, Round: e.Round, Mover: e.Actor,
			Title: p.MotionTitle, Text: p.MotionText, Decision: p.DecisionIfPass, Status: artifact.MotionOpen,
		})
	case council.MotionSeconded:
		if m := s.Motion(p.Motion); m != nil {
			m.Seconder = p.Seconder
		}
	case council.MotionDied:
		if m := s.Motion(p.Motion); m != nil {
			m.Status = artifact.MotionDied
		}
	case council.MotionDecided:
		if m := s.Motion(p.Motion); m != nil {
			m.Status, m.Vote, m.Ballots = artifact.MotionStatus(p.Result), &p.Decision, ballots(s.Heard)
		}
	}
}

// Motion returns the motion with the given id, or nil. The one asked for is nearly always the last.
func (s *Story) Motion(id council.MotionID) *artifact.Motion {
	for i := len(s.Motions) - 1; i >= 0; i-- {
		if s.Motions[i].ID == id {
			return s.Motions[i]
		}
	}
	return nil
}

func (s *Story) takeDocument(e wire.Entry) {
	switch p := e.Payload.(type) {
	case council.DraftWritten:
		s.Drafts = append(s.Drafts, &Draft{DraftWritten: p, By: e.Actor, Event: e.Seq.ID(), Erased: e.Forgotten && council.Digest(p.Markdown) != p.SHA256})
	case council.DraftDecided:
		if d := s.Draft(p.Version); d != nil {
			d.Vote, d.Ballots = &p.Decision, ballots(s.Heard)
		}
	case council.ReviewGiven:
		if d := s.Draft(p.Version); d != nil {
			d.Reviews = append(d.Reviews, artifact.Review{
				Member: e.Actor, Event: e.Seq.ID(),
				Blockers: p.CriticalBlockers, Suggestions: p.SuggestedChanges,
			})
		}
	}
}

// Draft returns the given version, or nil: it may have been erased.
func (s *Story) Draft(version int) *Draft {
	for _, d := range s.Drafts {
		if d.Version == version {
			return d
		}
	}
	return nil
}

// LastDraft returns the newest version, or nil.
func (s *Story) LastDraft() *Draft {
	if len(s.Drafts) == 0 {
		return nil
	}
	return s.Drafts[len(s.Drafts)-1]
}

// FinalDraft returns the version that the session ended with, or the newest while it is open. It is nil when there is
// none, or when its content was erased.
func (s *Story) FinalDraft() *Draft {
	switch {
	case s.Outcome == nil:
		return s.LastDraft()
	case s.Outcome.Draft == nil:
		return nil
	}
	return s.Draft(s.Outcome.Draft.Version)
}

// AnswersTo returns the draft that answers the blockers raised against a version, or nil.
func (s *Story) AnswersTo(version int) *Draft {
	if d := s.Draft(version + 1); d != nil && len(d.Responses) > 0 {
		return d
	}
	return nil
}

// Raised lists the blockers against a draft with their answers.
func (s *Story) Raised(d *Draft) []artifact.RaisedBlocker {
	var out []artifact.RaisedBlocker
	next := s.AnswersTo(d.Version)
	for _, r := range d.Reviews {
		for _, b := range r.Blockers {
			raised := artifact.RaisedBlocker{Version: d.Version, Member: r.Member, Blocker: b}
			if answer, ok := next.answerTo(b.ID); ok {
				raised.Answer, raised.Note, raised.AnsweredIn = answer.Answer, answer.Note, next.Version
			}
			out = append(out, raised)
		}
	}
	return out
}

// Unanswered lists the ids of the blockers that no draft answers.
func (s *Story) Unanswered() []string {
	var ids []string
	for _, d := range s.Drafts {
		for _, b := range s.Raised(d) {
			if b.Answer == "" || b.Answer == council.AnswerUnanswered {
				ids = append(ids, b.ID)
			}
		}
	}
	return ids
}

// answerTo is what the draft after a vote, which may be nil, answers to a blocker that was raised in it.
func (d *Draft) answerTo(blocker string) (council.BlockerResponse, bool) {
	if d == nil {
		return council.BlockerResponse{}, false
	}
	i := slices.IndexFunc(d.Responses, func(r council.BlockerResponse) bool { return r.BlockerID == blocker })
	if i < 0 {
		return council.BlockerResponse{}, false
	}
	return d.Responses[i], true
}

// ballots lists what was cast, faults included, in the order of the record.
func ballots(heard []wire.Entry) []artifact.Ballot {
	var out []artifact.Ballot
	for _, e := range heard {
		b := artifact.Ballot{Member: e.Actor, Event: e.Seq.ID()}
		switch p := e.Payload.(type) {
		case council.BallotCast:
			b.Ballot, b.Rationale = string(p.Ballot.Ballot), p.Rationale
		case council.MemberFaulted:
			b.Ballot, b.Fault = string(p.Standing), p.Fault.Kind
		default:
			continue
		}
		out = append(out, b)
	}
	return out
}
