package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/templates"
)

// The wire of the server: bytes of a token, tokens of the shortest prompt that is cached, and in how many it is.
const (
	bytesPerToken = council.UsualBytesPerToken
	leastCached   = 1_024
	cachedInSteps = 128
	latency       = 150 * time.Millisecond // so that calls put at once are all there before the first is answered
)

// lengths are the tokens of replies by their contracts, as council/budget assumes them; "" is a document.
var lengths = map[string]int{"reply_position": council.UsualPosition, "reply_nominate": 100, "reply_turn": 250,
	"reply_reply": 150, "reply_second": 100, "reply_amend": 80, "reply_ballot": 150, "reply_rank": 150,
	"reply_propose": 600, "reply_assess": 500, "reply_summary": 700, "": 2_000, "reply_review": 500, "reply_dissent": 200}

// The answers between which members choose.
const (
	moveIt  = "Move it"
	leaveIt = "Leave it"
)

// modelServer answers for all seats, m1 to mn, and keeps the bill. It reads the beginning of a prompt from its cache if
// an earlier prompt began alike and its reply had begun when this call came.
type modelServer struct {
	seats int
	split bool

	mu      sync.Mutex
	prompts []string // whose replies have begun
	usage   council.Usage
}

func (s *modelServer) took() council.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

// ServeHTTP answers one call by chat completions.
func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	var call struct {
		Model    string
		Messages []struct{ Role, Content string }
		Format   struct {
			Schema struct {
				Name   string
				Schema json.RawMessage
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var sent strings.Builder
	for _, m := range call.Messages {
		sent.WriteString(m.Role + "\n" + m.Content + "\n")
	}
	one := council.Usage{Calls: 1}
	s.mu.Lock()
	one.CachedTokens = s.cached(sent.String())
	s.usage.Calls++
	nth := s.usage.Calls
	s.mu.Unlock()
	time.Sleep(latency)
	text := s.reply(call.Model, call.Format.Schema.Name, call.Format.Schema.Schema, nth)
	one.InputTokens = int64(sent.Len()/bytesPerToken) - one.CachedTokens
	one.OutputTokens = int64(len(text) / bytesPerToken)
	s.mu.Lock()
	s.prompts = append(s.prompts, sent.String())
	one.Calls = 0 // counted above
	s.usage = s.usage.Add(one)
	s.mu.Unlock()
	quoted, _ := json.Marshal(text) // a string always encodes
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, `data: {"id":"r%d","model":%q,"choices":[{"index":0,"delta":{"content":%s},"finish_reason":"stop"}]}`+
		"\n\n", nth, call.Model, quoted)
	fmt.Fprintf(w, `data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":`+
		`{"cached_tokens":%d}}}`+"\n\ndata: [DONE]\n\n", one.PromptTokens(), one.OutputTokens, one.CachedTokens)
}

// cached returns how many tokens of a prompt are in the cache. The caller holds mu.
func (s *modelServer) cached(prompt string) (most int64) {
	for _, before := range s.prompts {
		n := 0
		for n < min(len(before), len(prompt)) && before[n] == prompt[n] {
			n++
		}
		if tokens := int64(n / bytesPerToken); tokens >= leastCached {
			most = max(most, tokens/cachedInSteps*cachedInSteps)
		}
	}
	return most
}

// reply returns a reply of the assumed length in the form of a schema, or a document.
func (s *modelServer) reply(seat, contract string, schema json.RawMessage, nth int) string {
	length, known := lengths[contract]
	if !known {
		length = 300
	}
	if len(schema) == 0 {
		_, sections, _ := templates.Skeleton("report")
		text := "# Report\n\n## Facts\n\nThey are in the document.\n"
		for _, section := range sections {
			text += "\n## " + section.Heading + "\n\n" + prose(fmt.Sprintf("Call %d", nth),
				length*bytesPerToken/len(sections)) + "\n"
		}
		return text
	}
	var n int
	_, _ = fmt.Sscanf(seat, "m%d", &n)
	a := answer{nth: nth, mover: n == 1, other: s.split && n > s.seats-(s.seats-1)/2, room: length * bytesPerToken}
	value := a.value("", gjson.ParseBytes(schema), 0)
	if proposal, ok := value.(map[string]any); ok && contract == "reply_propose" { // whose they are follows from stances
		proposal["answers"] = []string{moveIt}
		if s.split {
			proposal["answers"] = []string{moveIt, leaveIt}
		}
		delete(proposal, "answerOf")
	}
	doc, _ := json.Marshal(value) // of plain values
	return string(doc)
}

// answer fills a schema.
type answer struct {
	nth   int
	mover bool // moves a motion
	other bool // prefers the second answer, and votes NO
	room  int  // bytes of text that are left to write
}

// choose returns the value that a member writes where a field may have some: by the words of the protocol, else the
// first, the second of a list for members that prefer another answer, or the one at a place.
func (a *answer) choose(may []gjson.Result, at int) any {
	wanted := []string{"CALL_VOTE", "SUPPORT", "YES", "0.8", moveIt}
	if !a.mover {
		wanted[0] = "CONTRIBUTE"
	}
	if a.other {
		wanted[1], wanted[2], wanted[4] = "OPPOSE", "NO", leaveIt
	}
	for _, v := range may {
		if slices.Contains(wanted, v.String()) {
			return v.Value()
		}
	}
	return may[at%len(may)].Value()
}

// value returns a value in the form of a schema, for the field of a name, at a place of a list.
func (a *answer) value(name string, schema gjson.Result, at int) any {
	if forms := schema.Get("anyOf").Array(); len(forms) > 0 {
		for _, form := range forms { // the one whose constants the member would choose of all
			verdict := form.Get("properties.action.enum.0").String() + form.Get("properties.stand.enum.0").String()
			if verdict == a.choose([]gjson.Result{{Type: gjson.String, Str: verdict}, {Type: gjson.String}}, 1) {
				return a.value(name, form, at)
			}
		}
		return a.value(name, forms[0], at)
	}
	if may := schema.Get("enum").Array(); len(may) > 0 {
		return a.choose(may, at)
	}
	switch schema.Get("type").String() {
	case "object":
		object := map[string]any{}
		schema.Get("properties").ForEach(func(field, of gjson.Result) bool {
			if slices.ContainsFunc(schema.Get("required").Array(), func(r gjson.Result) bool { return r.Str == field.Str }) {
				object[field.Str] = a.value(field.Str, of, at)
			}
			return true
		})
		return object
	case "array":
		list := []any{}
		items := schema.Get("items")
		for i := range schema.Get("minItems").Int() {
			if a.other && items.Get("enum").Exists() { // a ranking
				i++
			}
			list = append(list, a.value(name, items, int(i)))
		}
		return list
	case "boolean":
		return name != "withdraw"
	case "number":
		return 0.8
	}
	switch name {
	case "missing":
		return ""
	case "stance":
		return map[bool]string{false: moveIt, true: leaveIt}[a.other]
	}
	text := prose(fmt.Sprintf("Call %d", a.nth), min(a.room, int(schema.Get("maxLength").Int())*9/10))
	a.room -= len(text)
	return text
}

// prose returns numbered sentences, at least one word and else about so many bytes.
func prose(about string, bytes int) string {
	var b strings.Builder
	for i := 1; ; i++ {
		next := fmt.Sprintf("%s gives reason %d for it. ", about, i)
		if b.Len()+len(next) > bytes {
			break
		}
		b.WriteString(next)
	}
	if b.Len() == 0 {
		return "It."
	}
	return strings.TrimSpace(b.String())
}
