package minutes

import (
	"maps"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Usage counts calls, tokens of five kinds that exclude one another, and milliseconds from question to reply. Times
// are added up even where members were asked at once.
type Usage struct {
	Calls            int   `json:"calls"`
	InputTokens      int64 `json:"inputTokens"` // new ones
	CachedTokens     int64 `json:"cachedTokens"`
	CacheWriteTokens int64 `json:"cacheWriteTokens"`
	OutputTokens     int64 `json:"outputTokens"`
	ReasoningTokens  int64 `json:"reasoningTokens,omitempty"`
	ElapsedMS        int64 `json:"elapsedMs"`
}

// Tokens returns how many tokens of all kinds were used.
func (u Usage) Tokens() int64 {
	return u.InputTokens + u.CachedTokens + u.CacheWriteTokens + u.OutputTokens + u.ReasoningTokens
}

// UsageReport lists the usage of all replies: by member in turn order, by kind of ask in the order of the protocol,
// and in total. Replies that led to a suspension count.
type UsageReport struct {
	Members []MemberUsage `json:"members"`
	Asks    []AskUsage    `json:"asks"`
	Total   Usage         `json:"total"`
	Cost    *CostReport   `json:"cost,omitempty"` // absent: the charter knows no prices
}

// MemberUsage is the usage of one member's replies.
type MemberUsage struct {
	Member council.MemberID `json:"member"`
	Usage
}

// AskUsage is the usage of the replies to one kind of ask.
type AskUsage struct {
	Ask council.AskKind `json:"ask"`
	Usage
}

// CostReport lists the cost of the replies in money, by the prices frozen in the charter. An unknown cost is null.
type CostReport struct {
	Currency   string       `json:"currency"`              // USD
	PricesAsOf string       `json:"pricesAsOf,omitempty"`  // when the oldest price was read; absent: no prices
	Billed     int          `json:"billedCalls,omitempty"` // calls whose cost the provider reported
	Members    []MemberCost `json:"members"`
	Total      *float64     `json:"total"`
}

// MemberCost is the cost of one member's replies.
type MemberCost struct {
	Member council.MemberID `json:"member"`
	Cost   *float64         `json:"cost"`
}

// Replies sums up usage, lookups and cuts of replies. It reads events once it is asked, since most readers never ask.
// The maps have only members of which there is something to report.
type Replies struct {
	Reported map[council.MemberID]string            // the configured model, as its provider last named it
	StoodIn  map[council.MemberID][]FallbackAnswers // models that answered in place of it, as they first did
	Withheld Withheld

	// The event of the first answer of a member whose server counted fewer tokens of its prompt than it can have, or
	// than of a shorter one before.
	PromptCut map[council.MemberID]string

	read    int // how many events were looked at
	charter *council.Charter
	members map[council.MemberID]spent
	asks    map[council.AskKind]spent
	total   spent
	named   []string // the models that answered or failed, as their providers name them, each once
	prompts Prompts
	asOf    council.Seq // of the asks that are open together
	slowest int64       // of their replies, in milliseconds
	waited  int64       // for those before
	lookups map[council.MemberID]Lookups
}

type spent struct {
	council.Usage
	money   council.Money
	unknown bool // there is more money than that
}

func (s spent) plus(t spent) spent {
	return spent{Usage: s.Usage.Add(t.Usage), money: s.money.Plus(t.money), unknown: s.unknown || t.unknown}
}

func (s spent) usage() Usage {
	return Usage{s.Calls, s.InputTokens, s.CachedTokens, s.CacheWriteTokens, s.OutputTokens, s.ReasoningTokens,
		s.ElapsedMS}
}

func (c *Replies) take(e council.Event) {
	r, ok := e.Reply()
	if !ok {
		return
	}
	ask, u, failed := r.Ask, r.Usage, r.Fault != nil
	money, known := c.charter.Cost(e.Actor, u, failed)
	if a, ok := e.Answered(); ok && a.AsOf != c.asOf {
		c.waited, c.slowest, c.asOf = c.waited+c.slowest, 0, a.AsOf
	}
	c.slowest = max(c.slowest, u.ElapsedMS)
	one := spent{Usage: u, money: money, unknown: !known}
	c.total = c.total.plus(one)
	c.members[e.Actor] = c.members[e.Actor].plus(one)
	c.asks[ask.Kind()] = c.asks[ask.Kind()].plus(one)
	c.noteModel(e.Actor, u, failed)
	if c.prompts.NoteUsage(e.Actor, ask, u) {
		c.PromptCut[e.Actor] = e.Seq.ID()
	}
	addCuts(&c.Withheld.CutReplies, e.Actor, r.Cut)
	addCuts(&c.Withheld.HiddenReplies, e.Actor, r.Hidden)
	for _, use := range r.Tools {
		addCuts(&c.Withheld.CutLookups, e.Actor, use.Secrets)
		addCuts(&c.Withheld.HiddenLookups, e.Actor, use.Hidden)
		n := c.lookups[e.Actor]
		n.Calls++
		n.Bytes += use.Bytes
		if use.Failed {
			n.Failed++
		}
		c.lookups[e.Actor] = n
	}
}

// Replies returns the sums over all replies so far. The next event may change them.
func (m *Minutes) Replies() *Replies {
	c := &m.replies
	if c.charter = &m.Started.Charter; c.lookups == nil {
		c.lookups = map[council.MemberID]Lookups{}
		c.members, c.asks = map[council.MemberID]spent{}, map[council.AskKind]spent{}
		c.PromptCut, c.Reported = map[council.MemberID]string{}, map[council.MemberID]string{}
		c.StoodIn = map[council.MemberID][]FallbackAnswers{}
	}
	for ; c.read < len(m.Events); c.read++ {
		c.take(m.Events[c.read])
	}
	return c
}

// seats lists the members in turn order. Without a charter, which may have been erased, they are those who
// answered.
func (c *Replies) seats() []council.MemberID {
	if seats := c.charter.Seats(); len(seats) > 0 {
		return seats
	}
	return slices.Sorted(maps.Keys(c.members))
}

// asked lists the seats, and the spares that were asked.
func (c *Replies) asked() []council.MemberID {
	seats := c.seats()
	for _, spare := range c.charter.Deliberation.Spares {
		if _, was := c.members[spare]; was && !slices.Contains(seats, spare) {
			seats = append(seats, spare)
		}
	}
	return seats
}

// Usage returns the usage of all replies.
func (c *Replies) Usage() UsageReport {
	r := UsageReport{Members: []MemberUsage{}, Asks: []AskUsage{}, Total: c.total.usage(), Cost: c.cost()}
	for _, id := range c.asked() {
		r.Members = append(r.Members, MemberUsage{Member: id, Usage: c.members[id].usage()})
	}
	for _, k := range council.AskKinds() {
		if u, ok := c.asks[k]; ok {
			r.Asks = append(r.Asks, AskUsage{Ask: k, Usage: u.usage()})
		}
	}
	return r
}

// cost returns the cost of replies; nil where the charter knows no prices. A member that was not asked cost nothing.
func (c *Replies) cost() *CostReport {
	prices := c.charter.Prices
	if len(prices) == 0 && c.total.BilledCalls == 0 {
		return nil
	}
	r := &CostReport{Currency: "USD", PricesAsOf: council.PricesAsOf(prices), Billed: c.total.BilledCalls,
		Members: []MemberCost{}, Total: c.total.usd()}
	for _, id := range c.asked() {
		r.Members = append(r.Members, MemberCost{Member: id, Cost: c.members[id].usd()})
	}
	return r
}

// Words describes the cost and its source, and names the members whose cost is not known and in no sum.
func (r *CostReport) Words(name func(council.MemberID) string) string {
	var sum council.Money
	var unknown []string
	for _, m := range r.Members {
		if m.Cost == nil {
			unknown = append(unknown, name(m.Member))
		} else {
			sum = sum.Plus(council.Dollars(*m.Cost))
		}
	}
	if r.Total != nil {
		sum = council.Dollars(*r.Total)
	}
	words, read := sum.String(), "by prices that were read on "+r.PricesAsOf+" or later"
	switch {
	case r.PricesAsOf != "" && r.Billed > 0:
		words += ", as the provider said, or else " + read
	case r.PricesAsOf != "":
		words += ", " + read
	case r.Billed > 0:
		words += ", as the provider said"
	}
	if len(unknown) > 0 {
		words += ", and what " + strings.Join(unknown, ", ") + " took, of which the cost is not known"
	}
	return words
}

// usd returns the cost, or nil when a part of it is unknown.
func (s spent) usd() *float64 {
	if s.unknown {
		return nil
	}
	return new(s.money.USD())
}

// FallbackAnswers is a model that answered in the place of a member's own.
type FallbackAnswers struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // as reported, or as configured where the provider reports none
	Replies  int    `json:"replies"`
}

