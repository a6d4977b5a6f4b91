package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
)

// The bounds of unusable replies to one question. A reply that calls a tool does not count.
const tries, triesToOrder = 3, 2

// Seat answers the asks of one member by a model. It returns unusable replies to the model with the problem, and gives
// up with a fault. A document that lacks sections, or a summary whose brief names nothing that carried, is asked for
// once more; then the better one counts. Answer must not be called concurrently.
//
// The usage of a reply is that of all its tries. A fault that suspends the session has the usage of the failed call
// alone: the other tries are in the call log, and count when a resumed session recalls them.
type Seat struct {
	model Model
	tools Tools      // nil: none
	mu    sync.Mutex // of next
	next  func(council.View) *prompt.Prompt
	parse func(council.View, string) (council.Body, error)

	repair func(p *prompt.Prompt, reply, problem string) *prompt.Prompt
}

// NewSeat seats m, whose conversation is c.
func NewSeat(m Model, c *prompt.Conversation) *Seat {
	return &Seat{model: m, next: c.Next, parse: prompt.Parse, repair: (*prompt.Prompt).Repair}
}

// Equip gives the member tools, which it may call as often as its charter allows. It returns s.
func (s *Seat) Equip(t Tools) *Seat {
	s.tools = t
	return s
}

// PromptBytes returns the size of the prompt for v's ask. It may be called at any time.
func (s *Seat) PromptBytes(v council.View) int64 { return s.prompt(v).Bytes() }

func (s *Seat) prompt(v council.View) *prompt.Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next(v)
}

// Answer puts v's ask to the model. It implements the engine's Member; its error is a [*CallLogError].
func (s *Seat) Answer(ctx context.Context, v council.View) (council.Reply, error) {
	r := council.Reply{Ask: v.Ask.ID}
	question := s.prompt(v)
	p, may := question, 0 // calls of tools
	if s.tools != nil {
		may = prompt.CallsLeft(v)
	}
	var kept keptReply
	for unusable, unclear, again := 0, 0, false; ; {
		c, err := s.model.Complete(ctx, allowToolCall(p, len(r.Tools) < may))
		if err != nil {
			return s.failed(&r, err)
		}
		r.Usage = r.Usage.Add(c.Usage)
		r.Cut, r.Hidden = council.AddCuts(r.Cut, c.Cut), council.AddCuts(r.Hidden, c.Hidden)
		var call council.ToolCall
		calls := false
		if s.tools != nil && c.Stop == prompt.StopEnd {
			call, calls = prompt.Call(v, c.Text)
		}
		if calls && len(r.Tools) < may {
			use, err := s.use(ctx, p, call)
			if err != nil {
				return s.failed(&r, err)
			}
			r.Tools = append(r.Tools, use)
			r.Usage.ElapsedMS += use.ElapsedMS
			p = question.After(r.Tools, p.Try)
			continue
		}
		body, kind, problem := s.read(v, c, again && v.Ask.Kind == council.AskDraft)
		again = again || c.Stop == prompt.StopUnknown
		if kind == "" && unclear == 0 {
			if problem = rankingProblem(v, body); problem != "" {
				kind = faultUnclear
			}
		}
		if kind == "" && p.Contract != nil {
			if copied := form.CopiedDescription(p.Contract.Forms, c.Text); copied != "" {
				kind = council.FaultUnparsable
				problem = fmt.Sprintf("it repeats the description %q of its form: write your own words", copied)
			}
		}
		if calls {
			kind, problem = council.FaultUnparsable, "it calls a tool, and there are no calls left: answer the question"
		}
		if kind == "" {
			r.Body = c.Mark(body)
			return r, nil
		}
		if unusable++; kind == faultUnclear {
			kind, unclear = council.FaultUnparsable, unclear+1
		}
		asked := kept.body != nil // for the missing part
		if v.Ask.Kind == council.AskDraft && strings.TrimSpace(c.Text) != "" {
			r.Refused = append(r.Refused, prompt.RefusedDraft(unusable, c.Text, Redact(problem)))
		}
		if !calls {
			kept.prefer(c.Mark(body), len(r.Refused)-1)
		}
		// A provider that filtered the reply filters it again.
		last := unusable == tries || unclear == triesToOrder || c.Stop == prompt.StopRefusal
		if kept.body != nil && (asked || last) {
			if r.Body = kept.body; kept.at >= 0 {
				r.Refused = slices.Delete(r.Refused, kept.at, kept.at+1)
			}
			return r, nil
		}
		if last {
			if unusable > 1 {
				problem = fmt.Sprintf("the last of %d tries: %s", unusable, problem)
			}
			r.Fault = &council.Fault{Kind: kind, Message: Redact(problem)}
			return r, nil
		}
		p = s.repair(p, c.Text, problem)
	}
}

