package render

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/render/story"
)

// reviewFile says why a draft was not approved. Until the leader has answered, it holds no answers.
func (s *session) reviewFile(d *story.Draft) artifact.ReviewFile {
	f := artifact.ReviewFile{
		Header: s.Header, Version: d.Version, SHA256: d.SHA256, File: d.File(),
		Vote: *d.Vote, Ballots: append([]artifact.Ballot{}, d.Ballots...), Reviews: []artifact.Review{},
	}
	for _, r := range d.Reviews {
		r.Blockers = append([]council.Blocker{}, r.Blockers...)
		r.Suggestions = append([]string{}, r.Suggestions...)
		f.Reviews = append(f.Reviews, r)
	}
	if next := s.AnswersTo(d.Version); next != nil {
		f.AnsweredIn, f.Answers = next.Version, next.Responses
	}
	f.Unfounded = s.cited.Unfounded(eventsOf(f, d)...)
	return f
}

// eventsOf are the events that a review is about.
func eventsOf(f artifact.ReviewFile, d *story.Draft) []string {
	events := []string{d.Event}
	for _, b := range f.Ballots {
		events = append(events, b.Event)
	}
	for _, r := range f.Reviews {
		events = append(events, r.Event)
	}
	return events
}

// blockersFile sets what the last failed vote left open apart from what came before it.
func (s *session) blockersFile(last *story.Draft) artifact.BlockersFile {
	f := artifact.BlockersFile{
		Header: s.Header, Draft: last.DraftRef,
		Blockers: []artifact.RaisedBlocker{}, Suggestions: []artifact.Suggestion{}, Earlier: []artifact.RaisedBlocker{},
	}
	failed := 0
	for _, d := range s.Drafts {
		if d.Failed() {
			failed = d.Version
		}
	}
	for _, d := range s.Drafts {
		raised := s.raised(d)
		if d.Version != failed {
			f.Earlier = append(f.Earlier, raised...)
			continue
		}
		f.FailedIn, f.Vote, f.Blockers = failed, d.Vote, append(f.Blockers, raised...)
		for _, r := range d.Reviews {
			for _, wish := range r.Suggestions {
				f.Suggestions = append(f.Suggestions, artifact.Suggestion{Member: r.Member, Suggestion: wish})
			}
		}
	}
	return f
}

// raised lists the blockers against a draft with their answers.
func (s *session) raised(d *story.Draft) []artifact.RaisedBlocker {
	var out []artifact.RaisedBlocker
	next := s.AnswersTo(d.Version)
	for _, r := range d.Reviews {
		for _, b := range r.Blockers {
			raised := artifact.RaisedBlocker{Version: d.Version, Member: r.Member, Blocker: b}
			if answer, ok := answerTo(b.ID, next); ok {
				raised.Answer, raised.Note, raised.AnsweredIn = answer.Answer, answer.Note, next.Version
			}
			out = append(out, raised)
		}
	}
	return out
}

// answerTo is what the draft after a vote, which may be nil, answers to a blocker that was raised in it.
func answerTo(blocker string, next *story.Draft) (council.BlockerResponse, bool) {
	if next == nil {
		return council.BlockerResponse{}, false
	}
	i := slices.IndexFunc(next.Responses, func(r council.BlockerResponse) bool { return r.BlockerID == blocker })
	if i < 0 {
		return council.BlockerResponse{}, false
	}
	return next.Responses[i], true
}
