package recorder_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/verify"
)

// untidy returns a reply in one of the forms in which models write it, usable or not.
func untidy(chance *rand.Rand, text string) string {
	quoted, _ := json.Marshal(text)
	forms := []string{
		text, text, text, text, // as it is, most often
		`{"response": ` + text + `}`,
		`{"output": ` + string(quoted) + `}`,
		`{"type": "function", "function": {"name": "reply", "arguments": ` + string(quoted) + `}}`,
		"<think>Or {\"ballot\":\"NO\",\"rationale\":\"dear\"}?</think>\n" + text,
		"[THINK]" + text,
		"Sure:\n```json\n" + text + "\n```\nDone.",
		strings.ReplaceAll(text, `,"`, ",\u00a0\""),
		strings.NewReplacer(`"ballot"`, `"Vote"`, `"ranking"`, `"Ranking"`, `"rationale"`, `"reason"`).Replace(text),
		strings.NewReplacer(`"YES"`, `["Aye"]`, `"NO"`, `"NO - it is dear"`, `true`, `"yes"`).Replace(text),
		strings.NewReplacer(`"YES"`, `"YES, if it is cheap"`).Replace(text),
		text + "\n" + text,
		strings.TrimSuffix(text, "}"),
		text[:len(text)/2],
		"I'm sorry, but I can't help with that.",
		"",
	}
	return forms[chance.IntN(len(forms))]
}

// orders are rankings of NATS and Kafka, clear and unclear.
var orders = []string{`["NATS","Kafka"]`, `["1. Kafka","2. NATS"]`, `["2. NATS","1. Kafka"]`, `["none","NATS (best)"]`,
	`["Kafka = NATS"]`, `"2 > 1"`, `["Redis"]`, `[]`, `null`, `["NATS (option 1)"]`}

// Verify and replay agree with the record of any replies. COUNCIL_LONG tries 2,000 sessions.
func TestUntidyReplies_VerifyAndReplayAgree(t *testing.T) {
	sessions := counciltest.Often(12, 2_000)
	faulted, voted := 0, 0
	for seed := range sessions {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			chance := rand.New(rand.NewPCG(uint64(seed), 30))
			root, _ := openRoot(t)
			c := charter()
			c.Phases[0].Governance.Debate = chance.IntN(2) == 0
			if chance.IntN(2) == 0 {
				c.Options = []string{"NATS", "Kafka"}
			}
			log, _ := holdSession(t, root, c, func() func(council.View) string {
				own := rand.New(rand.NewPCG(chance.Uint64(), 30)) // members answer at once
				return func(v council.View) string {
					text := script(v)
					order := orders[own.IntN(len(orders))]
					switch {
					case v.Ask.Kind == council.AskRank:
						text = `{"rationale":"R","ranking":` + order + `}`
					case v.Ask.Kind == council.AskPosition && c.Options != nil:
						text = strings.TrimSuffix(text, "}") + `,"ranking":` + order + `}`
					case v.Ask.Kind == council.AskTurn && c.Options != nil:
						text = `{"action":"PASS","reason":"R"}`
					}
					return untidy(own, text)
				}
			})
			for _, e := range log {
				switch e.Payload.(type) {
				case council.MemberFaulted:
					faulted++
				case council.BallotCast, council.RankingCast:
					voted++
				}
			}
		})
	}
	t.Logf("%d sessions: %d votes and %d faults", sessions, voted, faulted)
	check.That(t, faulted >= sessions/4 && voted >= sessions, "only %d faults and %d votes", faulted, voted)
}

// holdSession holds a session of a property test, with the answers of each member in turn order, and returns its log.
// One that closes is finalized. Verify and replay must agree with it.
func holdSession(t *testing.T, root *recorder.Root, c council.Charter,
	answers func() func(council.View) string) (log []council.Event, isClosed bool) {
	t.Helper()
	h := check.Get(conveneAs(root, fixed, c))(t)
	members := map[council.MemberID]engine.Member{}
	for _, m := range c.Members {
		answer := answers()
		var model member.Model = member.ModelFunc(func(_ context.Context, p *prompt.Prompt) (prompt.Completion, error) {
			return prompt.Completion{Text: answer(p.View), Stop: prompt.StopEnd}, nil
		})
		model = member.WithCallLog(model, check.Get(h.record.Conversation(m.ID))(t))
		members[m.ID] = member.NewSeat(model, prompt.NewConversation(prompt.Limits{}))
	}
	result := check.Get(engine.Run(t.Context(), h.rules, members, h.record, engine.Options{}))(t)
	if result.Outcome != nil {
		check.OK(t, h.record.Finalize())
	}
	check.OK(t, h.record.Close())
	for _, agrees := range []func(council.SessionID) (verify.Report, error){root.Replay,
		func(id council.SessionID) (verify.Report, error) { return root.Verify(id) }} {
		if report, err := agrees(sessionID); err != nil {
			t.Fatalf("%v\n%+v", err, report)
		}
	}
	return h.rules.Events(), result.Outcome != nil
}
