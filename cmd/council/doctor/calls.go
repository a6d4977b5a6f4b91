package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/names"
	"github.com/council-engine/council/recorder/render"
)

const (
	atOnce = 8 // models that are asked at the same time
	slow   = 30 * time.Second
	skewed = 2 * time.Minute
)

// seen is the result for one model of the roster. Members with the same model are asked as one.
type seen struct {
	place
	Members []council.MemberID
	Window  int64 // tokens of its context, as its server says; 0 where it does not
	most    int64 // that the model could have, as its server says
	kind    probe.Kind
	probe.Report
}

func (s *seen) finding(code string, weight Severity, field string) Finding {
	f := s.place.finding(code, weight, field)
	f.Members = slices.Clone(s.Members)
	return f
}

// checkModels asks every model of the roster once. Those that cannot be seated are left out: they were found before.
func (d Doctor) checkModels(ctx context.Context, c *council.Charter, o opening, found *findings) []*seen {
	all, chains := roster(c)
	p := &probe.Prober{Transport: d.Transport, Now: d.Now}
	var wait sync.WaitGroup
	free := make(chan struct{}, atOnce)
	failed := make([]error, len(all))
	for i, s := range all {
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			leave := func() {}
			s.Report, failed[i] = p.Ask(ctx, func(client *http.Client) (m member.Model, err error) {
				if m, leave, err = d.Seat(c, s.place.Model, client); err != nil {
					leave = func() {}
				}
				return m, err
			})
			leave()
		})
	}
	wait.Wait()
	var asked []*seen
	for i, s := range all {
		if failed[i] == nil {
			asked = append(asked, s)
		}
	}
	expose(chains)
	for _, s := range asked {
		s.find(c, found)
		s.checkContext(o, found)
	}
	return asked
}

// roster lists the models that cost something, each with its members in seat order. chains are those of each member, in
// the order in which they are asked.
func roster(c *council.Charter) (all []*seen, chains map[council.MemberID][]*seen) {
	known, chains := map[string]*seen{}, map[council.MemberID][]*seen{}
	for _, p := range places(c) {
		if !asksAModel(p.Model) {
			continue
		}
		p.Fallbacks = nil               // which have places of their own
		key, _ := json.Marshal(p.Model) // it came from JSON
		one := known[string(key)]
		if one == nil {
			one = &seen{place: p}
			known[string(key)], all = one, append(all, one)
		}
		one.backed, one.spare = one.backed && p.backed, one.spare && p.spare
		if !slices.Contains(one.Members, p.member) {
			one.Members = append(one.Members, p.member)
		}
		if !p.spare || chains[p.member] != nil {
			chains[p.member] = append(chains[p.member], one)
		}
	}
	return all, chains
}

// expose makes grave again what nothing stands behind: a member's models when all of them are down, and the one that is
// asked because those before it are down, and is refused for a reason for which no further one is asked.
func expose(chains map[council.MemberID][]*seen) {
	for _, chain := range chains {
		i := slices.IndexFunc(chain, func(s *seen) bool { return !s.isDown() })
		if i >= 0 {
			chain[i].spare = chain[i].spare && (i == 0 || chain[i].Fault == nil || !chain[i].Fault.Kind.Curable())
			continue
		}
		for _, s := range chain {
			s.backed = false
		}
	}
}

// isDown reports whether the model that stands behind this one is asked.
func (s *seen) isDown() bool {
	return s.Trouble != "" || s.Fault != nil && slices.Contains([]council.FaultKind{
		council.FaultModelMissing, council.FaultTransport, council.FaultTimeout, council.FaultFailed, council.FaultRejected},
		s.Fault.Kind)
}

