package council

// Answered is part of every event that records a reply.
type Answered struct {
	Ask   AskID `json:"ask"`            // the id of the question
	AsOf  Seq   `json:"asOf"`           // the last event that the member could know
	Usage Usage `json:"usage,omitzero"` // what the reply cost, over all its tries; absent when it cost nothing

	// What the member looked up before it answered, in order. No other member was shown it.
	Tools []ToolUse `json:"tools,omitempty"`

	Cut    []Cut `json:"cut,omitempty"`    // secrets that were taken out of the reply, over all its tries
	Hidden []Cut `json:"hidden,omitempty"` // characters in it that readers do not see

	Shortened []Shortened `json:"shortened,omitempty"` // fields that were longer than a council takes, and were cut
}

// answered returns what it is part of: events find by it whether they record a reply.
func (a Answered) answered() Answered { return a }

// Reply returns the reply that the event records, whose body is b.
func (a Answered) Reply(b Body) Reply {
	return Reply{Ask: a.Ask, Body: b, Usage: a.Usage, Tools: a.Tools, Cut: a.Cut, Hidden: a.Hidden, Shortened: a.Shortened}
}

// Answered returns what an event that records a reply holds besides the reply's body. The reply may be a fault.
func (e Event) Answered() (Answered, bool) {
	p, ok := e.Payload.(interface{ answered() Answered })
	if !ok {
		return Answered{}, false
	}
	return p.answered(), true
}

// Reply returns the reply that an event records, as the member gave it: a body, or the fault that came instead. A fault
// for which the session was suspended is one too.
func (e Event) Reply() (Reply, bool) {
	p, ok := e.Payload.(interface{ reply() Reply })
	if !ok {
		return Reply{}, false
	}
	r := p.reply()
	return r, r.Ask != ""
}

// Started returns the payload of a session's first event; ok is false for every other event.
func (e Event) Started() (p SessionStarted, ok bool) {
	p, ok = e.Payload.(SessionStarted)
	return p, ok
}

// Said returns the body of the reply that an event records, or nil if it records none or a fault.
func (e Event) Said() Body {
	r, _ := e.Reply()
	return r.Body
}

// asGiven returns the draft as the leader gave it: without the answers that were recorded because none was given.
func (d Draft) asGiven() Draft {
	var responses []BlockerResponse
	for _, r := range d.Responses {
		if r.Answer != AnswerUnanswered {
			responses = append(responses, r)
		}
	}
	d.Responses = responses
	return d
}

// Uses counts the calls of tools that a log records of a member.
func Uses(log []Event, id MemberID) int {
	n := 0
	for _, e := range log {
		if a, _ := e.Answered(); e.Actor == id {
			n += len(a.Tools)
		}
	}
	return n
}