// keptReply is the best incomplete reply so far, and its index among the refused, or -1.
type keptReply struct {
	body council.Body
	at   int
}

// prefer keeps a summary, or a document that lacks fewer sections than the kept one, or as many and is longer.
func (k *keptReply) prefer(body council.Body, at int) {
	switch one := body.(type) {
	case council.Summary:
	case council.Draft:
		if before, is := k.body.(council.Draft); is {
			fewer := len(before.MissingSections) - len(one.MissingSections)
			if fewer < 0 || fewer == 0 && len(one.Markdown) <= len(before.Markdown) {
				return
			}
		}
	default:
		return
	}
	k.body, k.at = body, at
}

// use carries out a call of a tool.
func (s *Seat) use(ctx context.Context, p *prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
	done, err := beginCall(ctx, p.View.Ask.Member, "before its tool was called")
	if err != nil {
		return council.ToolUse{}, err
	}
	defer done()
	return s.tools(ctx, p, call)
}

// failed returns the reply of a member whose call failed with err, or a [*CallLogError]; r is the reply so far.
func (s *Seat) failed(r *council.Reply, err error) (council.Reply, error) {
	if _, ok := errors.AsType[*CallLogError](err); ok {
		return council.Reply{}, err
	}
	call := callErrorOf(err)
	if call.Fault.Kind.Curable() {
		*r = council.Reply{Ask: r.Ask}
	}
	r.Usage = r.Usage.Add(call.Usage)
	fault := call.Fault
	fault.RetryAfterSeconds = int64((call.RetryAfter + time.Second - 1) / time.Second)
	r.Fault = &fault
	return *r, nil
}

// allowToolCall extends the contract of an answer so that a reply may also call a tool.
func allowToolCall(p *prompt.Prompt, calls bool) *prompt.Prompt {
	if !calls || p.Contract == nil {
		return p
	}
	q, c := *p, *p.Contract
	c.OrCall, q.Contract = true, &c
	return &q
}

// truncated has the problems of cut replies. They are not parsed: a vote or a draft must not be repaired from a part.
var truncated = map[prompt.Stop]string{
	prompt.StopLength: "the reply was cut off by the token limit; it has to be shorter",
	prompt.StopTooLong: "the reply is longer than is taken of one (maxReplyBytes, 256 KiB unless it is set); " +
		"it has to be shorter",
	prompt.StopRunaway: "the reply repeats itself or is far longer than asked for, and was not read to its end; " +
		"keep it short",
	prompt.StopFailed: "the provider broke the reply off",
}

// Unusable returns the problem of a completion that is not to be parsed, or "".
func Unusable(c prompt.Completion) (kind council.FaultKind, problem string) {
	if problem := truncated[c.Stop]; problem != "" {
		return council.FaultTruncated, problem
	}
	switch {
	case c.Stop == prompt.StopRefusal:
		return council.FaultRefusal, strings.TrimSuffix("the provider stopped the reply: "+c.Text, ": ")
	case strings.TrimSpace(c.Text) == "":
		return council.FaultEmpty, "the reply was empty"
	case c.Stop == prompt.StopUnknown:
		return council.FaultUnparsable, "the server gave no reason for the end of the reply, so it may be only a part"
	}
	return "", ""
}