// find adds what is wrong with the results of a model.
func (s *seen) find(c *council.Charter, found *findings) {
	s.told(s.Report.Window)
	f := s.finding("", s.stops(), "")
	switch {
	case s.Trouble != "":
		f.Severity = s.down()
		s.unreached(f, found)
		return
	case s.Fault != nil:
		s.failed(f, found)
	case s.Problem != "":
		f.Code, f.Severity = "reply-unusable", Costs
		f.Problem = fmt.Sprintf("%s answers, but %s.", s.name(), strings.TrimRight(s.Problem, "."))
		f.Why = "A leader that answers so writes no summary, and a member that votes so has no vote."
		f.Do = "Seat another model."
		switch {
		case strings.Contains(s.Problem, "token limit"):
			f.Do = "Raise maxTokens: a model that reasons needs room before it writes."
		case strings.Contains(s.Problem, "not in the form"):
			f.Do = "Seat another model; small ones often cannot keep to a form."
		}
		found.add(f)
	default:
		s.manner(c, found)
	}
	s.clock(found)
}

func (s *seen) unreached(f Finding, found *findings) {
	f.Code, f.Where = string(s.Trouble), s.Address
	if s.BaseURL != "" {
		f.Where = s.field + "/baseUrl"
	}
	f.Problem = sentence(s.Words)
	f.Why = "The session would be suspended at its first question."
	f.Do = map[probe.Trouble]string{
		probe.TroubleName:        "Correct the name in baseUrl, or see to this machine's name service.",
		probe.TroubleRefused:     "Start the server, or correct the port in baseUrl.",
		probe.TroubleUnreachable: "Check the network and firewalls; if the server is behind a proxy, set HTTPS_PROXY.",
		probe.TroubleCertificate: "If the certificate is your own, name its authority's file in SSL_CERT_FILE; if it is " +
			"not, somebody may be listening.",
		probe.TroublePlain:     "Write http:// in baseUrl, if the server is on this machine or in a network that you trust.",
		probe.TroubleEncrypted: "Write https:// in baseUrl.",
		probe.TroubleProxy:     "Correct HTTPS_PROXY and HTTP_PROXY, or name the server in NO_PROXY.",
	}[s.Trouble]
	found.add(f)
}

func (s *seen) failed(f Finding, found *findings) {
	words := hostile.Line(s.Fault.Message)
	f.Problem = sentence(fmt.Sprintf("%s says: %s", s.server(), words))
	f.Why = "The session would be suspended at its first question."
	f.Do = render.Remedy(s.Fault.Kind)
	f.Code = string(s.Fault.Kind)
	if s.isDown() {
		f.Severity = s.down()
	}
	switch s.Fault.Kind {
	case council.FaultAuth:
		f.Code = "key-refused"
		f.Problem = sentence(fmt.Sprintf("%s does not accept the key: %s", s.server(), words))
		f.Do = "Provide a key that is valid for this server; council onboard stores keys and logs in."
		if all := variables(s.place.Model); len(all) > 0 {
			f.Where = s.place.finding("", Stops, all[0].field).Where
			f.Do = fmt.Sprintf("Export %s with a key that is valid for this server.", all[0].name)
		}
	case council.FaultModelMissing:
		f.Where = s.field + "/model"
		f.Problem = sentence(fmt.Sprintf("The server has no model %q for this key: %s", s.place.Model.Model, words))
		f.Do = s.suggestion()
	case council.FaultRate:
		f.Severity, f.Why = Costs, "A session asks all members at once, many times."
	case council.FaultTimeout:
		f.Why = "A session waits five minutes for each reply to begin, ten in all, and is suspended then."
	case council.FaultContextTooLong:
		f.Why = "Even this short question did not fit, so it could answer nothing."
	case council.FaultCancelled:
		f.Code, f.Severity, f.Why, f.Do = "unfinished", Remark, "What it can do is not known.", "Run council doctor again."
	case council.FaultRefusal, council.FaultEmpty, council.FaultTruncated, council.FaultUnparsable:
		f.Code, f.Severity, f.Why = "reply-unusable", Costs, "A member that answers so is absent from every vote."
	}
	found.add(f)
}

