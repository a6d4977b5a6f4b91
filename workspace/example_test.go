package workspace_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/run"
)

// A council of two models of one's own is convened. Both are the rehearsal here, which asks no model; any
// [member.Model] takes its place.
func Example_convene() {
	folder, err := os.MkdirTemp("", "council")
	must(err)
	defer os.RemoveAll(folder)
	w, err := workspace.Open(folder, workspace.Options{Create: true, Models: map[string]member.Model{
		"careful": rehearsal.New(), "bold": rehearsal.New()}})
	must(err)
	defer w.Close()
	session, err := w.Convene(context.Background(), run.Request{Charter: seated("careful", "bold"),
		Topic: "Shall we keep the queue?"})
	must(err)
	for e := range session.Events() {
		if p, ok := e.Payload.(council.MotionDecided); ok {
			fmt.Println("A vote:", p.Decision.Result)
		}
	}
	result, err := session.Wait()
	must(err)
	fmt.Println(len(result.Outcome.Resolutions), "resolution")
	// Output:
	// A vote: CARRIED
	// A vote: CARRIED
	// 1 resolution
}

// seated returns a ready-made council whose members have models of providers in turn.
func seated(providers ...string) *council.Charter {
	doc, _ := templates.Council("general")
	charter, err := config.Parse(doc)
	must(err)
	for i := range charter.Members {
		charter.Members[i].Model = council.Model{Provider: providers[i%len(providers)], Model: "one"}
	}
	return &charter
}

// A running session is followed, by the process that drives it or by another.
func Example_follow() {
	folder, err := os.MkdirTemp("", "council")
	must(err)
	defer os.RemoveAll(folder)
	w, err := workspace.Open(folder, workspace.Options{Create: true})
	must(err)
	defer w.Close()
	session, err := w.Convene(context.Background(), run.Request{Charter: seated("rehearsal"), Topic: "Shall we keep it?"})
	must(err)
	ctx, leave := context.WithCancel(context.Background())
	_ = w.Follow(ctx, session.ID, func(u live.Update) error {
		for _, e := range u.Entries {
			if p, ok := e.Event.Payload.(council.SessionClosed); ok {
				fmt.Println("decided:", p.Outcome.Decided)
			}
		}
		if !u.Running {
			leave()
		}
		return nil
	})
	_, err = session.Wait()
	must(err)
	// Output:
	// decided: false
}

// A finished session is read.
func Example_read() {
	w, err := workspace.Open(finished(), workspace.Options{})
	must(err)
	defer w.Close()
	session, err := w.Session("latest")
	must(err)
	m := session.Minutes
	fmt.Println(m.Started.Topic.Text)
	fmt.Println("decided:", m.Outcome.Decided)
	// Output:
	// # Queue
	//
	// Should the queue write to disk before it acknowledges?
	// decided: true
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
