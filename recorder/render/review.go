package render

import (
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
		raised := s.Raised(d)
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
