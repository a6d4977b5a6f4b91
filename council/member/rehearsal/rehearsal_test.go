package rehearsal_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/prompt"
)

func TestAnEndedContextIsNoReply(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rehearsal.New().Complete(ctx, prompt.Prompt{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestAViewThatHoldsTooLittleIsAFault(t *testing.T) {
	c, topic := ready(t, "general"), council.Topic{Text: "Shall we?"}
	whole := council.View{
		Ask:   council.Ask{ID: "d1.review.skeptic", Kind: council.AskReview, Member: "skeptic"},
		Topic: &topic, Charter: &c, Seat: c.Member("skeptic"), Seats: c.Seats(),
	}
	for name, change := range map[string]func(v *council.View){
		"no topic":            func(v *council.View) { v.Topic = nil },
		"no charter":          func(v *council.View) { v.Charter = nil },
		"no seat":             func(v *council.View) { v.Seat = nil },
		"a stranger's seat":   func(v *council.View) { v.Seat = &council.Member{ID: "stranger"} },
		"no draft to review":  func(v *council.View) {},
		"an ask of no kind":   func(v *council.View) { v.Ask.Kind = "sing" },
		"no seats at all":     func(v *council.View) { v.Ask.Kind, v.Seats = council.AskPosition, nil },
		"an unknown question": func(v *council.View) { v.Ask.Kind = "" },
	} {
		t.Run(name, func(t *testing.T) {
			v := whole
			change(&v)
			_, err := rehearsal.New().Complete(context.Background(), prompt.Prompt{View: v})
			var call *member.CallError
			if !errors.As(err, &call) || call.Retryable || call.Fault.Kind.Curable() {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestOneModelServesManySeatsAtOnce has something to say under the race detector.
func TestOneModelServesManySeatsAtOnce(t *testing.T) {
	c := ready(t, "general")
	m := rehearsal.New()
	var wait sync.WaitGroup
	replies := make([]string, 4*len(c.Members))
	for i := range replies {
		topic := topicOf(t, "Shall we move the job queue to NATS?", []string{"queue.md"})
		seat := c.Members[i%len(c.Members)].ID
		v := council.View{
			Ask:   council.Ask{ID: council.AskID("position." + string(seat)), Kind: council.AskPosition, Member: seat},
			Topic: &topic, Charter: &c, Seat: c.Member(seat), Seats: c.Seats(),
		}
		wait.Go(func() {
			completion, err := m.Complete(context.Background(), prompt.Prompt{View: v})
			if err != nil {
				t.Error(err)
			}
			replies[i] = completion.Text
		})
	}
	wait.Wait()
	for i, reply := range replies {
		if first := replies[i%len(c.Members)]; reply != first {
			t.Errorf("the same seat answered differently:\n%s\n%s", first, reply)
		}
	}
}
