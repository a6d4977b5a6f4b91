// Package probe finds out by one short question whether a model can sit on a council, and tells apart why it cannot.
//
// It puts the question through the model as a session would, and watches what goes over the wire: so what it finds of
// streaming, schemas and addresses is what a session will meet, whatever the protocol. Before the question, which costs
// a few tokens, it asks the server for its list of models, which costs nothing.
//
// It is its own package because it knows no terminal: what it finds is data, for doctor to tell.
package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// Report is the result of one question to one model. As JSON it has what programs are told.
type Report struct {
	Address string  `json:"address,omitempty"` // of the server that was asked, without path; "" when nothing was sent
	Proxy   string  `json:"proxy,omitempty"`   // the host of the proxy between, or ""
	Trouble Trouble `json:"-"`                 // why the server could not be reached, or ""; Fault has the words

	Listed []Listed      `json:"-"` // the models in the server's list; nil when it has none
	Skew   time.Duration `json:"-"` // how far this machine's clock is ahead of the server's; 0 if it told no time

	Schema    Schema        `json:"schema,omitempty"`
	Streams   bool          `json:"streams"`
	FirstByte time.Duration `json:"-"` // from the call to the first byte of its reply
	Whole     time.Duration `json:"-"` // to the last
	Usage     council.Usage `json:"-"` // as the server counts; Usage.Model is who answered
	Window

	Calls int `json:"calls"` // that reached for the model and may have been paid; those refused for a schema included
	Lists int `json:"-"`     // that only read a list

	Fault   *council.Fault `json:"-"` // why no reply came, or nil
	Problem string         `json:"-"` // why the reply could not be used, or ""

	began time.Time // the last call
}

// Schema tells whether the server took the JSON Schema of the reply.
type Schema string

// What becomes of a schema. Unsent: the member's kind has no place for it, or the server is known not to take it.
const (
	SchemaTaken   Schema = "taken"
	SchemaLeftOut Schema = "left out"
	SchemaUnsent  Schema = "unsent"
)

// Prober probes the models of one roster. Models on one server share its list. It is safe for concurrent use.
type Prober struct {
	Transport http.RoundTripper // of a gate; required
	Now       func() time.Time  // times calls, and is compared with the servers' clocks; required

	lists sync.Map // functions that return the [listing] of a server, by its address and the caller
}

// Ask puts the question to a model. open makes it with the client that is given it, and bounds its calls. The error is
// that of open.
func (p *Prober) Ask(ctx context.Context, open func(*http.Client) (member.Model, error)) (Report, error) {
	w := &wire{Prober: p}
	model, err := open(gate.Client(w))
	if err != nil {
		return Report{}, err
	}
	start := p.Now()
	c, err := model.Complete(ctx, question())
	end := p.Now()
	r := w.report()
	if r.Trouble == "" {
		asking, cancel := context.WithTimeout(ctx, listLimit)
		defer cancel()
		r.Window = w.learn(asking, nil) // after the call, for which the server has loaded the model
	}
	if r.Calls > 0 {
		start = r.began
	} else if err == nil {
		r.Calls = 1 // it went by no wire of ours: a program
	}
	r.Whole = end.Sub(start)
	var call *member.CallError
	switch {
	case errors.As(err, &call):
		r.Fault, r.Usage = &call.Fault, call.Usage
	case err != nil:
		r.Fault = &council.Fault{Kind: council.FaultCancelled, Message: member.Redact(err.Error())}
	default:
		r.Usage, r.Problem = c.Usage, problem(c)
	}
	return r, nil
}

// Look asks the server of a model, which open makes, for the context of the model, and puts no question to it. Where
// the server has to load the model first, load is told so before. The error is that of open.
func (p *Prober) Look(ctx context.Context, open func(*http.Client) (member.Model, error),
	load func(server, model string)) (Window, error) {
	w := &wire{Prober: p, looks: true}
	model, err := open(gate.Client(w))
	if err != nil {
		return Window{}, err
	}
	_, _ = model.Complete(ctx, question()) // it ends at the wire, before the call
	return w.learn(ctx, load), nil
}

// asked is the kind of the question: what only a leader is asked, and has the most intricate form of all.
const asked = council.AskSummary

// question returns the shortest one that a leader could be asked.
func question() prompt.Prompt {
	return prompt.Prompt{
		View: council.View{Session: "probe", Ask: council.Ask{ID: "probe", Kind: asked, Member: "probe"},
			Charter: &council.Charter{}},
		Try: 1, Contract: prompt.ContractOf(asked),
		System: prompt.System{
			Shared: "A council of models is about to meet. This only shows that you can be reached and can answer in a given " +
				"form."},
		Messages: []prompt.Message{{Role: prompt.User, Content: "Answer with this JSON object and nothing else:\n" +
			`{"summaryMarkdown":"Ready.","finalResolution":"Ready.","requiresExecution":false}`}},
	}
}

// problem returns why a reply cannot be used, or "".
func problem(c prompt.Completion) string {
	switch {
	case c.Stop == prompt.StopLength:
		return "the reply was cut off by the token limit"
	case c.Stop == prompt.StopTooLong:
		return "the reply is longer than is taken of one (maxReplyBytes)"
	case c.Stop == prompt.StopRefusal:
		return strings.TrimSuffix("the provider stopped the reply: "+member.Redact(c.Text), ": ")
	case strings.TrimSpace(c.Text) == "":
		return "the reply was empty"
	}
	if _, err := prompt.Parse(question().View, c.Text); err != nil {
		return fmt.Sprintf("the reply is not in the form that was asked for: %s",
			member.Redact(strings.TrimPrefix(err.Error(), council.ErrBadReply.Error()+": ")))
	}
	return ""
}
