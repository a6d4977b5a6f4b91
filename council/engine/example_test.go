package engine_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/templates"
)

// A program convenes a ready-made council, watches it, and reads what it decided. The record lies in a folder, as the
// command leaves it: council show, verify and approve work on it. The members are the rehearsal, which asks no model;
// any other [member.Model] takes its place, such as one of package endpoint.
func Example() {
	folder, err := os.MkdirTemp("", "council")
	must(err)
	defer os.RemoveAll(folder)

	doc, _ := templates.Council("general")
	c, err := config.Parse(doc)
	must(err)
	charter.SetPace(&c)
	for i := range c.Members {
		c.Members[i].Model = council.Model{Provider: "rehearsal"}
	}
	c.Storage.RootDir = folder

	topic := council.Topic{Text: "Shall we keep the queue?"}
	id, err := recorder.NewSessionID(time.Now(), topic.Text, rand.Reader)
	must(err)
	root, err := recorder.OpenRoot(folder)
	must(err)
	defer root.Close()
	record, err := root.Create(id, recorder.Inputs{Now: time.Now, Random: rand.Reader})
	must(err)
	defer record.Close()

	opening, err := rules.Open(id, topic, c)
	must(err)
	must(record.Append(opening))
	session, err := rules.Replay(rules.Log(opening))
	must(err)

	members := map[council.MemberID]engine.Member{}
	for _, id := range c.Seats() {
		tape, err := record.Conversation(id)
		must(err)
		members[id] = member.NewSeat(member.WithCallLog(rehearsal.New(), tape), prompt.NewConversation(prompt.Limits{}))
	}
	watch := func(p engine.Progress) {
		if p, ok := p.(engine.Recorded); ok {
			if e, ok := p.Event.Payload.(council.MotionDecided); ok {
				fmt.Println("A vote:", e.Decision.Result)
			}
		}
	}
	result, err := engine.Run(context.Background(), session, members, record, engine.Options{Observe: watch})
	must(err)
	must(record.Finalize())
	for _, r := range result.Outcome.Resolutions {
		fmt.Printf("Resolved, %s: %s\n", r.Count().Words(), r.Title)
	}
	// Output:
	// A vote: CARRIED
	// A vote: CARRIED
	// Resolved, 2 YES, 1 NO: Shall we keep the queue?
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
