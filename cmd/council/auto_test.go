package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/templates"
)

// autoCouncil is a council at the pace auto, on a model server that logs when each call began and ended. It knows of the
// session only what its prompts say.
type autoCouncil struct {
	*workplace
	ballots map[string][]string // of each member, first to last, as "A > B"; the last holds for those after it
	held    []int               // calls of each wait: as many are under way together before the first is answered
	limited string              // the model that is rate-limited for good
	blocked bool                // the first draft is not approved
	leader  string
	talk    counciltest.Deliberation // at other paces

	mu      sync.Mutex
	clock   int
	log     []*loggedCall
	waiting []*loggedCall
	full    chan struct{}
	cast    map[string]int    // ballots of each member so far
	ids     map[string]string // the model of each id that a prompt gave its member
}

// loggedCall is a call from its begin to its end, by a clock that counts begins and ends.
type loggedCall struct {
	model, kind string
	begin, end  int
}

func newAutoCouncil(t *testing.T, members int, ballots ...string) *autoCouncil {
	a := &autoCouncil{ballots: map[string][]string{}, full: make(chan struct{}), cast: map[string]int{},
		ids: map[string]string{}, leader: "m2",
		talk: counciltest.Deliberation{Rounds: 2, Last: "m3", Leader: "m2", Contribution: "A remark."}}
	for i, said := range ballots {
		a.ballots[fmt.Sprintf("m%d", i+1)] = strings.Split(said, "; ")
	}
	server := counciltest.NewServer(t, a.reply)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil { // the call was withdrawn
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if a.limited != "" && gjson.GetBytes(body, "model").String() == a.limited {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error":{"message":"Come back later."}}`)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	a.workplace = newWorkplace(t, front.URL)
	c := counciltest.Charter(members, 2, front.URL)
	c.Deliberation.Pace = council.PaceAuto
	a.write(c)
	return a
}

// reply answers a call once the others of its wait have begun.
func (a *autoCouncil) reply(r counciltest.Request) string {
	a.mu.Lock()
	a.clock++
	call := &loggedCall{model: r.Model, kind: strings.TrimPrefix(r.Contract, "reply_"), begin: a.clock}
	a.log = append(a.log, call)
	a.waiting = append(a.waiting, call)
	full := a.full
	if len(a.held) == 0 || len(a.waiting) >= a.held[0] {
		close(full)
		a.full, a.waiting, a.held = make(chan struct{}), nil, a.held[min(1, len(a.held)):]
	}
	a.mu.Unlock()
	select {
	case <-full:
	case <-time.After(20 * time.Second):
		a.Errorf("the %s of %s was not put together with as many calls as wanted", call.kind, call.model)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock++
	call.end = a.clock
	return a.answer(call, r)
}

// waits returns how many calls waited for one another: the longest chain in which each began when one before had ended.
func (a *autoCouncil) waits() (n int) {
	byEnd := slices.SortedFunc(slices.Values(a.log), func(one, other *loggedCall) int { return one.end - other.end })
	ended := 0
	for _, call := range byEnd {
		if call.begin > ended {
			n, ended = n+1, call.end
		}
	}
	return n
}

func (a *autoCouncil) kinds() string {
	var kinds []string
	for _, call := range a.log {
		kinds = append(kinds, call.kind+" "+call.model)
	}
	return strings.Join(kinds, ", ")
}

// ownID matches the id that a prompt gives to its reader.
var ownID = regexp.MustCompile(`You are [^\n]*\(id ([a-z0-9-]+)\)`)

func (a *autoCouncil) answer(call *loggedCall, r counciltest.Request) string {
	text := string(promptText(r.Body))
	own := ownID.FindStringSubmatch(text)
	if own == nil {
		a.Errorf("the prompt of %s does not say who reads it", r.Model)
		return ""
	}
	a.ids[own[1]] = r.Model
	schema := gjson.GetBytes(r.Body, "response_format.json_schema.schema")
	form := schema.Get("properties")
	if !form.Exists() {
		form = schema.Get("anyOf.1.properties")
	}
	reply := map[string]any{}
	switch call.kind {
	case "position":
		first := a.ballot(r.Model)
		reply = map[string]any{"position": "I am " + r.Model + ": " + first[0] + ".", "counter": "It may cost more.",
			"changeMind": "A measurement that " + r.Model + " makes.", "confidence": 0.6, "stance": first[0]}
		if form.Get("candidateId").Exists() {
			reply["candidateId"] = a.leader
		}
		if offered := form.Get("ranking.items.enum"); offered.Exists() {
			reply["ranking"] = a.ranking(first, offered)
			delete(reply, "stance")
		}
	case "propose":
		return a.proposal(r.Model, text, form)
	case "rank":
		reply["rationale"] = "No evidence, but " + r.Model + " holds it to be better."
		reply["ranking"] = a.ranking(a.ballot(r.Model), form.Get("ranking.items.enum"))
	case "summary":
		reply = map[string]any{"summaryMarkdown": "The council ranked the answers.", "requiresExecution": false}
		if form.Get("undecided").Exists() {
			reply["undecided"] = map[string]any{"question": "What does it cost?"}
		}
	case "ballot":
		reply = map[string]any{"rationale": "It is whole.", "ballot": "YES", "criticalBlockers": []any{}}
		if a.blocked && strings.Contains(lastMessage(r.Body), "Vote on version 1 of") {
			reply = map[string]any{"rationale": "It names no costs.", "ballot": "NO", "criticalBlockers": []any{
				map[string]any{"id": "b1", "section": "Costs", "problem": "They are not named.", "impact": "Nobody can plan.",
					"requiredChange": "Name them.", "severity": "high"}}}
		}
	case "":
		return a.draft(lastMessage(r.Body))
	default:
		return a.talk.Reply(r)
	}
	return string(check.Get(json.Marshal(reply))(a))
}

func lastMessage(body []byte) string {
	return gjson.GetBytes(body, "messages.@reverse.0.content").String()
}

// ballot returns the next ballot of a member, best first.
func (a *autoCouncil) ballot(model string) []string {
	all := a.ballots[model]
	if len(all) == 0 {
		all = a.ballots["m1"]
	}
	next := all[min(a.cast[model], len(all)-1)]
	a.cast[model]++
	return strings.Split(next, " > ")
}

// ranking returns the ranked answers that the question offers.
func (a *autoCouncil) ranking(ranked []string, offered gjson.Result) (ranking []string) {
	var names []string
	for _, name := range offered.Array() {
		names = append(names, name.String())
	}
	for _, name := range ranked {
		if !slices.Contains(names, name) {
			a.Errorf("%s is not among the answers %q", name, names)
		}
	}
	return ranked
}

// proposal lists the answers as the prompt shows the positions: each with its author's words, one as the reader's own.
func (a *autoCouncil) proposal(model, text string, form gjson.Result) string {
	type answer struct {
		Answer string   `json:"answer"`
		HeldBy []string `json:"heldBy"`
	}
	var answers []*answer
	for _, holder := range form.Get("answers.items.properties.heldBy.items.enum").Array() {
		by := a.ids[holder.String()]
		held := regexp.MustCompile(`I am ` + by + `: ([^\n".]*)\.`).FindStringSubmatch(text)
		if by == "" || held == nil {
			a.Errorf("the leader does not see whose position that of %q is", holder)
			continue
		}
		at := slices.IndexFunc(answers, func(one *answer) bool { return one.Answer == held[1] })
		if at < 0 {
			at, answers = len(answers), append(answers, &answer{Answer: held[1]})
		}
		answers[at].HeldBy = append(answers[at].HeldBy, holder.String())
	}
	slices.SortStableFunc(answers, func(one, other *answer) int { return len(other.HeldBy) - len(one.HeldBy) })
	return string(check.Get(json.Marshal(map[string]any{"crux": "Which costs less?", "answers": answers,
		"text": "That the council adopts " + answers[0].Answer + " by May.", "summaryMarkdown": "Most want it.",
		"requiresExecution": false}))(a))
}

// draft writes the sections that a question for a document lists, and answers its blockers.
func (a *autoCouncil) draft(question string) string {
	document := "# Report\n"
	for _, heading := range regexp.MustCompile(`(?m)^## .*$`).FindAllString(question, -1) {
		document += "\n" + heading + "\n\nThe record shows in e5 what the members said of it, and why.\n"
	}
	given := map[string]string{}
	for _, id := range regexp.MustCompile(`"(d\d\.[a-z0-9-]+\.b\d)"`).FindAllStringSubmatch(question, -1) {
		given[id[1]] = "accepted - named"
	}
	if len(given) > 0 {
		document += "\n" + string(check.Get(json.Marshal(map[string]any{"responses": given}))(a))
	}
	return document
}

// The acceptance of the pace auto: what each course takes in calls and waits, and how it ends.
func TestAuto_TakesTheCallsAndWaitsOfItsCourse(t *testing.T) {
	options := []string{"--option", "A", "--option", "B", "--option", "C"}
	for _, test := range []struct {
		name     string
		options  []string
		members  int
		ballots  []string
		waits    []int
		exit     int
		says     []string // by the terminal
		resolved string   // the words of the resolution on the record
	}{
		{name: "options, agreed", options: options, members: 3, ballots: []string{"A", "A > B", "A > C"},
			waits: []int{3, 1}, says: []string{"by 3 of 3 ballots: Which one?\n      A"}},
		{name: "free question, agreed", members: 3, ballots: []string{"A"}, waits: []int{3, 1, 3},
			says: []string{"by 3 of 3 ballots: Which one?\n      A"}, resolved: "That the council adopts A by May."},
		{name: "two to one, unanimous after a round", options: options, members: 3,
			ballots: []string{"A", "A", "B > A; A"}, waits: []int{3, 3, 1}, says: []string{"by 3 of 3 ballots: Which one?\n      A"}},
		{name: "two to one that stays", options: options, members: 3, ballots: []string{"A", "A", "B > A"},
			waits: []int{3, 3, 1}, says: []string{"by 2 of 3 ballots: Which one?\n      A"}},
		{name: "free question, two to one that stays", members: 3, ballots: []string{"A", "A", "B > A; B"},
			waits: []int{3, 1, 3, 3}, says: []string{"by 2 of 3 ballots: Which one?\n      A"},
			resolved: "That the council adopts A by May."},
		{name: "free question, another answer is chosen", members: 3, ballots: []string{"A; B", "A; B", "B"},
			waits: []int{3, 1, 3, 1}, says: []string{"by 3 of 3 ballots: Which one?\n      B"}},
		{name: "a cycle, spares split", options: options, members: 5, exit: cli.ExitNotDecided,
			ballots: []string{"A > B > C", "B > C > A", "C > A > B", "A > B > C", "B > C > A"},
			waits:   []int{3, 3, 2, 1}, says: []string{"The council did not reach a resolution. It leans to: A"}},
		{name: "free question, a cycle, spares split", members: 5, exit: cli.ExitNotDecided,
			ballots: []string{"A; A > B > C", "B; B > C > A", "C; C > A > B", "A > B > C", "B > C > A"},
			waits:   []int{3, 1, 3, 3, 2, 1}, says: []string{"The council did not reach a resolution. It leans to: A"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAutoCouncil(t, test.members, test.ballots...)
			a.held = slices.Clone(test.waits)
			a.run(test.exit, append([]string{"convene", "Which one?", "--config", a.config, "--output", "none"},
				test.options...)...)
			a.took(test.waits...)
			for _, words := range test.says {
				a.says(&a.out, words)
			}
			a.run(cli.ExitOK, "show", "--file", "session.json")
			check.Is(t, "words of the resolution", test.resolved, gjson.Get(a.out.String(),
				"outcome.resolutions.0.motionText").String())
			a.run(cli.ExitOK, "verify")
		})
	}
}

// took compares the calls and waits of a session, by the server's log.
func (a *autoCouncil) took(waits ...int) {
	a.Helper()
	calls := 0
	for _, n := range waits {
		calls += n
	}
	if len(a.log) != calls || a.waits() != len(waits) {
		a.Errorf("want %d calls in %d waits, got %d in %d: %s", calls, len(waits), len(a.log), a.waits(), a.kinds())
	}
}

// events returns the record of the only session.
func (a *autoCouncil) events() []gjson.Result { return gjson.Parse(a.wrote("events.json")).Array() }

// A council of which a member is rate-limited for good decides without it where its ballot could change nothing.
func TestAuto_DecidesWithoutABallotThatCannotChangeTheAnswer(t *testing.T) {
	a := newAutoCouncil(t, 5, "A", "A", "A", "B")
	a.edit(func(c *council.Charter) { c.Deliberation.Seats = 5 })
	a.limited, a.hurried = "m5", true
	a.run(cli.ExitOK, "convene", "Which one?", "--config", a.config, "--output", "none", "--no-wait", "--option", "A",
		"--option", "B")
	a.says(&a.out, "Which one?\n      A")
	a.run(cli.ExitOK, "verify")
}

// edit changes the council's configuration.
func (a *autoCouncil) edit(change func(*council.Charter)) {
	a.Helper()
	var c council.Charter
	check.OK(a, json.Unmarshal([]byte(readFile(a.T, a.config)), &c))
	change(&c)
	a.write(c)
}

// general replaces the configuration by the ready-made council general, whose models have the names of its members.
func (a *autoCouncil) general() {
	a.Helper()
	var server string
	a.edit(func(c *council.Charter) { server = c.Members[0].Model.BaseURL })
	doc, _ := templates.Council("general")
	c := council.Charter{Storage: council.Storage{RootDir: ".council", MemoryDir: ".council/memory"}}
	check.OK(a, json.Unmarshal(doc, &c))
	for i := range c.Members {
		m := &c.Members[i]
		m.Model = council.Model{Provider: "openai-compatible", Model: string(m.ID), BaseURL: server, Parallel: 5}
	}
	a.write(c)
	a.leader, a.talk.Leader, a.talk.Last = "skeptic", "skeptic", "steward"
}

func TestAuto_GeneralWithADocumentTakesFewCalls(t *testing.T) {
	for _, test := range []struct {
		name    string
		ballots map[string][]string
		blocked bool
		most    int
	}{
		{"agreed", nil, false, 12},
		{"agreed, one revision", nil, true, 16},
		{"contested", map[string][]string{"analyst": {"B > A", "B"}}, false, 15},
		{"contested, one revision", map[string][]string{"analyst": {"B > A", "B"}}, true, 19},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAutoCouncil(t, 5, "A")
			a.general()
			for m, all := range test.ballots {
				a.ballots[m] = all
			}
			a.blocked = test.blocked
			a.run(cli.ExitOK, "convene", "Which one?", "--config", a.config)
			a.says(&a.out, "The document was approved")
			if len(a.log) > test.most {
				t.Errorf("want at most %d calls, got %d: %s", test.most, len(a.log), a.kinds())
			}
			t.Logf("%d calls: %s", len(a.log), a.kinds())
			check.Is(t, "members asked", 3, len(a.ids))
			document := a.wrote("documentation.md")
			for _, section := range []string{"## ", "e5"} {
				check.Says(t, document, section)
			}
			a.run(cli.ExitOK, "verify")
		})
	}
}

// A pace that is named, and a configuration without one, hold the debates that they held before there was a pace auto.
func TestAuto_LeavesOtherPacesAsTheyAre(t *testing.T) {
	for name, args := range map[string][]string{"thorough": {"--pace", "thorough"}, "as-written": {"--pace", "as-written"},
		"a configuration without a pace": nil} {
		t.Run(name, func(t *testing.T) {
			a := newAutoCouncil(t, 3, "A")
			var before council.Charter
			a.edit(func(c *council.Charter) {
				c.Deliberation.Pace = council.PaceAuto
				if args == nil {
					c.Deliberation.Pace = ""
				}
				before = *c
			})
			a.run(cli.ExitOK, append([]string{"convene", "Which one?", "--config", a.config, "--output", "none"}, args...)...)
			events := a.events()
			var opened council.Charter
			check.OK(t, json.Unmarshal([]byte(events[0].Get("payload.charter").Raw), &opened))
			if len(opened.Phases) != 2 {
				t.Errorf("want the phases of the configuration, got %d", len(opened.Phases))
			}
			for i, p := range opened.Phases {
				check.Equal(t, "governance", before.Phases[i].Governance, p.Governance)
				check.Is(t, "rounds", before.Phases[i].StopConditions.MaxRounds, p.StopConditions.MaxRounds)
				check.Equal(t, "deliverables", before.Phases[i].Deliverables, p.Deliverables)
			}
			seen := map[string]int{}
			for _, e := range events {
				seen[e.Get("type").String()]++
			}
			// Two phases of two rounds, in the last of which the third member moves; an assessment of each.
			for event, want := range map[string]int{"ANSWERS_PROPOSED": 0, "CHOICE_PUT": 0, "PHASE_STARTED": 2,
				"ROUND_STARTED": 4, "CONTRIBUTION_MADE": 10, "MOTION_MADE": 2, "MOTION_SECONDED": 2, "PHASE_ASSESSED": 2,
				"LEADER_BALLOT_CAST": 3, "SUMMARY_WRITTEN": 1} {
				check.Is(t, event, want, seen[event])
			}
		})
	}
}