// Diversity shows how related the models are. Models of one family make the same mistakes.
type Diversity struct {
	Models   int      `json:"models"`   // configured, each once
	Families []string `json:"families"` // of these
	Reported struct {
		Models   int      `json:"models"`
		Families []string `json:"families"`
	} `json:"reported"` // of those that answered, as their providers name them
}

// noteModel notes which model answered: the configured one as its provider names it, or one that stood in.
func (c *Replies) noteModel(m council.MemberID, u council.Usage, failed bool) {
	if u.Model == "" {
		return
	}
	if !slices.Contains(c.named, u.Model) {
		c.named = append(c.named, u.Model)
	}
	switch same := func(a FallbackAnswers) bool { return a.Provider == u.Provider && a.Model == u.Model }; {
	case u.Provider == "":
		c.Reported[m] = u.Model
	case !failed:
		if council.Find(c.StoodIn[m], same) == nil {
			c.StoodIn[m] = append(c.StoodIn[m], FallbackAnswers{Provider: u.Provider, Model: u.Model})
		}
		council.Find(c.StoodIn[m], same).Replies++
	}
}

// Diversity returns how related the models of the council are. It is nil where all members have one and the same.
func (c *Replies) Diversity() *Diversity {
	k := c.charter.Families(false)
	if len(k.Models) < 2 {
		return nil
	}
	d := &Diversity{Models: len(k.Models), Families: k.Families}
	reported := slices.Collect(maps.Values(c.Reported))
	for _, others := range c.StoodIn { // also for a model that never answered itself
		reported = append(reported, council.Map(others, func(a FallbackAnswers) string { return a.Model })...)
	}
	families := append([]string{}, council.Map(reported, council.ModelFamily)...)
	slices.Sort(reported)
	slices.Sort(families)
	d.Reported.Models, d.Reported.Families = len(slices.Compact(reported)), slices.Compact(families)
	return d
}

