package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// checkPhases finds phases that the graph reaches but no session does, and transitions that are never taken.
func (x *design) checkPhases() {
	c, entry := x.c, x.c.SessionPolicy.EntryPhaseID
	distance := map[council.PhaseID]int{entry: 0}
	for frontier := []council.PhaseID{entry}; len(frontier) > 0; frontier = frontier[1:] {
		for _, e := range waysToEnd(c.Phase(frontier[0])) {
			if _, known := distance[e.to]; !known && e.to != "" {
				distance[e.to] = distance[frontier[0]] + 1
				frontier = append(frontier, e.to)
			}
		}
	}
	limit := c.SessionPolicy.MaxPhaseTransitions
	for i, phase := range c.Phases {
		if far, reached := distance[phase.ID]; !reached {
			x.find("phase-never", fmt.Sprintf("/phases/%d/id", i), phase.ID)
		} else if far > limit {
			x.find("phase-too-far", "/sessionPolicy/maxPhaseTransitions", phase.ID, far, limit)
		}
	}
	// From the phases that are done a session may end by itself: "" is its end.
	done := map[council.PhaseID]bool{"": true}
	for grown := true; grown; {
		grown = false
		for i := range c.Phases {
			p := &c.Phases[i]
			if !done[p.ID] && slices.ContainsFunc(waysToEnd(p), func(e end) bool { return done[e.to] }) {
				done[p.ID], grown = true, true
			}
		}
	}
	if !done[entry] {
		x.find("phase-loop", "/phases", limit)
	}
	for i := range c.Phases {
		p := &c.Phases[i]
		for j, t := range p.Transitions {
			if !slices.ContainsFunc(waysToEnd(p), func(e end) bool { return e.via == &p.Transitions[j] }) {
				x.find("transition-never", fmt.Sprintf("/phases/%d/transitions/%d", i, j), p.ID, t.To, t.When)
			}
		}
	}
}

// end is where a phase may lead, "" for the end of the session, and by which transition, or nil.
type end struct {
	via *council.Transition
	to  council.PhaseID
}

// waysToEnd returns the ways in which a phase may end: by a vote that carried, which without endOnMajorityVote may be
// found when the rounds run out, or without a resolution.
func waysToEnd(p *council.Phase) []end {
	carried, unresolved := council.PhaseEnded{Resolutions: make([]council.MotionID, 1)}, council.PhaseEnded{}
	if p.StopConditions.EndOnMajorityVote {
		carried.Reason = council.EndMajorityVote
	}
	return council.Map([]council.PhaseEnded{carried, unresolved}, func(ended council.PhaseEnded) (e end) {
		e.via, e.to = rules.NextPhase(p, ended)
		return e
	})
}

// checkVotes finds rules of voting that hardly anything can meet, or too little.
func (x *design) checkVotes() {
	for i, p := range x.c.Phases {
		x.checkGovernance(p.Governance, fmt.Sprintf("/phases/%d/governance", i), fmt.Sprintf("A motion in phase %q", p.ID))
	}
	if g := x.c.DocumentationReview.Governance; g != nil {
		x.checkGovernance(*g, "/documentationReview/governance", "A draft")
	}
}

func (x *design) checkGovernance(g council.Governance, at, what string) {
	n := len(x.c.Members)
	rule := g.Rule(n)
	// fewest is how few YES carry without any NO, which is the best that can happen, and some members are absent.
	fewest := func(absent int) (yes int, ok bool) {
		for yes := 1; yes <= n-absent; yes++ {
			if rule.Decide(quorum.Count{Yes: yes, Abstain: n - absent - yes, Absent: absent}) == quorum.Carried {
				return yes, true
			}
		}
		return 0, false
	}
	few, possible := fewest(0)
	_, robust := fewest(1)
	few = max(few, rule.Required())
	switch {
	case !possible:
		x.find("vote-never", at, what, n)
	case rule.Needed(n) == n && !rule.Threshold.All():
		also := ""
		if !robust {
			also = ", and it cannot carry when one of them is absent"
		}
		x.find("vote-unanimous", at+"/majorityThreshold", what, n, rule.Threshold, also, n-1)
	case !robust:
		field := "majorityThreshold"
		if rule.Required() == n {
			field = "quorum"
		}
		x.find("vote-all", at+"/"+field, what, n, field, n-1)
	case few <= n/2:
		x.find("vote-few", at+"/quorum", what, n, few)
	}
}

