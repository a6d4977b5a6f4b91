// Package script is a member whose replies are written in a file: for tests, and for demonstrations of what a council
// does, its faults included.
//
// The file holds entries, in a JSON array or one after the other (JSONL):
//
//	{"ask": "position", "reply": {"position": "Yes.", "confidence": 0.8, "overlooked": []}}
//	{"member": "ada", "ask": "p1.r2.*.turn.*", "reply": {"action": "PASS", "reason": "Said already."}}
//	{"ask": "draft", "fault": "rate", "then": [{"reply": "# The document"}]}
//	{"member": "bob", "reply": {"action": "CONTRIBUTE", "message": "My first words."}}
//
// An entry that names its question, by its kind or by a pattern of its id, answers whenever it is asked; the first in
// the file wins. What no such entry answers takes the entries without a question, in turn: each member's first such
// question its first, and so on. Which entry that is follows from the log alone, so that a resumed session is answered
// as it would have been. A script without a reply left brings a fault that suspends the session.
//
// It is its own package because every kind of member is one: only the table of kinds knows them all.
package script

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// Name is the model that a script reports.
const Name = "script"

// Model answers prompts from a script. It is safe for concurrent use, and one serves any number of seats and sessions.
type Model struct {
	name    string
	entries []entry

	mu   sync.Mutex
	puts map[put]int // how often each question was put in this process
}

var _ member.Model = (*Model)(nil)

type put struct {
	session council.SessionID
	ask     council.AskID
}

// entry is one entry of the file.
type entry struct {
	Member string `json:"member,omitempty"` // a pattern; empty for all
	Ask    string `json:"ask,omitempty"`    // a kind of question, or a pattern of ids; empty for what is answered in turn
	step
	Then []step `json:"then,omitempty"` // for further calls with the same question; the last one stays
}

// step is the result of one call.
type step struct {
	Reply      json.RawMessage `json:"reply,omitempty"` // a text, or an object that is given as it stands
	Fault      string          `json:"fault,omitempty"`
	Message    string          `json:"message,omitempty"`
	RetryAfter float64         `json:"retryAfterSeconds,omitempty"`
}

// Complete answers from the script. Its error is ctx's, when that has ended, or a *member.CallError: the fault that the
// script wants, or one of kind model-missing when it has no reply left.
func (m *Model) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	if err := ctx.Err(); err != nil {
		return prompt.Completion{}, err
	}
	v := p.View
	e, ok := m.find(v)
	if !ok {
		words := fmt.Sprintf("%s has no reply left for %s, who was asked %s: add one, and resume", m.name,
			v.Ask.Member, v.Ask.ID)
		return prompt.Completion{}, &member.CallError{
			Fault: council.Fault{Kind: council.FaultModelMissing, Message: member.Redact(words)}}
	}
	steps := append([]step{e.step}, e.Then...)
	return steps[min(m.count(p), len(steps)-1)].play()
}

// count returns how often the question was put before. A repair whose question was answered from the tape counts all
// the same.
func (m *Model) count(p prompt.Prompt) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := put{p.View.Session, p.View.Ask.ID}
	n := max(m.puts[key], p.Try-1)
	m.puts[key] = n + 1
	return n
}

// find returns the entry for the view's question.
func (m *Model) find(v council.View) (entry, bool) {
	if e, ok := m.named(v.Ask.Member, v.Ask.ID); ok {
		return e, true
	}
	before := 0 // questions that the member was asked in turn
	for _, e := range v.Events {
		answered, ok := e.Answered()
		if !ok || e.Actor != v.Ask.Member {
			continue
		}
		if _, ok := m.named(e.Actor, answered.Ask); !ok {
			before++
		}
	}
	for _, e := range m.entries {
		if e.Ask != "" || !matches(e.Member, string(v.Ask.Member)) {
			continue
		}
		if before == 0 {
			return e, true
		}
		before--
	}
	return entry{}, false
}

// named returns the first entry that names the question.
func (m *Model) named(who council.MemberID, ask council.AskID) (entry, bool) {
	for _, e := range m.entries {
		if e.Ask != "" && matches(e.Member, string(who)) && (e.Ask == string(ask.Kind()) || matches(e.Ask, string(ask))) {
			return e, true
		}
	}
	return entry{}, false
}

func matches(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, _ := path.Match(pattern, name) // checked when the script was read
	return ok
}

// play returns the result of the step, faults in the form in which a provider brings them.
func (s step) play() (prompt.Completion, error) {
	c := prompt.Completion{Text: s.text(), Stop: prompt.StopEnd, Usage: council.Usage{Model: Name, Calls: 1}}
	switch k := council.FaultKind(s.Fault); k {
	case "", council.FaultEmpty, council.FaultUnparsable: // the text tells
	case council.FaultTruncated:
		c.Stop = prompt.StopLength
	case council.FaultRefusal:
		c.Stop = prompt.StopRefusal
	default:
		return prompt.Completion{}, &member.CallError{
			Fault:      council.Fault{Kind: k, Message: member.Redact(s.Message)},
			RetryAfter: time.Duration(s.RetryAfter * float64(time.Second)),
			Retryable:  k.Passing(),
			Usage:      council.Usage{Calls: 1},
		}
	}
	return c, nil
}

// text returns the reply as a model would write it.
func (s step) text() string {
	if s.Fault != "" {
		return s.Message
	}
	var text string
	if json.Unmarshal(s.Reply, &text) == nil {
		return text
	}
	return string(s.Reply)
}
