package recorder_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
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
	sessions := counciltest.Often(20, 2_000)
	faulted, voted := 0, 0
	for seed := range sessions {
		chance := rand.New(rand.NewPCG(uint64(seed), 30))
		root, _ := openRoot(t)
		c := charter()
		c.Phases[0].Governance.Debate = chance.IntN(2) == 0
		if chance.IntN(2) == 0 {
			c.Options = []string{"NATS", "Kafka"}
		}
		log, _ := holdSession(t, seed, root, c, func() func(council.View) string {
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
		checkRecord(t, seed, root)
	}
	t.Logf("%d sessions: %d votes and %d faults", sessions, voted, faulted)
	if faulted < sessions/4 || voted < sessions {
		t.Errorf("only %d faults and %d votes", faulted, voted)
	}
}

// holdSession holds a session of a property test, with the answers of each member in turn order, and returns its log.
// One that closes is finalized.
func holdSession(t *testing.T, seed int, root *recorder.Root, c council.Charter,
	answers func() func(council.View) string) (log []council.Event, isClosed bool) {
	t.Helper()
	record, err := root.Create(sessionID, fixed)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	opening, err := rules.Open(sessionID, council.Topic{Text: "Shall we?"}, c)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	s, err := rules.Replay(rules.Log(opening))
	if err == nil {
		err = record.Append(opening)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	members := map[council.MemberID]engine.Member{}
	for _, m := range c.Members {
		tape, err := record.Conversation(m.ID)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		answer := answers()
		model := member.ModelFunc(func(_ context.Context, p *prompt.Prompt) (prompt.Completion, error) {
			return prompt.Completion{Text: answer(p.View), Stop: prompt.StopEnd}, nil
		})
		members[m.ID] = member.NewSeat(member.WithCallLog(model, tape), prompt.NewConversation(prompt.Limits{}))
	}
	result, err := engine.Run(t.Context(), s, members, record, engine.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if result.Outcome != nil {
		err = record.Finalize()
	}
	if closed := record.Close(); err != nil || closed != nil {
		t.Fatalf("seed %d: %v, %v", seed, err, closed)
	}
	return s.Events(), result.Outcome != nil
}

// checkRecord fails where verify or replay does not agree with a session.
func checkRecord(t *testing.T, seed int, root *recorder.Root) {
	t.Helper()
	for name, check := range map[string]func() (fmt.Stringer, error){
		"verify": func() (fmt.Stringer, error) { r, err := root.Verify(sessionID); return text{r}, err },
		"replay": func() (fmt.Stringer, error) { r, err := root.Replay(sessionID); return text{r}, err },
	} {
		if report, err := check(); err != nil {
			t.Fatalf("seed %d: %s: %v\n%s", seed, name, err, report)
		}
	}
}

// text shows a report in the words of fmt.
type text struct{ report any }

func (r text) String() string { return fmt.Sprintf("%+v", r.report) }
