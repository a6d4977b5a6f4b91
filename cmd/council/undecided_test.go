package main

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
)

// The leader's assessments are unusable, three times each: somebody else is asked for them, and the summary and the
// draft stay with the leader.
func TestAFailedAssessmentCostsTheLeaderThatQuestionOnly(t *testing.T) {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	var assessed, written atomic.Int64
	server := counciltest.NewServer(t, func(r counciltest.Request) string {
		switch {
		case r.Contract == "reply_assess" && r.Model == "m1":
			assessed.Add(1)
			return "It went well."
		case (r.Contract == "reply_summary" || r.Contract == "") && r.Model == "m1":
			written.Add(1)
		}
		return talk.Reply(r)
	})
	d := newWorkplace(t, server.URL)
	d.write(counciltest.Charter(3, 1, server.URL))
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	if assessed.Load() == 0 || written.Load() != 3 { // a summary, a draft, a revision
		t.Errorf("the leader was asked %d times to assess, and wrote %d times", assessed.Load(), written.Load())
	}
}

// Where no position is usable the session waits for better models, and nothing else is bought or remembered.
func TestModelsWithoutAUsablePositionSuspendTheSession(t *testing.T) {
	server := counciltest.NewServer(t, func(r counciltest.Request) string {
		if r.Contract != "reply_position" {
			t.Errorf("%s was asked for %q", r.Model, r.Contract)
		}
		return ""
	})
	d := newWorkplace(t, server.URL)
	d.run(cli.ExitSuspended, "convene", "Shall we?", "--config", d.config)
	d.says(&d.errs, "no member gave a usable position")
	if lessons, err := os.ReadDir(filepath.Join(d.root, "memory")); err == nil && len(lessons) > 0 {
		t.Errorf("memory has %v", lessons)
	}
}
