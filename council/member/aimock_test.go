package member_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// aimock returns the address of the model server in .ci/aimock.
func aimock(t *testing.T) string {
	address := os.Getenv("COUNCIL_AIMOCK_URL")
	if address == "" {
		t.Skip("COUNCIL_AIMOCK_URL is not set: see .ci/aimock/README.md")
	}
	return address
}

func TestAimock_AnswersEveryQuestion(t *testing.T) {
	address := aimock(t)
	questions := map[string]string{ // by a word of the contract, a field of the reply
		`candidateId is one of: ada, bob. {"candidateId": "<id>"}`: "candidateId",
		`{"position": "<x>", "confidence": <0 to 1>}`:              "confidence",
		`round 1 of 2, turn 1 of 3 {"action": "PASS"}`:             "message",
		`round 2 of 2, turn 1 of 3 {"action": "PASS"}`:             "motionText",
		`round 2 of 2, turn 2 of 3 {"action": "PASS"}`:             "reason",
		`{"rationale": "<r>", "second": <true or false>}`:          "second",
		`{"rationale": "<r>", "ballot": "<YES or NO>"}`:            "ballot",
		`{"deliverables": [], "qualityGates": []}`:                 "citations",
		`{"summaryMarkdown": "<s>"}`:                               "executionBrief",
		`{"criticalBlockers": []}`:                                 "suggestedChanges",
		`{"dissent": "<d>"}`:                                       "dissent",
	}
	for _, d := range dialects {
		m, err := d.open(d.at(address), endpoint.Options{Getenv: environment})
		check.OK(t, err)
		m = member.Retry(member.Timeout(m, member.Limits{Whole: time.Minute}, time.Now),
			member.Policy{Tries: 20, Base: time.Millisecond, Patience: time.Minute})
		for words, field := range questions {
			p := question()
			p.Messages = []prompt.Message{{Role: prompt.User, Content: words}}
			var reply map[string]any
			var c prompt.Completion
			for range 5 { // the server may garble some
				if c, err = ask(m, p); err != nil || json.Unmarshal([]byte(c.Text), &reply) == nil {
					break
				}
			}
			if err != nil || reply[field] == nil {
				t.Errorf("%s: %q brought %+v, %v", d.name, words, c, err)
			}
		}
	}
}

func TestAimock_FaultsAreNamed(t *testing.T) {
	address := aimock(t)
	tests := []struct {
		header string
		kind   council.FaultKind
		after  time.Duration
	}{
		{"x-aimock-chaos-ratelimit", council.FaultRate, time.Second},
		{"x-aimock-chaos-drop", council.FaultTransport, 0},
		{"x-aimock-chaos-malformed", council.FaultTransport, 0},
		{"x-aimock-chaos-disconnect", council.FaultTransport, 0},
	}
	for _, d := range dialects {
		for _, test := range tests {
			t.Run(d.name+"/"+test.header, func(t *testing.T) {
				seat := d.at(address)
				seat.Headers = map[string]string{}
				for _, other := range tests { // whatever rates the server was started with
					seat.Headers[other.header] = "0"
				}
				seat.Headers[test.header] = "1"
				m, err := d.open(seat, endpoint.Options{Getenv: environment})
				check.OK(t, err)
				_, err = ask(m, question())
				if call := check.As[*member.CallError](t, err); call.Fault.Kind != test.kind || !call.Retryable ||
					call.RetryAfter != test.after {
					t.Errorf("%v, %+v", err, call)
				}
			})
		}
	}
}

// live are the services themselves. A model is named in COUNCIL_LIVE_<PROVIDER>, such as COUNCIL_LIVE_GEMINI.
var live = []dialect{chat, responses, messages, gemini, speaking("openrouter"), speaking("ollama")}

// The services themselves may differ from the suite's fakes. COUNCIL_LIVE=1 asks those whose key is set,
// for a few hundred tokens each.
func TestAimock_TheServicesThemselves(t *testing.T) {
	if os.Getenv("COUNCIL_LIVE") == "" {
		t.Skip("COUNCIL_LIVE is not set")
	}
	for _, d := range live {
		t.Run(d.name, func(t *testing.T) {
			seat := d.model
			seat.Model = os.Getenv("COUNCIL_LIVE_" + strings.ToUpper(seat.Provider))
			known := seat.Kind()
			switch {
			case seat.Model == "":
				t.Skip("COUNCIL_LIVE_" + strings.ToUpper(seat.Provider) + " names no model")
			case known.Key != "" && os.Getenv(known.Key) == "":
				t.Skip(known.Key + " is not set")
			}
			open := func(seat council.Model) member.Model {
				m := check.Get(d.open(seat, endpoint.Options{Getenv: os.Getenv}))(t)
				return member.Timeout(m, member.Limits{Whole: 2 * time.Minute}, time.Now)
			}
			c, err := ask(open(seat), question())
			if err != nil || c.Text == "" || c.Usage.InputTokens+c.Usage.CachedTokens == 0 || c.Usage.OutputTokens == 0 ||
				c.Usage.Model == "" {
				t.Errorf("%+v, %v", c, err)
			}
			p := structured()
			p.Messages[2].Content = "Shall we? Give your rationale, and a ballot, YES or NO, as JSON."
			var vote struct{ Rationale, Ballot string }
			if c, err = ask(open(seat), p); err != nil || json.Unmarshal([]byte(c.Text), &vote) != nil || vote.Ballot == "" {
				t.Errorf("%+v, %v", c, err)
			}
			seat.Model = "no-such-model-of-anybody"
			var call *member.CallError
			if _, err = ask(open(seat), question()); !errors.As(err, &call) || call.Fault.Kind != council.FaultModelMissing {
				t.Errorf("a model that does not exist: %v", err)
			}
		})
	}
}
