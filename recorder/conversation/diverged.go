package conversation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Sentinels of a conversation.
var (
	// ErrDiverged: a question on the tape is not the one that would be asked now; see [DivergedError]. The charter,
	// the prompts or the rules have changed. Go on with the version that began the session.
	ErrDiverged = errors.New("the conversation has diverged")
	// ErrClosed: the conversation was closed with its session. A mistake in the program.
	ErrClosed = errors.New("the conversation was closed")
)

// DivergedError is an [ErrDiverged] at one question.
type DivergedError struct {
	Member   council.MemberID
	Ask      council.AskID
	Try      int
	Part     string // what differs, in plain words
	Recorded string // the digest of the prompt on the tape
	Now      string // the digest of the prompt that would be sent now
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the conversation of %s has diverged at %s, try %d: %s. "+
		"The prompt on record has the digest %.12s, and now it would have %.12s",
		e.Member, e.Ask, e.Try, e.Part, e.Recorded, e.Now)
}

// Is makes every DivergedError an [ErrDiverged].
func (e *DivergedError) Is(target error) bool { return target == ErrDiverged }

// difference returns, for people, where p departs from the question on the tape. The tape holds what was new in each
// prompt, so it can tell the parts apart, but not show every one.
func (c *Tape) difference(p prompt.Prompt) string {
	var system, question *Line
	for i := range c.log.Lines {
		l := &c.log.Lines[i]
		if l.Role == RoleSystem {
			system = l
		}
		if l.Role == RoleUser && l.Ask == p.View.Ask.ID && l.Try == p.Try {
			question = l
			break
		}
	}
	switch {
	case system != nil && system.SharedSHA256 != council.Digest(p.System.Shared):
		return "what all members are told at first (charter, topic, documents, or the words around them) is not the same"
	case system != nil && system.Persona != p.System.Persona:
		return "what the member is told about itself is not the same: " + firstDifference(system.Persona, p.System.Persona)
	}
	fresh := p.Messages[min(p.Fresh, len(p.Messages)):]
	if question == nil || len(question.Messages) != len(fresh) {
		return "the messages since its last answer are others"
	}
	for i, m := range question.Messages {
		if m.Content != fresh[i].Content {
			return "the question is not the same: " + firstDifference(m.Content, fresh[i].Content)
		}
	}
	return "something that was said to it before is not the same"
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(recorded, now string) string {
	was, is := strings.Split(recorded, "\n"), strings.Split(now, "\n")
	was = append(was, make([]string, max(0, len(is)-len(was)))...)
	is = append(is, make([]string, max(0, len(was)-len(is)))...)
	for i := range was {
		if was[i] != is[i] {
			return fmt.Sprintf("line %d was %.80q and would be %.80q", i+1, was[i], is[i])
		}
	}
	return "the same words, put differently"
}
