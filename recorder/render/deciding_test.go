package render

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council/quorum"
)

// The minority report tells the vote that decided, though a later phase put nothing to the vote.
func TestTheMinorityReportTellsTheVoteThatDecided(t *testing.T) {
	for name, c := range map[string]struct {
		again func(*scribe)
		want  string
	}{
		"all passed": {func(s *scribe) { s.passes(ada, "No.").passes(boole, "No.").passes(curie, "No.") },
			"“Write ahead” is carried"},
		"a lost vote": {func(s *scribe) {
			s.moves(ada, "Wait", "We wait.", "Wait.").decide(decided(1, 2, 0, 0, 0, "0.5", quorum.Members))
		}, "“Wait” is lost"},
		"with too few": {func(s *scribe) {
			s.moves(ada, "Wait", "We wait.", "Wait.").decide(decided(1, 0, 0, 0, 2, "0.5", quorum.Members))
		}, "“Write ahead” is carried"},
		"carried there": {func(s *scribe) {
			s.moves(ada, "Wait", "We wait.", "Wait.").decide(decided(2, 1, 0, 0, 0, "0.5", quorum.Members))
		}, "“Wait” is carried"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScribe(topic, charter("anthropic"))
			s.enter("explore", "Find.", "").startRound(1)
			s.moves(ada, "Write ahead", "The queue writes ahead.", "Write.").
				decide(decided(2, 1, 0, 0, 0, "0.5", quorum.Members))
			s.enter("decide", "Choose.", "").startRound(1)
			c.again(s)
			s.dissents(curie, "It is too much.")
			files, err := Artifacts(s.log)
			if err != nil {
				t.Fatal(err)
			}
			if report := string(files[FileMinority]); !strings.Contains(report, c.want) {
				t.Errorf("it does not say that %s:\n%s", c.want, report)
			}
		})
	}
}