// checkAlike finds members with similar instructions, which would give similar answers.
func (x *design) checkAlike() {
	members := x.c.Members
	var pairs [][2]int
	for i := range members {
		for j := range i {
			if similarity(members[j].SystemPrompt, members[i].SystemPrompt) >= 0.5 {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	if n := len(members); len(pairs) == n*(n-1)/2 {
		x.find("members-all-alike", "/members")
		return
	}
	for _, pair := range pairs {
		a, b := members[pair[0]].ID, members[pair[1]].ID
		f := x.find("members-alike", fmt.Sprintf("/members/%d/systemPrompt", pair[1]), a, b)
		f.Members = []council.MemberID{a, b}
	}
}

// similarity returns the share of the runs of three words of the shorter of two texts that the other has too.
func similarity(a, b string) float64 {
	in, other := wordRuns(a), wordRuns(b)
	if len(in) > len(other) {
		in, other = other, in
	}
	shared := 0
	for run := range in {
		if other[run] {
			shared++
		}
	}
	return float64(shared) / float64(max(1, len(in)))
}

func wordRuns(text string) map[string]bool {
	words := strings.Fields(strings.ToLower(text))
	all := map[string]bool{}
	for i := range words {
		all[strings.Join(words[i:min(i+3, len(words))], " ")] = true
	}
	return all
}

// checkDocument finds sections of the skeleton that the document is not asked to have.
func (x *design) checkDocument() {
	review := x.c.DocumentationReview
	_, sections, _ := templates.Skeleton(review.Skeleton)
	var missing []string
	for _, s := range sections {
		if !slices.Contains(review.Sections, s.Heading) {
			missing = append(missing, s.Heading)
		}
	}
	if len(missing) > 0 {
		x.find("sections-missing", "/documentationReview/sections", review.Skeleton, strings.Join(missing, "; "))
	}
}

// checkFamily finds councils whose seats are all of one model family, or would be if their models were down.
func (x *design) checkFamily() {
	if k := x.c.Families(false); k.Alike() {
		x.find("one-family", "/members", k.Seats, k.Families[0])
	} else if spare := x.c.Families(true); spare.Alike() {
		x.find("one-family-fallbacks", "/members", spare.Seats, spare.Families[0])
	}
}

// Opening is how a session begins, in tokens that are estimated as a session itself estimates them.
type Opening struct {
	Documents int   `json:"documents"`
	Prompt    int64 `json:"promptTokens"`  // of the first prompt of a member
	Whole     int64 `json:"openingTokens"` // of the first questions to all members, with their replies

	cost    council.Money // of those whose price is known
	bytes   int64         // of the first prompt of a member
	longest int64         // tokens that a conversation usually grows to
}

// measure writes the first prompt of a session and sizes it up. It makes no call.
func (x *exam) measure(topic council.Topic) error {
	topic.Text = cmp.Or(topic.Text, "?")
	session, err := rules.Begin("doctor", topic, *x.c)
	if err != nil {
		return err
	}
	o := &Opening{Documents: len(topic.Documents), longest: budget.LongestPrompt(x.c)}
	meter := budget.NewMeter(x.c)
	for i, ask := range session.Ready().Asks {
		if i == 0 { // the shared part is nearly all of it, so that one prompt measures all
			o.bytes = prompt.NewConversation(prompt.Limits{}).Next(session.View(ask)).Bytes()
			o.Prompt = o.bytes / council.BytesPerToken
		}
		takes := meter.Estimate(ask.Member, ask.Kind, o.bytes)
		o.Whole += takes.Tokens()
		if cost, known := x.c.Cost(ask.Member, takes, false); known {
			o.cost = o.cost.Plus(cost)
		}
	}
	x.opening = o
	return nil
}

// checkBudget finds a budget too small for the first questions, whose cost a session reserves.
func (x *exam) checkBudget() {
	if b := x.c.Budget.Tokens; b > 0 && b < x.opening.Whole {
		x.find("budget-small:tokens", "/budget/tokens", plural.Thousands(x.opening.Whole), plural.Thousands(b))
	}
	if b := council.Dollars(x.c.Budget.USD); b > 0 && b < x.opening.cost {
		x.find("budget-small:usd", "/budget/usd", x.opening.cost, b)
	}
}

// checkPrices sets the prices of the models, and finds a budget in dollars that could not be kept.
func (x *exam) checkPrices() {
	err := seat.Price(x.World, x.c)
	if err == nil {
		return
	}
	if use := new(site.Error); errors.As(err, &use) {
		x.find("prices:budget", "/budget/usd", err, use.Hint)
	} else {
		x.find("prices", "/prices", err)
	}
	x.c.Budget.USD = 0 // so that the rest can be looked at
}

// checkContexts compares the context sizes of all models with the prompts to come.
func (x *exam) checkContexts() {
	o := x.opening
	for _, m := range x.models {
		set, window := int64(m.ContextWindow), m.Tokens
		if window == 0 || set > 0 && set < window { // the lower one binds
			window = set
		}
		if window == 0 {
			continue
		}
		bounded := m.Model
		bounded.ContextWindow = int(window)
		reply := int64(prompt.ReplyTokens(bounded))
		need := o.Prompt + min(o.longest, prompt.MaxBytes/3) + reply
		held := plural.Thousands(window)
		switch {
		case set > window:
			x.findOf(m, "context-other", "contextWindow", plural.Thousands(set), held, m.contextAdvice(set))
		case o.Prompt+reply > window:
			f := x.findOf(m, "context-small", "model", plural.Thousands(o.Prompt), held, m.contextAdvice(need),
				plural.Thousands(reply))
			if o.bytes/5+reply <= window { // where a token has five bytes, as in English nearly, it fits
				f.Severity = Costs
			}
		case need > window:
			f := x.findOf(m, "context-tight", "model", plural.Thousands(need), held, m.contextAdvice(need))
			if window-o.Prompt-reply < o.longest/4 {
				f.Severity = Costs
			}
		}
	}
}

// contextAdvice returns advice on how to give a server a context of so many tokens.
func (m *model) contextAdvice(need int64) string {
	const step = 4096
	tokens := (need + step - 1) / step * step
	if m.Most > 0 {
		tokens = min(tokens, m.Most)
	}
	how := map[probe.Kind]string{
		probe.Ollama:   fmt.Sprintf("Start it with OLLAMA_CONTEXT_LENGTH=%d ollama serve", tokens),
		probe.LlamaCpp: fmt.Sprintf("Start it with llama-server --ctx-size %d for each of its --parallel slots", tokens),
		probe.VLLM:     fmt.Sprintf("Start it with vllm serve --max-model-len %d", tokens),
		probe.LMStudio: fmt.Sprintf("Load it by lms load %s --context-length %d", m.Model.Model, tokens),
	}[cmp.Or(m.Report.Window.Server, probe.Kind(m.Provider))]
	const seat = "Seat a model with a larger context."
	switch {
	case how == "":
		return seat
	case m.Most > 0 && m.Most < need:
		return how + ", as far as its memory allows. " + seat
	}
	return how + ", as far as its memory allows."
}

// CouncilCheck is the result for one council, as JSON has it.
type CouncilCheck struct {
	Council  string          `json:"council"`            // its file, or the ready-made council that it is
	Verdict  Fitness         `json:"verdict"`            // the worst of the following
	Problems config.Problems `json:"problems,omitempty"` // why it cannot be convened
	Findings []Finding       `json:"findings,omitempty"` // doubts about one that can
}

// Fitness is the verdict on a council.
type Fitness string

// The verdicts. A [Wrong] council cannot be convened.
const (
	Fit      Fitness = "fit"
	Doubtful Fitness = "doubtful"
	Wrong    Fitness = "wrong"
)

// CheckCouncil reads a council and names everything that is wrong or doubtful.
func CheckCouncil(one seat.Candidate) CouncilCheck {
	found := CouncilCheck{Council: one.From, Verdict: Wrong}
	if one.Err != nil {
		found.Problems = config.Problems{{Text: one.Err.Error()}}
		return found
	}
	c, err := config.Parse(one.Doc)
	if errors.As(err, &found.Problems) {
		return found
	}
	found.Findings = Sound(&c)
	if len(found.Findings) == 0 {
		found.Verdict = Fit
	} else if found.Findings[0].Severity != Stops { // they are sorted
		found.Verdict = Doubtful
	}
	return found
}
