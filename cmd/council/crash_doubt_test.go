package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/conversation"
)

// doubtful returns a session that was killed when the reply to m2's turn had been paid for and was about to be written.
func doubtful(t *testing.T) *trial {
	tr := newMarket(t, 3).trial(t, t.TempDir(), "doubt")
	plan := &filetest.Plan{On: "write m2.jsonl #6"}
	tr.convene(plan)
	tr.struck(plan)
	return tr
}

// sessions are the files of the session, without locks.
func (tr *trial) sessionFiles() map[string]string {
	files := tr.files()
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasPrefix(name, "sessions/") })
	return files
}

func TestAQuestionInDoubtCanBeGivenUp(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr := doubtful(t)
	tr.wants(tr.resume(nil, crashSession, "--ambiguous", "sometimes"), cli.ExitUsage)
	tr.wants(tr.resume(nil, crashSession, "--ambiguous=absent"), cli.ExitOK)
	if _, again := tr.market.bill(tr.key); len(again) != 0 {
		t.Errorf("bought again: %v", again)
	}
	log := tr.files()["sessions/"+crashSession+"/events.json"]
	if !strings.Contains(log, `"type":"MEMBER_FAULTED","phaseId":"decide"`) ||
		strings.Count(log, `"kind":"abandoned"`) != 1 {
		t.Error("the record does not say that the question was given up")
	}
	if text := tr.files()["sessions/"+crashSession+"/transcript.md"]; !strings.Contains(text,
		"the question was not put a second time") {
		t.Error("the transcript does not say that the question was given up")
	}
	tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
}

// forge writes m2's conversation again, well-formed, as if its last question had been another.
func (tr *trial) forge(change func(*conversation.Line)) {
	tr.Helper()
	path := filepath.Join(tr.root(), "sessions", crashSession, filepath.FromSlash(conversation.FileName("m2")))
	text := check.Get(os.ReadFile(path))(tr)
	found := check.Get(conversation.Scan(crashSession, "m2", text))(tr)
	change(&found.Lines[len(found.Lines)-1])
	change(&found.Lines[0])
	forged := check.Get(conversation.New(crashSession, "m2").Next(found.Lines...))(tr)
	check.OK(tr, os.WriteFile(path, forged, 0o600))
}

// TestADivergedSessionIsRefusedAndLeftAlone: when prompts change between two versions, a question that was put before
// is not the one that would be put now.
func TestADivergedSessionIsRefusedAndLeftAlone(t *testing.T) {
	counciltest.NotUnderRace(t)
	for name, test := range map[string]struct {
		change func(*conversation.Line)
		words  string
	}{
		"the question": {func(l *conversation.Line) {
			if l.Role == conversation.RoleUser {
				l.PromptSHA256 = council.Digest("another")
				last := &l.Messages[len(l.Messages)-1]
				last.Content = strings.Replace(last.Content, "Your turn", "Your hour", 1)
			}
		}, `was "Your hour: phase decide`},
		"the persona": {func(l *conversation.Line) {
			if l.Role == conversation.RoleUser {
				l.PromptSHA256 = council.Digest("another")
			}
			l.Persona = strings.Replace(l.Persona, "Member m2", "Somebody", 1)
		}, "what the member is told about itself"},
		"the opening": {func(l *conversation.Line) {
			if l.Role == conversation.RoleUser {
				l.PromptSHA256 = council.Digest("another")
			} else {
				l.SharedSHA256 = council.Digest("another")
			}
		}, "what all members are told at first"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := doubtful(t)
			tr.forge(test.change)
			before := tr.sessionFiles()
			calls, _ := tr.market.bill(tr.key)
			tr.wants(tr.resume(nil, crashSession), cli.ExitError)
			check.Says(t, tr.errs.String(), "the conversation of m2 has diverged at p1.r1.t2.turn.m2", test.words, "began it")
			check.Equal(t, "something was written", before, tr.sessionFiles())
			if now, _ := tr.market.bill(tr.key); now != calls {
				t.Errorf("%d calls were made", now-calls)
			}
		})
	}
}
