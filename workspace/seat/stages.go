package seat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/workspace/site"
)

// link holds the settings of the stages between one member and one of its models.
type link struct {
	roster *Roster

	// Of the stages above the fallback.
	member  council.MemberID
	tape    *conversation.CallLog
	abandon map[council.AskID]bool
	budget  *budget.Budget // nil: the calls are in no session's budget

	// Of the stages below it.
	model  council.Model
	limits member.Limits
}

// stage is a decorator that a question passes on its way to the provider, and the reply on its way back.
type stage struct {
	name, does string
	wrap       func(*link, member.Model) member.Model // returns the model itself where the stage does not apply
}

// stages lists the stages between a member's seat and the provider, in the order in which a question passes them. The
// stages above the fallback exist once for a member, those below it once for each of its models.
var stages = []stage{
	{"call log", "records questions before they are asked and replies, without secrets; replays recorded replies",
		func(l *link, m member.Model) member.Model {
			return member.WithCallLog(m, l.tape, l.roster.wallet.Gate.Policy().Redactions()...)
		}},
	{"abandoned asks", "fails asks that were cut off by a crash and must not be paid for twice",
		func(l *link, m member.Model) member.Model { return member.Abandon(m, l.abandon) }},
	{"budget", "fails repairs that the session cannot pay for, and counts the cost of every call",
		func(l *link, m member.Model) member.Model {
			if l.budget == nil {
				return m
			}
			return l.budget.Pay(m, l.member)
		}},
	{"fallback", "passes the question to the member's model, or to a fallback model while that is down", nil},
	{"retry", "repeats calls that failed for a passing reason, waiting longer each time",
		func(l *link, m member.Model) member.Model {
			policy := member.DefaultRetryPolicy()
			policy.Jitter, policy.Sleep = rand.Float64, l.roster.world.Wait
			return member.Retry(m, policy)
		}},
	{"queue", "bounds the concurrent calls to one server",
		func(l *link, m member.Model) member.Model { return l.roster.queue(m, l.model) }},
	{"shared prefix", "lets one call fill the provider's cache with the part that all prompts begin with",
		func(l *link, m member.Model) member.Model {
			if k := l.model.Kind(); !k.Server() {
				return m
			}
			one := &l.model
			place := one.Provider + " " + one.BaseURL + " " + one.Model + " " + credential.Name(l.model)
			return l.roster.prefixes.Share(m, place)
		}},
	{"token rate", "delays calls above tokensPerMinute",
		func(l *link, m member.Model) member.Model {
			most := l.model.TokensPerMinute
			if most <= 0 {
				return m
			}
			return member.LimitTokens(m, l.roster.limits.share(l.model, l.model.Model, most, int(most)), l.roster.world.Now)
		}},
	{"call rate", "delays calls above callsPerMinute",
		func(l *link, m member.Model) member.Model {
			most := l.model.CallsPerMinute
			if most <= 0 {
				return m
			}
			return member.Limit(m, l.roster.limits.share(l.model, "", most, 1), l.roster.world.Now)
		}},
	{"timeout", "ends calls that do not begin or finish in time",
		func(l *link, m member.Model) member.Model { return member.Timeout(m, l.limits, l.roster.world.Now) }},
	{"stop", "sends no call once the run is to stop, and knows the calls that are under way",
		func(_ *link, m member.Model) member.Model { return member.TrackCalls(m) }},
	{"truncated prompt", "fails replies to a prompt that the server cut to its context window",
		func(l *link, m member.Model) member.Model {
			return member.DetectTruncatedPrompt(m, l.model.ContextWindow)
		}},
	{"reply limit", "marks replies above maxReplyBytes as too long",
		func(l *link, m member.Model) member.Model { return member.LimitReply(m, member.ReplyLimit(l.model)) }},
	{"gate", "asks the policy and writes the ledger before each request, and the cost after it",
		func(l *link, m member.Model) member.Model {
			if k := l.model.Kind(); k.NoModel { // a person's or a script's words cost nothing
				return m
			}
			return gatedModel{l.roster.wallet.Gate, m, l.model, l.roster.world.Now}
		}},
}

var fallbackAt = slices.IndexFunc(stages, func(s stage) bool { return s.wrap == nil })

// wrap wraps m by the stages: the last of them is the closest to m.
func (l *link) wrap(m member.Model, through []stage) member.Model {
	for _, s := range slices.Backward(through) {
		m = s.wrap(l, m)
	}
	return m
}

// gatedModel puts the calls of a model through the gate: each request is in the ledger before it is sent, with its
// estimated usage, and its usage afterwards. It belongs inside of [member.WithCallLog], so that recorded replies cost
// nothing, and of [member.Retry], so that each try is settled.
//
// A spent budget is a fault of the kind budget. If the ledger cannot be kept or the policy forbids the call, it is a
// [*member.CallLogError], which stops the session before the call.
type gatedModel struct {
	gate  *gate.Gate
	model member.Model
	of    council.Model
	now   func() time.Time
}

