package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

// guest is a model on a server that has its faults: what is said is right, and not every call brings it.
type guest struct {
	speaks func(w http.ResponseWriter, text string, cut bool) // the protocol
	faults map[int]func(http.ResponseWriter, *guest)          // by the number of the call, from 1

	mu     sync.Mutex
	calls  int
	struck int
	says   func(asked council.AskKind, nth int) string
	asked  map[council.AskKind]int
}

func (g *guest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if counciltest.Listless(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls++
	if fault := g.faults[g.calls]; fault != nil {
		g.struck++
		fault(w, g)
		return
	}
	kind := questionIn(string(body))
	g.asked[kind]++
	g.speaks(w, g.says(kind, g.asked[kind]), false)
}

// questionIn finds out what was asked: by the last of the questions in a conversation.
func questionIn(conversation string) council.AskKind {
	found, last := council.AskKind(""), -1
	for kind, words := range map[council.AskKind]string{
		council.AskPosition: "Seal your position", council.AskNominate: "Elect the leader",
		council.AskTurn:   "Your turn: phase",
		council.AskSecond: "needs a second to be put", council.AskAssess: "Judge what phase",
		council.AskBallot: "Vote on ", council.AskSummary: "Write its summary",
		council.AskDraft: "All members vote on it.", council.AskReview: "you did not vote YES. Say",
		council.AskDissent: "the side that prevailed in a vote",
	} {
		if at := strings.LastIndex(conversation, words); at > last {
			found, last = kind, at
		}
	}
	return found
}

// The faults of servers.
func status(code int, headers ...string) func(http.ResponseWriter, *guest) {
	return func(w http.ResponseWriter, _ *guest) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, `{"type": "error", "error": {"type": "overloaded_error", "message": "not now"}}`)
	}
}

func cutShort(w http.ResponseWriter, g *guest) { g.speaks(w, "# The que", true) }

func prose(w http.ResponseWriter, g *guest) {
	g.speaks(w, "I would rather not say it in this form.", false)
}

// chat speaks chat completions.
func chat(w http.ResponseWriter, text string, cut bool) {
	quoted, _ := json.Marshal(text)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, `data: {"id":"r1","model":"stand-in","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", quoted)
	if !cut {
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":10}}`+"\n\ndata: [DONE]\n\n")
	}
}

