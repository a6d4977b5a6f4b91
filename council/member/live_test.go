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
	"github.com/council-engine/council/internal/check"
)

// live are the services themselves. A model is named in COUNCIL_LIVE_<PROVIDER>, such as COUNCIL_LIVE_GEMINI.
var live = []dialect{chat, responses, messages, gemini, speaking("openrouter"), speaking("ollama")}

// The services themselves may differ from the suite's fakes. COUNCIL_LIVE=1 asks those whose key is set,
// for a few hundred tokens each.
func TestTheServicesThemselves(t *testing.T) {
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