func (g gatedModel) Complete(ctx context.Context, q *prompt.Prompt) (prompt.Completion, error) {
	p, c := g.purpose(q)
	var err error
	if kind := g.of.Kind(); !kind.Server() {
		err = p.Call(g.gate, p.Model)
	}
	var out prompt.Completion
	if err == nil {
		out, err = g.model.Complete(p.In(ctx), q)
	}
	if stopped := p.Err(); stopped != nil {
		p.Settle(g.gate, 0, 0, false)
		err = stopped
	}
	if short, ok := errors.AsType[*gate.SpentError](err); ok {
		return prompt.Completion{}, &member.CallError{Fault: council.Fault{Kind: council.FaultBudget, Message: short.Words}}
	}
	if errors.Is(err, gate.ErrLedger) || errors.Is(err, policy.ErrRefused) {
		return prompt.Completion{}, &member.CallLogError{Err: err}
	}
	// With other errors it was called off, its bill is unknown, and the estimate stays.
	if call, ok := errors.AsType[*member.CallError](err); ok {
		g.settle(p, c, q.View.Ask.Member, &call.Usage, true)
	} else if err == nil {
		g.settle(p, c, q.View.Ask.Member, &out.Usage, false)
	}
	return out, err
}

// purpose returns the purpose and the estimated usage of a prompt, and the charter with its prices.
func (g gatedModel) purpose(q *prompt.Prompt) (*gate.Purpose, *council.Charter) {
	ask, c := q.View.Ask, q.View.Charter
	p := &gate.Purpose{Session: q.View.Session, Ask: ask.ID, Member: ask.Member, Model: g.of.Name()}
	if c == nil || c.Asked(ask.Member) == nil { // a trial of the model, at the built-in price
		c = &council.Charter{Members: []council.Member{{ID: ask.Member, Model: g.of}}, Prices: budget.SelectPrices(
			[]council.PricedModel{g.of.Priced()}, g.now().UTC().Format(time.DateOnly), budget.BuiltInPrices())}
		p.Session, p.Ask, p.Member = "", "", ""
	}
	expected := budget.NewMeter(c).Estimate(ask.Member, ask.Kind, q.Bytes())
	p.Tokens = expected.Tokens()
	p.Cost, _ = g.cost(c, ask.Member, expected, false)
	return p, c
}

// settle records the usage of a call, or the estimate if the reply reports none.
func (g gatedModel) settle(p *gate.Purpose, c *council.Charter, m council.MemberID, u *council.Usage, failed bool) {
	cost, known := g.cost(c, m, *u, failed)
	if u.Tokens() == 0 && !failed {
		p.Settle(g.gate, p.Tokens, p.Cost, true)
		return
	}
	p.Settle(g.gate, u.Tokens(), cost, !known)
}

// cost returns the price of a usage of the model, which may be a fallback of the member.
func (g gatedModel) cost(c *council.Charter, m council.MemberID, u council.Usage, failed bool) (council.Money, bool) {
	if c.Asked(m).Model.Priced() != g.of.Priced() {
		u.Provider, u.Model = g.of.Provider, g.of.Model
	}
	return c.Cost(m, u, failed)
}

// gatedTools notes each call of a member's tools before it is made.
func gatedTools(g *gate.Gate, tools member.Tools) member.Tools {
	return func(ctx context.Context, q *prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
		p := &gate.Purpose{Session: q.View.Session, Ask: q.View.Ask.ID, Member: q.View.Ask.Member}
		if err := g.Tool(p, call.Tool, council.Digest(call.Arguments)); err != nil {
			return council.ToolUse{}, &member.CallLogError{Err: err}
		}
		use, err := tools(p.In(ctx), q, call)
		if stopped := p.Err(); stopped != nil {
			return council.ToolUse{}, &member.CallLogError{Err: stopped}
		}
		return use, err
	}
}

// The default time limits of a call: until its reply begins, and from there to its end.
const (
	usualLimit = 5 * time.Minute
	localLimit = 30 * time.Minute
)

// limitsOf returns the time limits of one call to a model. Programs print nothing before they finish.
func limitsOf(m council.Model) member.Limits {
	whole, _ := time.ParseDuration(m.Timeout)
	begin, _ := time.ParseDuration(m.FirstByteTimeout)
	usual := usualLimit
	if member.Loopback(Server(m)) {
		usual = localLimit
	}
	l := member.Limits{Whole: cmp.Or(whole, usual), Begin: cmp.Or(begin, usualLimit)}
	if k := m.Kind(); !k.Server() {
		l.Begin = 0
	}
	return l
}

