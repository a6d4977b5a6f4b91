// Package rehearsal is a member that asks no model, so that a council can be tried, learnt and tested without a key.
//
// Each member quotes the passages of the documents that fit its focus, and asks in one sentence that the decision
// answer for it. Motions collect what was asked for; a member votes for one that holds its own request. It shows the
// procedure, and judges nothing. A reply is a pure function of the view: the same view gives the same bytes, on any
// machine.
//
// It is its own package because every kind of member is one: only the table of kinds knows them all.
package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
)

// Name is the model that the rehearsal reports.
const Name = "rehearsal"

// Model answers prompts from their views alone. It is safe for concurrent use, and one serves any number of seats
// and sessions.
type Model struct {
	mu   sync.Mutex
	read map[string][]passage // of the last topic, by its digests
}

var _ member.Model = (*Model)(nil)

// New returns a rehearsal that has read nothing yet.
func New() *Model { return &Model{} }

// Complete answers from p.View. Its error is ctx's, when that has ended, or a *member.CallError for a view that holds
// no topic, charter or seat.
func (r *Model) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	if err := ctx.Err(); err != nil {
		return prompt.Completion{}, err
	}
	text, err := r.answer(p.View)
	if err != nil {
		return prompt.Completion{}, &member.CallError{Fault: council.Fault{Kind: council.FaultEmpty, Message: err.Error()}}
	}
	return prompt.Completion{Text: text, Stop: prompt.StopEnd, Usage: council.Usage{Model: Name, Calls: 1}}, nil
}

func (r *Model) answer(v council.View) (string, error) {
	if v.Topic == nil || v.Charter == nil || v.Seat == nil {
		return "", fmt.Errorf("the rehearsal was asked %q without a topic, a charter or a seat", v.Ask.Kind)
	}
	if !slices.Contains(v.Seats, v.Seat.ID) {
		return "", fmt.Errorf("member %q has no seat in the charter", v.Seat.ID)
	}
	answer := answers[v.Ask.Kind]
	if answer == nil {
		return "", fmt.Errorf("the rehearsal has no answer to an ask of kind %q", v.Ask.Kind)
	}
	if v.Ask.Kind == council.AskReview && v.Draft == nil {
		return "", errors.New("there is no draft to review")
	}
	s := seat{View: v, passages: r.passages(v.Topic), cast: cast(v.Charter, v.Seats), log: minutes.Of(v.Events)}
	s.focus = s.cast[v.Seat.ID]
	for i, e := range v.Events {
		if _, begins := e.Payload.(council.PhaseStarted); begins {
			s.visit = v.Events[i:]
		}
	}
	return prompt.Text(answer(s)), nil
}

// answers are the answers to each kind of question.
var answers = map[council.AskKind]func(seat) council.Body{
	council.AskPosition: seat.position, council.AskTurn: seat.turn, council.AskReply: seat.reply,
	council.AskSecond: seat.second, council.AskAmend: seat.amend, council.AskBallot: seat.ballot,
	council.AskAssess: seat.assess, council.AskSummary: seat.summary, council.AskDraft: seat.draft,
	council.AskReview: seat.review, council.AskDissent: seat.dissent,
	council.AskNominate: func(s seat) council.Body { return s.nominate() },
	council.AskRank: func(s seat) council.Body {
		return council.Ranked{Rationale: "In the order in which they serve " + s.focus.name + ".",
			Ranking: s.ranking(s.Motion.Options)}
	},
}

// passages reads a topic once for all the questions of a session.
func (r *Model) passages(t *council.Topic) []passage {
	key := t.Text
	for _, d := range t.Documents {
		key += "\x00" + d.Name + "\x00" + d.SHA256
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.read[key]; !ok {
		r.read = map[string][]passage{key: read(t)}
	}
	return r.read[key]
}

// seat is a member with all that it knows when it is asked.
type seat struct {
	council.View
	focus    focus
	cast     map[council.MemberID]focus
	passages []passage
	log      *minutes.Minutes
	visit    []council.Event // from the beginning of the phase visit under way
}

// best ranks the passages that may be taken by how they fit the focus, at most n.
func (s seat) best(f focus, n int, may func(passage) bool) []passage {
	all := slices.DeleteFunc(slices.Clone(s.passages), func(p passage) bool { return !may(p) })
	score := func(p passage) int { return min(3, fit(f.words, p.words)) }
	slices.SortStableFunc(all, func(a, b passage) int { return score(b) - score(a) })
	return all[:min(n, len(all))]
}

// fresh reports whether no member has quoted a passage in its position or in debate.
func (s seat) fresh(p passage) bool {
	return !slices.ContainsFunc(s.Events, func(e council.Event) bool {
		switch said := e.Payload.(type) {
		case council.PositionSealed:
			return strings.Contains(said.Position.Position, words(p.text))
		case council.ContributionMade:
			return strings.Contains(said.Message, words(p.text))
		}
		return false
	})
}

// here lists the motions of the phase visit under way.
func (s seat) here() []*minutes.Motion {
	first := len(s.log.Motions)
	for first > 0 && len(s.visit) > 0 && s.log.Motions[first-1].Seq >= s.visit[0].Seq {
		first--
	}
	return s.log.Motions[first:]
}

func carried(m *minutes.Motion) bool { return m.Status == minutes.MotionCarried }

// resolution returns the last motion that carried in the last visit to the deciding phase, or nil.
func (s seat) resolution() *minutes.Motion {
	if n := len(s.log.Deciding); n > 0 && carried(s.log.Deciding[n-1]) {
		return s.log.Deciding[n-1]
	}
	return nil
}

// agreed lists the focuses that a text takes up, in the order of the seats, each once.
func (s seat) agreed(text string) []focus {
	var all []focus
	for _, id := range s.Seats {
		if f := s.cast[id]; strings.Contains(text, f.asks) &&
			!slices.ContainsFunc(all, func(g focus) bool { return g.asks == f.asks }) {
			all = append(all, f)
		}
	}
	return all
}

// subjects names the focuses that a text takes up.
func (s seat) subjects(text string) string {
	var names []string
	for _, f := range s.agreed(text) {
		names = append(names, f.name)
	}
	return strings.Join(slices.Compact(names), ", ")
}

// name returns the name of a member, safe within Markdown.
func (s seat) name(id council.MemberID) string {
	if m := s.Charter.Asked(id); m != nil {
		return hostile.Inline(brief(m.Name, 60))
	}
	return hostile.Inline(string(id))
}

// question returns the topic, cut to one line, between quotation marks.
func (s seat) question() string { return words(brief(s.Topic.Text, 200)) }
