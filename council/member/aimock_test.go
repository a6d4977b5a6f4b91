package member_test

import (
	"encoding/json"
	"errors"
	"os"
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

func TestAimockAnswersEveryQuestion(t *testing.T) {
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

func TestAimockFaultsAreNamed(t *testing.T) {
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
				var call *member.CallError
				if !errors.As(err, &call) || call.Fault.Kind != test.kind || !call.Retryable || call.RetryAfter != test.after {
					t.Errorf("%v, %+v", err, call)
				}
			})
		}
	}
}
