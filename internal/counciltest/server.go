// Package counciltest is a stand-in for the world around a council: a model server that answers at once and counts
// its calls, and charters to convene on it. It is for tests and benchmarks.
package counciltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
)

// Request is one call as the server saw it.
type Request struct {
	Model    string // the seat, in charters of this package
	Contract string // such as "reply_ballot"; "" where free Markdown was asked for
	MayCall  bool   // the contract allows a call of a tool instead
	Nth      int    // how often this model was asked under this contract, this time included
	Body     []byte // valid until the reply function returns
}

// Server speaks the chat completions protocol. Its own counters are like a provider's bill.
type Server struct {
	URL     string
	Calls   atomic.Int64
	Latency time.Duration // of every call; set it before the first

	reply func(Request) string
	mu    sync.Mutex
	nth   map[string]int
}

// NewServer starts a server that answers with the results of reply, until the test ends.
func NewServer(tb testing.TB, reply func(Request) string) *Server {
	s := &Server{reply: reply, nth: map[string]int{}}
	h := httptest.NewServer(s)
	tb.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// Renew lets the next session on the server begin as the first did, with Nth at 1.
func (s *Server) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.nth)
}

// Listless answers whatever is not a call, as a server that has no list of models does, and reports whether it did.
// Such requests come before a session, and are not billed.
func Listless(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet {
		return false
	}
	http.NotFound(w, r)
	return true
}

// Call is a request to a model server, with its body read.
type Call struct {
	*http.Request
	Key, Model, Contract string
	Body                 []byte
}

// NewFront starts a server before another, until the test ends, and returns its address. The server behind answers each
// call that answers does not.
func NewFront(tb testing.TB, behind http.Handler, answers func(http.ResponseWriter, Call) bool) (url string) {
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Listless(w, r) {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil { // the call was called off while it was sent
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		fields := gjson.GetManyBytes(body, "model", "response_format.json_schema.name")
		c := Call{r, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), fields[0].Str, fields[1].Str, body}
		if !answers(w, c) {
			behind.ServeHTTP(w, r)
		}
	}))
	tb.Cleanup(front.Close)
	return front.URL
}

