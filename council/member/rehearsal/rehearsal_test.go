package rehearsal_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestAnEndedContextIsNoReply(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	check.ErrorIs(t, "the error is", context.Canceled, check.Err(rehearsal.New().Complete(ctx, &prompt.Prompt{})))
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
			_, err := rehearsal.New().Complete(context.Background(), &prompt.Prompt{View: v})
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
			completion, err := m.Complete(context.Background(), &prompt.Prompt{View: v})
			if err != nil {
				t.Error(err)
			}
			replies[i] = completion.Text
		})
	}
	wait.Wait()
	for i, reply := range replies {
		check.Is(t, "the same seat answered differently", replies[i%len(c.Members)], reply)
	}
}

// A member's own findings are not Markdown: escaped by the member, they showed their backslashes.
func TestAnswers_ArePlainText(t *testing.T) {
	c, known := ready(t, "general"), 0
	topic := council.Topic{Text: "Shall we move the job queue?"}
	var lines []string
	for _, cares := range []string{"users", "cost and budget", "security and keys", "night and alarms",
		"figures and measurements", "steps and owners"} {
		lines = append(lines, "The file job_queue_*_test.go is about "+cares+" and about nothing else.", "",
			"What <job_queue> does for "+cares+" is written in job_queue.go.", "")
	}
	topic.Documents = []council.Document{council.NewDocument("queue.txt", strings.Join(lines, "\n"))}
	for i := range c.Members {
		seat := &c.Members[i]
		v := council.View{Ask: council.Ask{ID: council.AskID("position." + seat.ID), Kind: council.AskPosition,
			Member: seat.ID}, Topic: &topic, Charter: &c, Seat: seat, Seats: c.Seats()}
		reply := check.Get(rehearsal.New().Complete(t.Context(), &prompt.Prompt{View: v}))(t)
		var p council.Position
		check.OK(t, json.Unmarshal([]byte(reply.Text), &p))
		for _, words := range p.Overlooked {
			if known++; strings.Contains(words, `\`) || strings.Contains(words, "&lt;") {
				t.Errorf("%s knows: %s", seat.ID, words)
			}
		}
	}
	if known == 0 {
		t.Error("nobody knows anything of its own")
	}
}