// queue makes the calls of a model, or the runs of an agent, wait for their turn at its server, if it has one. All
// members on a server share its queue, whatever their keys: most servers on this machine serve one call at a time.
func (r *Roster) queue(model member.Model, m council.Model) member.Model {
	server := Server(m)
	if server == "" {
		return model
	}
	kept, _ := r.lines.LoadOrStore(server, &member.Line{Server: server, Now: r.world.Now})
	l := kept.(*member.Line)
	if member.Loopback(server) {
		l.Most(1, false)
	}
	if m.Parallel > 0 {
		l.Most(m.Parallel, true)
	}
	return member.Queue(model, l)
}

// Server returns the scheme, host and port of a model's server, if it has one. The names of this machine are one.
func Server(m council.Model) string {
	address := cmp.Or(m.BaseURL, m.Kind().Address)
	u, err := url.Parse(address)
	switch {
	case err != nil || address == "":
		return address
	case member.Loopback(address):
		u.Host = strings.TrimSuffix("127.0.0.1:"+u.Port(), ":")
	}
	return credential.Origin(u)
}

// limiters are the rates of calls and of tokens, shared by all members with the same server and key.
type limiters struct {
	mu sync.Mutex
	of map[string]*rate.Limiter
}

// share returns the limiter of a model, or of its whole server if name is "". The lowest limit of any member holds.
func (all *limiters) share(m council.Model, name string, perMinute float64, burst int) *rate.Limiter {
	key := m.Provider + " " + m.BaseURL + " " + credential.Name(m) + " " + name
	if m.Kind().Program {
		key += " " + m.Model + " " + strings.Join(m.Command, " ")
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	l := all.of[key]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(perMinute/60), burst)
		all.of[key] = l
	}
	l.SetLimit(min(l.Limit(), rate.Limit(perMinute/60)))
	l.SetBurst(min(l.Burst(), burst))
	return l
}

// pricesFile is the name of a table of prices that people edit.
const pricesFile = "prices.json"

// Price puts the prices of the members' models into a charter that is about to be frozen. A budget in US dollars is
// refused where a price is not known. Prices in the configuration count first, then those in the record's folder, in
// the user's configuration, and those built in.
func Price(w *site.World, c *council.Charter) error {
	tables := [][]council.Rate{c.Prices}
	for _, folder := range []string{c.Storage.RootDir, w.User().ConfigFolder()} {
		t, err := readPrices(folder)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	c.Prices = budget.SelectPrices(c.Models(), w.Now().UTC().Format(time.DateOnly),
		append(tables, budget.BuiltInPrices())...)
	return Affordable(c, c.Budget)
}

// Affordable returns a usage error for a budget in US dollars if the price of a member is not known.
func Affordable(c *council.Charter, b council.Budget) error {
	if why := c.CannotHold(b); why != "" {
		return site.Refuse(why, "Write its price into .council/"+pricesFile+
			" (docs/costs.md shows how), or cap tokens instead: --budget-tokens N")
	}
	return nil
}

// readPrices reads the price table in a folder; a missing one is empty, and an unreadable one an error.
func readPrices(folder string) ([]council.Rate, error) {
	if folder == "" {
		return nil, nil
	}
	path := filepath.Join(folder, pricesFile)
	doc, err := atomicfile.ReadOrdinary(nil, path, budget.MaxPricesSize)
	if site.NoSuchPath(err) { // where the record is to lie is looked at later
		return nil, nil
	}
	path = filepath.ToSlash(path)
	if err != nil {
		return nil, fmt.Errorf("the prices cannot be read from %s: %w", path, atomicfile.Explain(err))
	}
	return budget.ParsePrices(path, string(doc))
}

// openBudget opens the budget of a session: the usage in its log, that on its tapes which is not yet in the log, and
// the possible cost of crashes. sizes are the bytes of the prompt for a view.
func openBudget(folder *recorder.Session, s *rules.Session, within func() council.Budget,
	sizes func(council.View) int64) (*budget.Budget, error) {
	o := budget.Opening{Charter: s.Charter(), Budget: within, Sizes: sizes, Events: s.Events(), Again: folder.CountRepeat,
		Paid: map[council.AskID]council.Usage{}, Failed: map[council.AskID]council.Usage{}}
	var err error
	if o.Cut, err = folder.Ambiguous(); err == nil {
		o.Doubts, err = folder.Doubts()
	}
	if err != nil {
		return nil, err
	}
	for _, ask := range o.Cut {
		o.Doubts[ask]++
	}
	for _, m := range s.Charter().Members {
		tape, err := folder.Conversation(m.ID)
		if err != nil {
			return nil, err
		}
		maps.Copy(o.Paid, tape.Opened.Paid())
		maps.Copy(o.Failed, tape.Opened.FailedCalls(s.Events()))
	}
	return budget.New(o), nil
}
