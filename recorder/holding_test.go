package recorder_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

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
