package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// autoCouncil is a council at the pace auto, on a model server that logs when each call began and ended. It knows of
// the session only what its prompts say.
type autoCouncil struct {
	*workplace
	ballots map[string][]string // of each member, first to last, as "A > B"; the last holds for those after it
	held    []int               // calls of each wait: as many are under way together before the first is answered
	limited string              // the model that is rate-limited for good
	hangs   time.Duration       // m3 takes as long for a ranking
	leader  string
	talk    counciltest.Deliberation // at other paces

	mu       sync.Mutex
	refusals int // calls of the limited model
	clock    int
	log      []*loggedCall
	waiting  []*loggedCall
	full     chan struct{}
	cast     map[string]int // ballots of each member so far
}

// loggedCall is a call from its begin to its end, by a clock that counts begins and ends.
type loggedCall struct {
	model, kind string
	begin, end  int
}

func newAutoCouncil(t *testing.T, members int, ballots ...string) *autoCouncil {
	a := &autoCouncil{ballots: map[string][]string{}, full: make(chan struct{}), cast: map[string]int{}, leader: "m2",
		talk: counciltest.Deliberation{Rounds: 2, Last: "m3", Leader: "m2", Contribution: "A remark."}}
	for i, said := range ballots {
		a.ballots[fmt.Sprintf("m%d", i+1)] = strings.Split(said, "; ")
	}
	server := counciltest.NewServer(t, a.reply)
	url := counciltest.NewFront(t, server, func(w http.ResponseWriter, c counciltest.Call) bool {
		if c.Model == "m3" && a.hangs > 0 && c.Contract == "reply_rank" {
			select {
			case <-c.Context().Done():
				return true
			case <-time.After(a.hangs):
			}
		}
		if a.limited == "" || c.Model != a.limited {
			return false
		}
		a.mu.Lock()
		a.refusals++
		a.mu.Unlock()
		counciltest.Refuse(w, http.StatusTooManyRequests, `{"error":{"message":"Come back later."}}`)
		return true
	})
	a.workplace = newWorkplace(t, url)
	c := counciltest.Charter(members, 2, url)
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

func (a *autoCouncil) answer(call *loggedCall, r counciltest.Request) string {
	text := string(promptText(r.Body))
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
	holders, held := []string{}, map[string][]string{}
	form.Get("answerOf.properties").ForEach(func(holder, _ gjson.Result) bool {
		holders = append(holders, holder.String())
		return true
	})
	for _, holder := range holders {
		shown := regexp.QuoteMeta(holder) + `: <<peer [^\n]*\nI am [^:]*: ([^\n".]*)\.`
		if strings.Contains(text, holder+" is your own") {
			shown = `I am ` + model + `: ([^\n".]*)\.`
		}
		if said := regexp.MustCompile(shown).FindStringSubmatch(text); said != nil {
			held[said[1]] = append(held[said[1]], holder)
		} else {
			a.Errorf("the leader does not see %s", holder)
		}
	}
	answers := slices.SortedFunc(maps.Keys(held), func(one, other string) int {
		return cmp.Or(len(held[other])-len(held[one]), cmp.Compare(held[one][0], held[other][0]))
	})
	answerOf := map[string]int{}
	for i, answer := range answers {
		for _, holder := range held[answer] {
			answerOf[holder] = i + 1
		}
	}
	return string(check.Get(json.Marshal(map[string]any{"crux": "Which costs less?", "answers": answers,
		"answerOf": answerOf, "text": "That the council adopts " + answers[0] + " by May.",
		"summaryMarkdown": "Most want it.", "requiresExecution": false}))(a))
}

// draft writes the sections that a question for a document lists.
func (a *autoCouncil) draft(question string) string {
	document := "# Report\n"
	for _, heading := range regexp.MustCompile(`(?m)^## .*$`).FindAllString(question, -1) {
		document += "\n" + heading + "\n\nThe record shows in e5 what the members said of it, and why.\n"
	}
	return document
}
