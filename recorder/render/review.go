package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// reviewFile returns the file on why a draft was not approved. Until the leader has answered, it holds no answers.
func (s *session) reviewFile(d *minutes.Draft) ReviewFile {
	f := ReviewFile{
		Header: s.header(), Version: d.Version, SHA256: d.SHA256,
		Vote: *d.Vote, Ballots: append([]minutes.Ballot{}, d.Ballots...), Reviews: []minutes.Review{},
	}
	f.File, _ = s.draftFile(d)
	for _, r := range d.Reviews {
		r.Blockers = append([]council.Blocker{}, r.Blockers...)
		r.Suggestions = append([]string{}, r.Suggestions...)
		f.Reviews = append(f.Reviews, r)
	}
	if next := s.AnswersTo(d.Version); next != nil {
		f.AnsweredIn, f.Answers = next.Version, next.Responses
	}
	f.Unfounded = s.Unfounded(eventsOf(f, d)...)
	return f
}

// eventsOf lists the events of the draft, the ballots and the reviews.
func eventsOf(f ReviewFile, d *minutes.Draft) []string {
	events := []string{d.Seq.ID()}
	for _, b := range f.Ballots {
		events = append(events, b.Event)
	}
	for _, r := range f.Reviews {
		events = append(events, r.Event)
	}
	return events
}

// blockersFile lists what the last failed vote left open, and apart from it the blockers of earlier votes.
func (s *session) blockersFile(last *minutes.Draft) BlockersFile {
	f := BlockersFile{
		Header: s.header(), Draft: last.DraftRef,
		Blockers: []minutes.RaisedBlocker{}, Suggestions: []Suggestion{}, Earlier: []minutes.RaisedBlocker{},
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
				f.Suggestions = append(f.Suggestions, Suggestion{Member: r.Member, Suggestion: wish})
			}
		}
	}
	return f
}
