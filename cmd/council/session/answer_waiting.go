package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/settings"
)

// findWaiting reads the session that was named, else the newest that waits for somebody.
func findWaiting(a *cli.Env, root *recorder.Root, args []string) (listing.Waiting, error) {
	if len(args) == 1 {
		id, err := root.Find(args[0])
		if err != nil {
			return listing.Waiting{}, err
		}
		return listing.ReadWaiting(root, id)
	}
	all, err := allWaiting(a, root)
	if err != nil {
		return listing.Waiting{}, err
	}
	if len(all) == 0 {
		return listing.Waiting{}, fmt.Errorf("no session in %s waits for a person", root.Path())
	}
	if i := slices.IndexFunc(all, func(w listing.Waiting) bool { return len(w.Open) > 0 }); i >= 0 {
		return all[i], nil
	}
	return all[0], nil // the message is that it goes on
}

// allWaiting reads the sessions that have put questions to people, newest first. One that cannot be read hides no
// other.
func allWaiting(a *cli.Env, root *recorder.Root) ([]listing.Waiting, error) {
	sessions, err := root.List()
	if err != nil {
		return nil, err
	}
	var all []listing.Waiting
	for _, s := range sessions {
		if s.State != minutes.StateSuspended && s.State != minutes.StateInterrupted && s.State != minutes.StateRunning {
			continue
		}
		w, err := listing.ReadWaiting(root, s.ID)
		if err != nil {
			a.Warn("Session %s was left out: %s", s.ID, hostile.Words(err.Error()))
		} else if len(w.Open)+len(w.Replied) > 0 {
			all = append(all, w)
		}
	}
	return all, nil
}

func listWaiting(a *cli.Env, root *recorder.Root, args []string) (err error) {
	all := make([]listing.Waiting, 1)
	if len(args) == 1 {
		all[0], err = findWaiting(a, root, args)
	} else {
		all, err = allWaiting(a, root)
	}
	if err != nil {
		return err
	}
	l := cli.NewList(a, false, "SESSION", "WHO", "QUESTION", "STATE")
	for _, w := range all {
		for _, q := range w.Open {
			l.Add(nil, w.ID, w.Name(q), q.ID, "waits for an answer")
		}
		for _, q := range w.Replied {
			l.Add(nil, w.ID, w.Name(q), q.ID, "answered; goes on with council resume, and --ask "+string(q.Member)+" changes it")
		}
	}
	return l.Print("Nobody is waited for.")
}

// dialogueFor returns a dialogue with the members of a session who can be asked at this terminal, or nil if there are
// none.
func dialogueFor(a *cli.Env, s *rules.Session) *terminal.Dialogue {
	seats := 0
	for _, m := range s.Charter().AskedMembers() {
		if m.Model.Kind().Person {
			seats++
		}
	}
	if seats == 0 || !a.Asked() {
		return nil
	}
	talk := NewDialogue(a)
	talk.Live, talk.Shared = council.Seq(len(s.Events())), seats > 1
	return talk
}

// NewDialogue returns a dialogue at this terminal, with the person's editor.
func NewDialogue(a *cli.Env) *terminal.Dialogue {
	talk := terminal.NewDialogue(a.Keys(), a.Out)
	talk.Width = a.Width
	getenv := func(name string) string {
		if name == "EDITOR" {
			return cmp.Or(a.Getenv(name), settings.Editor(a.World))
		}
		return a.Getenv(name)
	}
	talk.Edit = terminal.Editor(getenv, a.In, cli.Stream(a.Out), cli.Stream(a.Errs))
	return talk
}