// read parses a completion, or returns the problem, with a body if that is incomplete. part: it needs no reason to end.
func (s *Seat) read(v council.View, c prompt.Completion, part bool) (
	body council.Body, kind council.FaultKind, problem string) {
	if part && c.Stop == prompt.StopUnknown {
		c.Stop = prompt.StopEnd
	}
	if kind, problem = Unusable(c); problem != "" {
		return nil, kind, problem
	}
	body, err := s.parse(v, c.Text)
	switch {
	case err == nil:
		return body, "", ""
	case errors.Is(err, prompt.ErrLacksSections), errors.Is(err, prompt.ErrNamesNothing):
		return body, council.FaultUnparsable, council.ReplyProblem(err)
	case prompt.IsRefusal(c.Text):
		return nil, council.FaultRefusal, "the member declined: " + c.Text
	case errors.Is(err, prompt.ErrUnclear):
		kind = faultUnclear
	default:
		kind = council.FaultUnparsable
	}
	return nil, kind, council.ReplyProblem(err)
}

// faultUnclear marks an unparsable reply with an unclear order of options, which has fewer tries.
const faultUnclear council.FaultKind = "unclear"

// rankingProblem returns the problem of a position that ranks no options although it was asked to, or "".
func rankingProblem(v council.View, body council.Body) string {
	p, ok := body.(council.Position)
	if !ok || p.Ranking != nil || len(v.Charter.Options) == 0 || v.Seat.Model.Kind().Person {
		return ""
	}
	_, err := prompt.ReadRanking(v.Charter.Options, council.CompactJSON(p.UnreadRanking))
	return council.ReplyProblem(err)
}

// ErrLater: the person does not answer now. An [Asker] returns it.
var ErrLater = errors.New("the answer comes later")

// Asker puts questions to people. It may be called concurrently.
type Asker interface {
	// Ask waits for the answer. Its error is [ErrLater], or ctx's when the question is moot or the session stops.
	Ask(ctx context.Context, v council.View) (council.Body, error)
}

// People returns a model whose replies are typed by people, for any number of seats. Without an Asker every question
// waits. An answer costs neither tokens nor time of a budget. A question without an answer is a [*CallError] of kind
// awaiting-answer, which suspends the session with the question open.
func People(a Asker) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (c prompt.Completion, err error) {
		err = ErrLater
		var body council.Body
		if a != nil {
			body, err = a.Ask(ctx, p.View)
		}
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		text := ""
		if err == nil {
			text, err = AnswerText(p.View, body)
		}
		if err == nil {
			return prompt.Completion{Text: text, Stop: prompt.StopEnd}, nil
		}
		name, obstacle := string(p.View.Ask.Member), ""
		if p.View.Seat != nil {
			name = p.View.Seat.Name
		}
		if !errors.Is(err, ErrLater) {
			obstacle = ": " + err.Error()
		}
		return c, Fail(council.FaultAwaiting, "%s has not answered yet%s", name, obstacle)
	})
}

// AnswerText encodes an answer for the call log, or wraps [council.ErrBadReply] if it is unreadable or would be cut.
func AnswerText(v council.View, b council.Body) (string, error) {
	if b == nil || b.AskKind() != v.Ask.Kind {
		return "", council.ErrBadReply
	}
	text := prompt.Text(b)
	if _, err := prompt.Parse(v, text); err != nil {
		return "", err
	}
	if _, cut := council.Shorten(b); len(cut) > 0 {
		return "", fmt.Errorf("%w: %s has %d characters or entries, and at most %d are taken",
			council.ErrBadReply, cut[0].Field, cut[0].From, cut[0].To)
	}
	return text, nil
}

// AskedOfPeople returns the asks that are put to people.
func AskedOfPeople(c *council.Charter, asks []council.Ask) []council.Ask {
	return slices.DeleteFunc(slices.Clone(asks), func(a council.Ask) bool {
		m := c.Asked(a.Member)
		return m == nil || !m.Model.Kind().Person
	})
}