// Refuse answers a call with a status and a body of JSON.
func Refuse(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// ServeHTTP answers one call, streaming, with usage.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if Listless(w, r) {
		return
	}
	s.Calls.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.Latency > 0 {
		select {
		case <-time.After(s.Latency):
		case <-r.Context().Done():
			return
		}
	}
	fields := gjson.GetManyBytes(body, "model", "response_format.json_schema.name",
		"response_format.json_schema.schema.properties.tool")
	req := Request{Model: fields[0].String(), Contract: fields[1].String(), MayCall: fields[2].Exists(), Body: body}
	s.mu.Lock()
	s.nth[req.Model+" "+req.Contract]++
	req.Nth = s.nth[req.Model+" "+req.Contract]
	s.mu.Unlock()
	text := s.reply(req)

	quoted, _ := json.Marshal(text)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, `data: {"id":"r%d","model":%q,"choices":[{"index":0,"delta":{"content":%s},"finish_reason":"stop"}]}`+
		"\n\n",
		s.Calls.Load(), req.Model, quoted)
	fmt.Fprintf(w, `data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n",
		len(body)/4, len(text)/4)
}

// Deliberation answers as a council that debates to the last round of every phase, carries what the last seat moves
// there, and rejects the first draft.
type Deliberation struct {
	Rounds       int    // of each phase
	Last         string // the seat that moves
	Leader       string
	Contribution string // of everybody at every turn
}

// Reply returns the function to give to [NewServer].
func (d Deliberation) Reply(r Request) string {
	switch r.Contract {
	case "reply_position":
		return `{"position":"It depends on the costs.","confidence":0.6,"overlooked":["The last move took a year."]}`
	case "reply_nominate":
		return fmt.Sprintf(`{"rationale":"Knows the field.","candidateId":%q}`, d.Leader)
	case "reply_turn":
		if r.Model == d.Last && r.Nth%d.Rounds == 0 {
			return fmt.Sprintf(`{"action":"CALL_VOTE","motionTitle":"Go on","motionText":"That we go on, as in turn %d.",`+
				`"decisionIfPass":"We go on."}`, r.Nth)
		}
		message, _ := json.Marshal(fmt.Sprintf("%s %d: %s", r.Model, r.Nth, d.Contribution))
		return fmt.Sprintf(`{"action":"CONTRIBUTE","message":%s}`, message)
	case "reply_second":
		return `{"rationale":"It is time.","stand":"SUPPORT","second":true}`
	case "reply_ballot":
		if r.Nth == 3 { // after two motions: the first draft
			return `{"rationale":"It names no costs.","ballot":"NO"}`
		}
		return `{"rationale":"It is sound.","ballot":"YES"}`
	case "reply_assess":
		return `{"deliverables":[{"id":"result","claim":"The motion carried.","citations":["e1"],"met":true}],"qualityGates":[],"assumptions":["None"],"risks":[],"citations":["e1"]}`
	case "reply_summary":
		return fmt.Sprintf(
			`{"summaryMarkdown":"We talked and agreed.","undecided":{"question":"What does it cost?"},"requiresExecution":true,"executionBrief":{"objective":"Go on","recommendedExecutorProfile":"engineer","motions":[%q],"steps":["Go"],"risks":[],"acceptanceCriteria":["Gone"]}}`, Carried(r))
	case "reply_review":
		return `{"criticalBlockers":[{"id":"b1","section":"Costs","problem":"They are not named.","impact":"Nobody can plan.","requiredChange":"Name them.","severity":"high"}],"suggestedChanges":[]}`
	case "reply_dissent":
		return `{"dissent":""}`
	}
	return "# Report\n\n## Costs\n\nThey are small.\n\n" + strings.Repeat(d.Contribution+"\n\n", 3) +
		responses(r)
}

// Carried returns the event of the first resolution, of which the question for the summary asks a brief to be.
func Carried(r Request) string {
	_, rest, _ := strings.Cut(string(r.Body), "What was resolved is on record: ")
	return rest[:max(0, strings.IndexAny(rest, ",."))]
}

// responses accepts every blocker that the prompt names.
func responses(r Request) string {
	given := map[string]string{}
	for _, word := range strings.FieldsFunc(string(r.Body), func(c rune) bool {
		return !(c == '.' || c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z')
	}) {
		if strings.HasPrefix(word, "d1.") && strings.HasSuffix(word, ".b1") {
			given[word] = "accepted - named"
		}
	}
	text, _ := json.Marshal(map[string]any{"responses": given})
	return string(text)
}

// Agree returns the answer of an agreeable member to any ask: the first seat leads, each turn is a motion, and all
// second, approve and rank the first option highest. Motions and drafts name their asks, so none is moved twice.
func Agree(v council.View) council.Body {
	text := string(v.Ask.ID)
	switch v.Ask.Kind {
	case council.AskPosition:
		p := council.Position{Position: "P", Confidence: 0.5, Stance: "yes", CandidateID: v.Seats[0]}
		if options := slices.Concat(v.Charter.Options, v.Options); len(options) > 0 {
			p.Ranking = council.Ranks{options[:1]}
		}
		return p
	case council.AskNominate:
		return council.Nomination{Rationale: "R", CandidateID: v.Seats[0]}
	case council.AskPropose:
		return council.Answers{Crux: "C", Text: "T", Answers: []council.Held{{Answer: "yes", HeldBy: v.Positions}},
			Summary: council.Summary{SummaryMarkdown: "S"}}
	case council.AskTurn:
		return council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: text, DecisionIfPass: "D"}
	case council.AskReply:
		return council.Answer{Answer: "A"}
	case council.AskSecond:
		return council.Second{Rationale: "R", Stand: council.StandSupport, Second: true}
	case council.AskAmend:
		return council.Amend{Rationale: "R"}
	case council.AskBallot:
		return council.Ballot{Rationale: "R", Ballot: council.ChoiceYes, Stance: "yes"}
	case council.AskRank:
		return council.Ranked{Rationale: "R", Ranking: council.Ranks{v.Motion.Options[:1]}}
	case council.AskAssess:
		return council.Assessment{Citations: []string{"e1"}}
	case council.AskSummary:
		return council.Summary{SummaryMarkdown: "S"}
	case council.AskDraft:
		return council.Draft{Markdown: "# " + text}
	case council.AskReview:
		return council.Review{CriticalBlockers: []council.Blocker{{Section: "S", Problem: "P", Severity: "high"}}}
	}
	return council.Dissent{Dissent: "D"}
}
