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
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/schemas"
)

// Report is the result of one question to one model.
type Report struct {
	Address string  // of the server that was asked, without path; "" when nothing was sent
	Proxy   string  // the host of the proxy between, or ""
	Trouble Trouble // why the server could not be reached, or ""
	Words   string  // of the trouble, for people

	Listed []Listed      // the models in the server's list; nil when it has none
	Window Window        // of the model's context
	Skew   time.Duration // how far this machine's clock is ahead of the server's
	Dated  bool          // whether the server told the time

	Schema    Schema
	Streams   bool
	FirstByte time.Duration // from the call to the first byte of its reply
	Whole     time.Duration // to the last
	Usage     council.Usage // as the server counts; Usage.Model is who answered

	Calls int // that reached for the model and may have been paid; those refused for a schema included
	Lists int // that only read a list

	Fault   *council.Fault // why no reply came, or nil
	Problem string         // why the reply could not be used, or ""
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
	Now       func() time.Time  // times calls, and is held against the servers' clocks; nil: [time.Now]

	lists lists
}

// Ask puts the question to a model. open makes it with the client that is given it, and bounds its calls. The error is
// that of open.
func (p *Prober) Ask(ctx context.Context, open func(*http.Client) (member.Model, error)) (Report, error) {
	w := &wire{prober: p, base: p.Transport}
	model, err := open(gate.Client(w))
	if err != nil {
		return Report{}, err
	}
	start := p.now()
	c, err := model.Complete(ctx, question())
	whole := p.now().Sub(start)
	r := w.report()
	if r.Trouble == "" {
		asking, cancel := context.WithTimeout(ctx, listLimit)
		defer cancel()
		r.Window = w.learn(asking, nil) // after the call, for which the server has loaded the model
	}
	if r.Calls > 0 {
		whole = p.now().Sub(w.called)
	} else if err == nil {
		r.Calls = 1 // it went by no wire of ours: a program
	}
	r.Whole = whole
	var call *member.CallError
	switch {
	case errors.As(err, &call):
		r.Fault, r.Usage = &call.Fault, call.Usage
	case err != nil:
		r.Fault = &council.Fault{Kind: council.FaultCancelled, Message: member.Redact(err.Error())}
	default:
		r.Usage = c.Usage
		r.Problem = problem(c)
	}
	return r, nil
}

// Look asks the server of a model, which open makes, for the context of the model, and puts no question to it. Where
// the server has to load the model first, load is told so before. The error is that of open.
func (p *Prober) Look(ctx context.Context, open func(*http.Client) (member.Model, error),
	load func(server, model string)) (Window, error) {
	w := &wire{prober: p, base: p.Transport, looks: true}
	model, err := open(gate.Client(w))
	if err != nil {
		return Window{}, err
	}
	_, _ = model.Complete(ctx, question()) // it ends at the wire, before the call
	if w.report().Trouble != "" {
		return Window{}, nil
	}
	return w.learn(ctx, load), nil
}

func (p *Prober) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

// asked is the kind of the question: what only a leader is asked, and has the most intricate form of all.
const asked = council.AskSummary

// question returns the shortest one that a leader could be asked.
func question() prompt.Prompt {
	p := prompt.Prompt{
		View: council.View{Session: "probe", Ask: council.Ask{ID: "probe", Kind: asked, Member: "probe"},
			Charter: &council.Charter{}},
		Try: 1,
		System: prompt.System{
			Shared: "A council of models is about to meet. This only shows that you can be reached and can answer in a given " +
				"form."},
		Messages: []prompt.Message{{Role: prompt.User, Content: "Answer with this JSON object and nothing else:\n" +
			`{"summaryMarkdown":"Ready.","finalResolution":"Ready.","requiresExecution":false}`}},
	}
	if schema, ok := schemas.Get("reply." + string(asked)); ok {
		p.Contract = &prompt.Contract{Name: "reply." + string(asked), Schema: schema}
	}
	return p
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
