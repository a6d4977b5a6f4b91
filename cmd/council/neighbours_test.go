package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// A program that was written for roundtable's files, with the keys that it has there. It knows nothing of ours.
type theirs struct {
	session struct {
		SessionID, CouncilName, LeaderID, EndedBy, FinalResolution, OutputType string
		RequiresExecution, ExecutionApproved                                   bool
		DocumentationApproved                                                  *bool
		WinningMotion                                                          theirMotion
		PhaseResults                                                           []struct {
			PhaseID, PhaseGoal, EndedBy, FinalResolution string
			WinningMotion                                *theirMotion
			RoundsCompleted                              int
		}
	}
	events []struct {
		ID, SessionID, Timestamp, Type, ActorID string
		Round, TurnIndex                        int
		Payload                                 struct{ Message, MotionTitle, Ballot, Rationale string }
	}
	handoff struct {
		SessionID, LeaderID, MotionID, FinalResolution, DefaultExecutorProfile string
		ApprovalRequired, Approved                                             bool
		ExecutionBrief                                                         struct {
			Objective, RecommendedExecutorProfile string
			Steps, Risks, AcceptanceCriteria      []string
		}
	}
	council struct {
		GlobalDecisions []struct{ ID, Summary string }
		Sessions        []json.RawMessage
	}
	member struct {
		MemberID       string
		RecentSessions []json.RawMessage
		PromptContext  json.RawMessage
	}
}

type theirMotion struct {
	MotionID, MotionTitle, MotionText, DecisionIfPass, CalledBy string
	Round, TurnIndex                                            int
}

func TestAProgramForRoundtablesFilesReadsOurs(t *testing.T) {
	counciltest.NotUnderRace(t)
	handbook := check.Get(os.ReadFile("../../docs/handoff.md"))(t)
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	a := testOnlyApp(&out, &out)
	line := []string{"convene", "Should we write ahead?", "--model", deciding, "--pace", "as-written"}
	if code := runLine(a, context.Background(), line); code != cli.ExitOK {
		t.Fatalf("exit %d:\n%s", code, &out)
	}
	folders, _ := filepath.Glob(".council/sessions/*")
	if len(folders) != 1 {
		t.Fatal(folders)
	}
	var p theirs
	reads(t, filepath.Join(folders[0], "session.json"), &p.session)
	reads(t, filepath.Join(folders[0], "events.json"), &p.events)
	reads(t, filepath.Join(folders[0], "execution-handoff.json"), &p.handoff)
	reads(t, ".council/memory/COUNCIL.json", &p.council)

	s, won := p.session, p.session.WinningMotion
	last := s.PhaseResults[len(s.PhaseResults)-1]
	switch {
	case s.SessionID != filepath.Base(folders[0]), s.CouncilName == "", s.LeaderID == "", s.FinalResolution == "":
		t.Errorf("the session: %+v", s)
	case s.EndedBy != "MAJORITY_VOTE", s.OutputType != "documentation", s.ExecutionApproved, !s.RequiresExecution:
		t.Errorf("its end: %+v", s)
	case s.DocumentationApproved == nil || !*s.DocumentationApproved:
		t.Error("the document is not approved")
	case last.WinningMotion == nil || *last.WinningMotion != won, last.FinalResolution != won.DecisionIfPass,
		last.EndedBy != s.EndedBy, last.PhaseID == "", last.PhaseGoal == "", last.RoundsCompleted < won.Round:
		t.Errorf("the last phase: %+v", last)
	}
	said, moved, ballots := map[string]int{}, 0, map[string]int{}
	for _, e := range p.events {
		if e.ID == "" || e.SessionID != s.SessionID || e.Timestamp == "" {
			t.Fatalf("an event: %+v", e)
		}
		if e.Payload.Message != "" {
			said[e.ActorID]++
		}
		if e.Payload.MotionTitle == won.MotionTitle && e.ActorID == won.CalledBy && e.Round == won.Round &&
			e.TurnIndex == won.TurnIndex {
			moved++
		}
		if e.Payload.Ballot != "" && e.Payload.Rationale != "" {
			ballots[e.Payload.Ballot]++
		}
	}
	if len(said) == 0 || moved == 0 || ballots["YES"] == 0 {
		t.Errorf("said %v, moved %d times, ballots %v", said, moved, ballots)
	}
	h, brief := p.handoff, p.handoff.ExecutionBrief
	if h.SessionID != s.SessionID || h.LeaderID != s.LeaderID || h.MotionID != won.MotionID || h.FinalResolution == "" ||
		!h.ApprovalRequired || h.Approved || h.DefaultExecutorProfile == "" || brief.Objective == "" ||
		brief.RecommendedExecutorProfile == "" || len(brief.Steps) == 0 || len(brief.Risks) == 0 ||
		len(brief.AcceptanceCriteria) < len(brief.Steps) {
		t.Errorf("the handoff: %+v", h)
	}
	if len(p.council.GlobalDecisions) != 1 || p.council.GlobalDecisions[0].Summary == "" || len(p.council.Sessions) != 1 {
		t.Errorf("the council's memory: %+v", p.council)
	}
	members, _ := filepath.Glob(".council/memory/*/MEMORY.json")
	if len(members) == 0 {
		t.Fatal("no member has a memory")
	}
	for _, path := range members {
		reads(t, path, &p.member)
		if p.member.MemberID != filepath.Base(filepath.Dir(path)) || len(p.member.RecentSessions) != 1 ||
			len(p.member.PromptContext) == 0 {
			t.Errorf("%s: %+v", path, p.member)
		}
	}
	requireTask(t, string(handbook), folders[0])
}

func reads(t *testing.T, path string, into any) {
	t.Helper()
	text := check.Get(os.ReadFile(path))(t)
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// requireTask runs the script of docs/handoff.md: it prints a task once the brief is approved, and not before.
func requireTask(t *testing.T, handbook, folder string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("no jq here")
	}
	_, script, _ := strings.Cut(handbook, "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	task := func() (string, error) {
		handoff := filepath.Join(folder, "execution-handoff.json")
		out, err := exec.Command("sh", "-c", script, "task.sh", handoff).CombinedOutput()
		return string(out), err
	}
	if text, err := task(); err == nil || text != "Not to be carried out: AWAITING_APPROVAL. See council approve.\n" {
		t.Errorf("nobody approved it, and the script says, %v:\n%s", err, text)
	}
	var h struct{ BriefSHA256 string }
	reads(t, filepath.Join(folder, "execution-handoff.json"), &h)
	var out bytes.Buffer
	a := testOnlyApp(&out, &out)
	if code := runLine(a, context.Background(), []string{"approve", "--yes", "--sha256",
		h.BriefSHA256}); code != cli.ExitOK {
		t.Fatalf("exit %d:\n%s", code, &out)
	}
	text, err := task()
	if err != nil || !strings.Contains(text, "\ns1. ") || !strings.Contains(text, "   Done when: ") ||
		!strings.Contains(text, "## Left open") {
		t.Errorf("it is approved, and the script says, %v:\n%s", err, text)
	}
}
