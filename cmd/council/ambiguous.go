package main

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// What resume does with a question that was put before a crash and has no answer on record.
const (
	ambiguousAsk    = "ask"
	ambiguousAbsent = "absent"
)

// doubtful lists the open asks that were put before the session was cut off, in the order in which they are asked. People
// are not paid, so that there is no doubt about them.
func (s sitting) doubtful() ([]council.Ask, error) {
	put, err := s.folder.Ambiguous()
	if err != nil {
		return nil, err
	}
	open := s.session.Ready().Asks
	people := member.AskedOfPeople(s.session.Charter(), open)
	return slices.DeleteFunc(open, func(a council.Ask) bool {
		return !slices.Contains(put, a.ID) || slices.Contains(people, a)
	}), nil
}

// announceDoubtful says which questions may have been paid for without an answer, and what becomes of them. It returns
// those that are given up.
func (a *app) announceDoubtful(o resumeOptions, asks []council.Ask) map[council.AskID]bool {
	if len(asks) == 0 {
		return nil
	}
	// Whoever asked for quiet still has to learn that something may be paid for twice.
	fmt.Fprintln(a.Errs, "Asked before the session was cut off; it is not known whether that was paid for:")
	for _, q := range asks {
		a.Warn("  %s of %s (%s)", q.Kind, q.Member, q.ID)
	}
	if o.ambiguous == ambiguousAsk {
		fmt.Fprintln(a.Errs, "They are asked again. To go on without these answers: --ambiguous=absent")
		return nil
	}
	fmt.Fprintln(a.Errs, "They are not asked again, as you wished; the record says so.")
	abandon := map[council.AskID]bool{}
	for _, q := range asks {
		abandon[q.ID] = true
	}
	return abandon
}

// undiverged checks, before anything is written or asked, that the questions that were put before the session was cut
// off are the ones that would be put now.
func (s sitting) undiverged() error {
	for _, q := range s.session.Ready().Asks {
		tape, err := s.folder.Conversation(q.Member)
		if err != nil {
			return err
		}
		if _, _, err := tape.Recall(prompt.NewConversation(prompt.Limits{}).Next(s.session.View(q))); err != nil {
			return err
		}
	}
	return nil
}