// messages speaks Anthropic's protocol.
func messages(w http.ResponseWriter, text string, cut bool) {
	quoted, _ := json.Marshal(text)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event, rest string) {
		fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", event, event, rest)
	}
	send("message_start", `,"message":{"id":"m1","model":"stand-in","usage":{"input_tokens":100,"output_tokens":1}}`)
	send("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
	send("content_block_delta", fmt.Sprintf(`,"index":0,"delta":{"type":"text_delta","text":%s}`, quoted))
	if !cut {
		send("content_block_stop", `,"index":0`)
		send("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":10}`)
		send("message_stop", "")
	}
}

// says returns the words of a member that moves in the second round, or does not, and approves the second draft.
func says(moves bool, fussy bool) func(council.AskKind, int) string {
	return func(kind council.AskKind, nth int) string {
		switch kind {
		case council.AskPosition:
			return `{"position": "It depends.", "confidence": 0.5, "overlooked": []}`
		case council.AskNominate:
			return `{"rationale": "She knows it.", "candidateId": "ada"}`
		case council.AskTurn:
			if moves && nth == 2 {
				return `{"action": "CALL_VOTE", "motionTitle": "Keep it", "motionText": "That we keep it.", "decisionIfPass": "We keep it."}`
			}
			return `{"action": "CONTRIBUTE", "message": "A remark."}`
		case council.AskSecond:
			return `{"rationale": "It is time.", "stand": "SUPPORT", "second": true}`
		case council.AskBallot:
			if fussy && nth == 2 { // the first draft
				return `{"rationale": "It names no costs.", "ballot": "NO"}`
			}
			return `{"rationale": "It is sound.", "ballot": "YES"}`
		case council.AskSummary:
			return `{"summaryMarkdown": "We keep it.", "requiresExecution": false}`
		case council.AskReview:
			return `{"criticalBlockers": [{"id": "b1", "section": "Costs", "problem": "Missing", "impact": "Unknown", "requiredChange": "Name them", "severity": "high"}], "suggestedChanges": []}`
		case council.AskDissent:
			return `{"dissent": ""}`
		}
		if nth == 1 {
			return "# The queue\n\nWe keep it."
		}
		return "# The queue\n\nWe keep it; it costs 4 %.\n\n" +
			`{"responses": {"d1.bea.b1": "accepted - named", "d1.gem.b1": "accepted - named", "d1.cli.b1": "accepted - named"}}`
	}
}

// agent is a program in the place of a command-line agent. It fails once, and speaks in prose once.
const agent = `cat >/dev/null
n=$(cat "$NOTES/n" 2>/dev/null || echo 0); n=$((n + 1)); echo $n >"$NOTES/n"
case $n in
2) echo 'connection reset' >&2; exit 1 ;;
4) echo 'Let me think about that.'; exit 0 ;;
esac
case $COUNCIL_ASK in
position*) echo '{"position": "It depends.", "confidence": 0.5, "overlooked": []}' ;;
nominate*) echo '{"rationale": "She knows it.", "candidateId": "ada"}' ;;
d1.ballot*) echo '{"rationale": "It names no costs.", "ballot": "NO"}' ;;
*turn*) echo '{"action": "CONTRIBUTE", "message": "The agent looked: it costs 4 %."}' ;;
*second*) echo '{"rationale": "It is time.", "stand": "SUPPORT", "second": true}' ;;
*ballot*) echo '{"rationale": "It is sound.", "ballot": "YES"}' ;;
*review*) echo '{"criticalBlockers": [{"id": "b1", "section": "Costs", "problem": "Missing", "impact": "Unknown", "requiredChange": "Name them", "severity": "high"}], "suggestedChanges": []}' ;;
*) echo '{"dissent": ""}' ;;
esac
`

// A council of the five kinds of members that people seat deliberates to an approved document. Every server and the
// agent have faults of their own; the person puts one answer off.
func TestACouncilOfFiveKindsApprovesADocumentInSpiteOfFaults(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a shell script")
	}
	t.Chdir(t.TempDir())
	notes := t.TempDir()
	program := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(program, []byte(agent), 0o600); err != nil {
		t.Fatal(err)
	}
	guests := map[string]*guest{
		"ada": {speaks: chat, says: says(true, false), faults: map[int]func(http.ResponseWriter, *guest){
			1: status(429, "Retry-After: 2"), 3: status(500), 5: cutShort, 7: prose}},
		"bea": {speaks: messages, says: says(false, true), faults: map[int]func(http.ResponseWriter, *guest){
			2: status(529), 4: cutShort, 6: prose, 8: status(429, "Retry-After: 1")}},
		"gem": {speaks: chat, says: says(false, true), faults: map[int]func(http.ResponseWriter, *guest){
			1: status(503), 3: prose, 5: status(200)}},
	}
	seats := []string{}
	for _, seat := range []struct{ id, model string }{
		{"ada", `{"provider": "openai-compatible", "model": "a", "baseUrl": "%s/v1"}`},
		{"bea", `{"provider": "anthropic", "model": "b", "baseUrl": "%s"}`},
		{"gem", `{"provider": "gemini", "model": "g", "baseUrl": "%s/v1beta/openai"}`},
		{"cli", fmt.Sprintf(`{"provider": "command", "model": "agent", "command": ["sh", %q], "env": ["NOTES"]}`, program)},
		{"kim", `{"provider": "human"}`},
	} {
		if g := guests[seat.id]; g != nil {
			g.asked = map[council.AskKind]int{}
			server := httptest.NewServer(g)
			t.Cleanup(server.Close)
			seat.model = fmt.Sprintf(seat.model, server.URL)
		}
		name := strings.ToUpper(seat.id[:1]) + seat.id[1:]
		seats = append(seats, fmt.Sprintf(`{"id": %q, "name": %q, "role": "member", "systemPrompt": "Think.", "model": %s}`,
			seat.id, name, seat.model))
	}
	doc :=
		fmt.Sprintf(
			`{"councilName": "Five", "purpose": "To show.", "sessionPolicy": {"entryPhaseId": "decide"}, "output": {"type": "documentation"},
		"documentationReview": {"maxRevisionRounds": 2}, "phases": [{"id": "decide", "goal": "Decide.",
		"stopConditions": {"maxRounds": 2}}],
		"members": [%s]}`, strings.Join(seats, ", "))
	if _, err := config.Parse([]byte(doc)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("five.json", []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}

	var waits []time.Duration
	var mu sync.Mutex
	sit := func(reply func(string) string, args ...string) (int, string) {
		d := newDesktop(reply)
		a := atDesk(d)
		getenv := a.Getenv
		a.Getenv = func(name string) string {
			switch name {
			case "NOTES":
				return notes
			case "PATH":
				return os.Getenv("PATH")
			}
			return getenv(name)
		}
		a.Wait = func(_ context.Context, wait time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, wait)
			return nil
		}
		return runLine(a, context.Background(), args), d.String()
	}
	putOff := func(asked string) string {
		if strings.Contains(asked, "What do you do?") {
			return "/later"
		}
		return operator(asked)
	}
	code, shown := sit(putOff, "convene", "Shall we keep the queue?", "--config", "five.json")
	if code != cli.ExitSuspended || !strings.Contains(shown, "The session waits for Kim.") {
		t.Fatalf("code %d\n%s", code, shown)
	}
	if code, shown = sit(operator, "resume"); code != cli.ExitOK {
		t.Fatalf("code %d\n%s", code, shown)
	}
	for _, words := range []string{"The agent looked", "Kim: It has run for years.", "Resolved, 5 YES, 0 NO",
		"Draft 1: lost", "The document was approved (draft 2)."} {
		if !strings.Contains(shown, words) {
			t.Errorf("it does not show %q:\n%s", words, shown)
		}
	}
	for id, g := range guests {
		if g.struck != len(g.faults) {
			t.Errorf("%s: %d of %d faults were met in %d calls", id, g.struck, len(g.faults), g.calls)
		}
	}
	if !slices.ContainsFunc(waits, func(d time.Duration) bool { return d >= 2*time.Second }) {
		t.Errorf("nobody waited as long as a server asked: %v", waits)
	}
	settled(t)
	verified(t)
}

// settled holds that no member was absent or had its vote spoilt, and that everybody answered everything.
func settled(t *testing.T) {
	t.Helper()
	root, err := recorder.FindRoot(".council")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	id, err := root.Find(recorder.Latest)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := root.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	spoke := map[council.MemberID]int{}
	for _, e := range entries {
		if p, ok := e.Payload.(council.MemberFaulted); ok {
			t.Errorf("event %d: %s: %v", e.Seq, e.Actor, p.Fault)
		}
		if a, ok := e.Answered(); ok {
			spoke[e.Actor]++
			if e.Actor == "kim" && a.Usage != (council.Usage{}) {
				t.Errorf("event %d: a person cost %+v", e.Seq, a.Usage)
			}
		}
	}
	if len(spoke) != 5 {
		t.Errorf("these spoke: %v", spoke)
	}
}