// Prompts notices servers that silently leave out a prompt or a part of it: they count fewer tokens than it can have,
// or fewer in a prompt that is at least as long as the one before. The zero value is ready for use.
type Prompts struct {
	// By member and kind of ask: some servers count the schema of the reply too, and each kind has its own, or none.
	last     map[string]council.Usage
	reported map[council.MemberID]bool
}

// NoteUsage takes in the usage of an answer, and reports whether it is the member's first whose count is too low.
// Answers to other kinds of asks, that took several calls, or that another model gave, are not compared.
func (p *Prompts) NoteUsage(m council.MemberID, ask council.AskID, u council.Usage) bool {
	if u.Calls != 1 || u.PromptTokens() == 0 || u.PromptBytes == 0 {
		return false
	}
	if p.last == nil {
		p.last, p.reported = map[string]council.Usage{}, map[council.MemberID]bool{}
	}
	key := string(m) + " " + string(ask.Kind())
	before, known := p.last[key]
	p.last[key] = u
	if p.reported[m] {
		return false
	}
	p.reported[m] = u.PromptLost() || known && before.Model == u.Model && before.Provider == u.Provider &&
		u.PromptBytes >= before.PromptBytes && u.PromptTokens() < before.PromptTokens()
	return p.reported[m]
}

// Price is what the replies of a session took, also as a multiple of what asking one member five times would have cost.
type Price struct {
	Calls   int
	Cost    council.Money
	Known   bool // the cost is
	Seconds float64
	// The multiple, see [council.Charter.FiveAnswers]; 0: not known. It is one of costs, never of tokens: cached ones are
	// most of a long session's and cost a tenth or less.
	Times float64
}

// Price returns the price of the replies so far, or nil without models. Asks together take as long as the slowest.
func (m *Minutes) Price() *Price {
	started := m.Started
	if !started.Charter.AsksModels() {
		return nil
	}
	all := m.Replies()
	p := &Price{Calls: all.total.Calls, Cost: all.total.money, Known: !all.total.unknown,
		Seconds: float64(all.waited+all.slowest) / 1000}
	if _, five, known := started.Charter.FiveAnswers(&started.Topic); p.Known && known && five > 0 {
		p.Times = float64(p.Cost) / float64(five)
	}
	return p
}