// suggestion returns what to set instead of a model that the server does not have.
func (s *seen) suggestion() string {
	served := make([]string, 0, len(s.Listed))
	for _, l := range s.Listed {
		served = append(served, hostile.Line(l.Name))
	}
	if near, ok := names.Nearest(s.place.Model.Model, slices.Values(served)); ok {
		return fmt.Sprintf("Set model to %q, which it has.", near)
	}
	if fetch := s.place.Model.Kind().Fetch; fetch != "" {
		return "Fetch it with: " + fetch + " " + s.place.Model.Model
	}
	if len(served) == 0 {
		return "Set model to one that the server has; it does not tell which."
	}
	const shown = 5
	more := ""
	if len(served) > shown {
		more = fmt.Sprintf(" and %d more", len(served)-shown)
	}
	return "Set model to one that it has: " + strings.Join(served[:min(len(served), shown)], ", ") + more + "."
}

func (s *seen) manner(c *council.Charter, found *findings) {
	f := s.finding("", Remark, "model")
	if s.Schema == probe.SchemaLeftOut {
		f.Code = "schema-left-out"
		f.Problem = fmt.Sprintf("%s does not take a JSON Schema; it is left out of every call.", s.name())
		f.Why = "More replies will have to be put back to the model, and each try is paid."
		f.Do = "Nothing, if it keeps to the form as well as it did here."
		found.add(f)
	}
	if s.Calls > 0 && s.Address != "" && !s.Streams {
		f.Code = "no-streaming"
		f.Problem = fmt.Sprintf("%s does not stream its replies.", s.name())
		f.Why = "Proxies may cut a connection that is silent while a long reply is written."
		f.Do = "Nothing, if no proxy stands between."
		found.add(f)
	}
	if s.FirstByte > slow {
		f.Code, f.Severity = "slow", Costs
		f.Problem = fmt.Sprintf("%s took %s to its first byte.", s.name(), seconds(s.FirstByte))
		f.Why = "A session waits for the slowest member at every step."
		f.Do = "Try again: a local model may only have been loaded now."
		found.add(f)
	}
	if s.Usage.Tokens() == 0 && c.Budget.Tokens > 0 {
		f.Code, f.Severity = "tokens-untold", Costs
		f.Problem = fmt.Sprintf("%s does not say how many tokens a call took.", s.name())
		f.Why = "Its calls do not count against the budget as they are reported."
		f.Do = "Watch what it costs at the provider, or cap the time with budget.minutes."
		found.add(f)
	}
}

func (s *seen) clock(found *findings) {
	if !s.Dated || s.Skew.Abs() < skewed {
		return
	}
	way := "ahead of"
	if s.Skew < 0 {
		way = "behind"
	}
	found.add(Finding{Code: "clock", Severity: Costs, Where: "clock",
		Problem: fmt.Sprintf("This machine's clock is %s %s that of the server at %s.", s.Skew.Abs().Round(time.Second), way,
			s.Address),
		Why: "The record would have wrong times, and logins and certificates may be refused.",
		Do:  "Set the clock; or, if other servers agree with it, let the server's owner know."})
}

func (s *seen) name() string { return hostile.Line(s.Provider + "/" + s.place.Model.Model) }

// server names the server or program that answers for a model.
func (s *seen) server() string {
	if s.Address == "" {
		return s.name()
	}
	return "the server at " + s.Address
}

// checkMinutes compares the time of the opening, by the slowest reply, with the budget of minutes.
func checkMinutes(c *council.Charter, asked []*seen, found *findings) {
	var slowest time.Duration
	for _, s := range asked {
		slowest = max(slowest, s.Whole)
	}
	steps := 1 // the election
	if c.Deliberation.SealedPositions {
		steps++
	}
	least := slowest * time.Duration(steps)
	if b := c.Budget.Minutes; b > 0 && least.Minutes() > b {
		found.add(Finding{Code: "budget-short", Severity: Stops, Where: "/budget/minutes",
			Problem: fmt.Sprintf("The slowest model took %s for one short reply, and the budget is %g minutes in all.",
				seconds(slowest), b),
			Why: "The session would be suspended before a leader is elected.",
			Do:  "Raise the budget, or seat a faster model."})
	}
}
