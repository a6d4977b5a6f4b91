// Package questiontest holds deliberations whose every reply is written down, for tests and for the bench of real
// models. It is its own package because a script answers in them, and the script's tests use package counciltest.
package questiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/script"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
)

// Views holds the deliberation of a name in folder (its charter, topic and replies) and returns the view of each
// question in the order in which they were put. The same files give the same views.
func Views(folder, name string) ([]council.View, error) {
	read := func(suffix string) []byte {
		doc, _ := os.ReadFile(filepath.Join(folder, name+suffix))
		return doc
	}
	c, err := config.Parse(read(".json"))
	if err != nil {
		return nil, err
	}
	charter.SetPace(&c)
	var topic council.Topic
	if err := json.Unmarshal(read(".topic.json"), &topic); err != nil {
		return nil, err
	}
	for i := range topic.Documents {
		topic.Documents[i].SHA256 = council.Digest(topic.Documents[i].Text)
	}
	member, err := script.Parse(name, read(".jsonl"))
	if err != nil {
		return nil, err
	}
	session, err := rules.Begin(council.SessionID("20261126-120000-"+name+"-abcdef"), topic, c)
	if err != nil {
		return nil, err
	}
	var views []council.View
	for ready := session.Ready(); ready.Outcome == nil; ready = session.Ready() {
		if ready.Event == nil {
			view := session.View(ready.Asks[0])
			views = append(views, view)
			event, err := answer(session, member, view)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", view.Ask.ID, err)
			}
			ready.Event = &event
		}
		if err := session.Apply(*ready.Event); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// answer has the script answer one question.
func answer(session *rules.Session, member *script.Model, view council.View) (council.Event, error) {
	completion, err := member.Complete(context.Background(), &prompt.Prompt{View: view, Try: 1})
	if err != nil {
		return council.Event{}, err
	}
	body, err := prompt.Parse(view, completion.Text)
	if err != nil {
		return council.Event{}, err
	}
	return session.Answer(council.Reply{Ask: view.Ask.ID, Body: body})
}
