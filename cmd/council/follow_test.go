package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/serve"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/run"
)

// attached is a machine whose record follows the cluster, without a key or a configuration of its own.
func (y *yard) attached() *serve.Door {
	y.Helper()
	y.Chdir(y.TempDir())
	d := &serve.Door{Env: testOnlyApp(&y.out, &y.errs), Folder: ".council", Approve: true, Url: y.nodes.URL,
		Start: func([]string, *os.File) (func() int, error) { panic("nothing is started where a cluster is") }}
	leave := check.Get(d.Attach(y.Context()))(y)
	y.Cleanup(leave)
	return d
}

// until waits until a session, as a record has it, is as it should be; once it is over, until its worker has left it.
func (y *yard) until(d *serve.Door, id string, is func(recorder.Summary) bool) {
	y.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		var now recorder.Summary
		busy := false
		err := d.InRecord(d.Folder, func(root *recorder.Root) error {
			now = root.Summary(council.SessionID(id))
			_, busy = root.Holder(council.SessionID(id))
			return nil
		})
		_, missing := os.Stat(filepath.Join(d.Folder, recorder.SessionsFolder, id, "session.json"))
		over := closed(now) && missing == nil || suspended(now)
		if err == nil && is(now) && (over && !busy || !closed(now) && !suspended(now)) {
			return
		}
		if err != nil || time.Now().After(deadline) {
			y.Fatalf("session %s is %+v: %v", id, now, err)
		}
	}
}

func closed(s recorder.Summary) bool    { return s.Outcome != nil }
func suspended(s recorder.Summary) bool { return s.Suspended != nil }

// What is convened, read and approved through a door on a cluster is held by its workers, and is where they are.
func TestFollow_ADoorOnAClusterIsAsOneOnAFolder(t *testing.T) {
	y, machines := newYard(t, 1, func(r counciltest.Request) string {
		return strings.Replace(steadfast(r), `"requiresExecution":false`, `"requiresExecution":true,"executionBrief":`+
			`{"objective":"Keep it","recommendedExecutorProfile":"engineer","motions":["`+
			counciltest.Carried(r)+`"],"steps":["Keep it"]}`, 1)
	}), t.TempDir()
	y.server.Latency = 100 * time.Millisecond
	d := y.attached()
	y.working(filepath.Join(machines, "machine"))
	door := serve.WebDoor(d)

	id := check.Get(door.Begin(t.Context(), "convene", []string{"--me="}, "Shall we keep the queue?"))(t)
	act := func(do func(*workspace.Workspace) error) {
		t.Helper()
		check.OK(t, workspace.With(d.Folder, workspace.Options{World: d.World}, do))
	}
	act(func(w *workspace.Workspace) error { _, err := w.Say(id, "Mind the costs."); return err })
	y.until(d, id, func(s recorder.Summary) bool { // and the note is taken away
		left, _ := os.ReadDir(filepath.Join(d.Folder, "live", "notes"))
		return closed(s) && len(left) == 0
	})
	folder := filepath.Join(d.Folder, recorder.SessionsFolder, id)
	check.Says(t, readFile(t, filepath.Join(folder, "events.json")), "Mind the costs.")
	if !sameOnOneOf(t, folder, machines) {
		t.Error("what was followed is not what the worker has")
	}
	act(func(w *workspace.Workspace) (err error) {
		for range 500 { // the worker may not have let go of the session that it closed
			var r *run.Review
			if r, err = w.Review(id); err == nil {
				_, err = w.Rule(t.Context(), id, run.Verdict{SHA256: r.SHA256})
			}
			if !errors.Is(err, recorder.ErrLocked) {
				break
			}
			<-time.After(20 * time.Millisecond)
		}
		return err
	})
	elsewhere := filepath.Join(t.TempDir(), ".council")
	y.run(cli.ExitOK, "cluster", "pull", id, "--root", elsewhere)
	y.run(cli.ExitOK, "verify", id, "--root", elsewhere)
	y.run(cli.ExitOK, "show", id, "--root", elsewhere)
	if !strings.Contains(y.out.String(), "APPROVED") && !strings.Contains(y.out.String(), "approved") {
		t.Errorf("the approval did not reach the cluster:\n%s", &y.out)
	}
	// What is forgotten through the door is forgotten on the cluster.
	act(func(w *workspace.Workspace) error {
		plan, err := w.PlanForgetting(t.Context(), nil, []string{"Mind the costs"})
		if err == nil {
			_, err = w.Forget(t.Context(), plan)
		}
		return err
	})
	forgotten := filepath.Join(t.TempDir(), ".council")
	y.run(cli.ExitOK, "cluster", "pull", id, "--root", forgotten)
	y.run(cli.ExitOK, "verify", id, "--root", forgotten)
	for _, folder := range []string{forgotten, d.Folder} {
		check.NeverSays(t, readAll(t, folder), "Mind the costs")
	}
	for verb, flags := range map[string][]string{"convene": {"--model=gpt"}, "reopen": {"--because=why"}} {
		if _, err := door.Begin(t.Context(), verb, flags, id); err == nil || !strings.Contains(err.Error(), "cluster") {
			t.Errorf("%s: %v", verb, err)
		}
	}
	check.NeverSays(t, y.errs.String(), "Warning")

	c := &caller{T: t, told: make(chan string, 1000), door: &localDoor{Door: d}}
	c.connect()
	next := c.call("convene", arguments{"topic": "Shall we drop the cache?", "output": "none"}).Session
	if got := c.call("wait", arguments{"session": next, "seconds": 60}); got.State == "running" {
		t.Errorf("%+v", got)
	}
	// It is remembered after it closed.
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		got := c.call("recall", arguments{"query": "cache"})
		if strings.Contains(got.Text, next) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is not found here: %+v", got)
		}
	}
}

// A session that waits for a person is parked; the answer is given where the person is, and a worker goes on with it.
func TestFollow_APersonAnswersASessionOfACluster(t *testing.T) {
	y, machines := newYard(t, 1, steadfast), t.TempDir()
	c := shortCharter(y.server.URL)
	c.Members[2].Model = council.Model{Provider: "human"}
	writeCouncil(t, y.config, c)
	y.submit(1)
	d := y.attached()
	y.working(filepath.Join(machines, "machine"))
	door := serve.WebDoor(d)
	id := check.Get(door.Begin(t.Context(), "convene", []string{"--output=none"}, "Shall we keep the queue?"))(t)
	for _, answer := range []run.Answer{{Text: "Keep it.", Confidence: "50"}, {Ballot: "m1", Because: "She knows it."}} {
		before := 0
		y.until(d, id, func(s recorder.Summary) bool { before = s.Events; return suspended(s) })
		check.OK(t, workspace.With(d.Folder, workspace.Options{World: d.World}, func(w *workspace.Workspace) error {
			_, err := w.Answer(t.Context(), id, "", answer)
			return err
		}))
		var err error
		for range 100 { // until the worker has told that it is parked
			if err = door.Resume(t.Context(), council.SessionID(id)); err == nil {
				break
			}
			<-time.After(20 * time.Millisecond)
		}
		check.OK(t, err)
		y.until(d, id, func(s recorder.Summary) bool { return s.Events > before })
	}
	y.run(cli.ExitOK, "cluster", "pull", id, "--root", filepath.Join(t.TempDir(), ".council"))
}
