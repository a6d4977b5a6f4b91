package render

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// The minority report has the vote of the last visit to the deciding phase, whatever another phase put to the vote.
func TestMinorityReport_HasTheDecidingVote(t *testing.T) {
	moves := func(yes, no, absent int) func(*scribe) {
		return func(s *scribe) {
			s.moves(ada, "Wait", "We wait.", "Wait.").decide(decided(yes, no, 0, 0, absent, "0.5", quorum.Members))
		}
	}
	pass := func(s *scribe) { s.passes(ada, "No.").passes(boole, "No.").passes(curie, "No.") }
	for name, c := range map[string]struct {
		again council.PhaseID // the phase that follows the deciding one
		votes func(*scribe)
		want  string
		not   string
	}{
		"another passes":       {"explore", pass, "“Write ahead” is carried", "Wait"},
		"another loses":        {"explore", moves(1, 2, 0), "“Write ahead” is carried", "Wait"},
		"another has too few":  {"explore", moves(1, 0, 2), "“Write ahead” is carried", "Wait"},
		"another carries":      {"explore", moves(2, 1, 0), "“Write ahead” is carried", "Wait"},
		"it passes again":      {"decide", pass, "Dissent of", "Write ahead"},
		"it loses again":       {"decide", moves(1, 2, 0), "“Wait” is lost", "Write ahead"},
		"it carries once more": {"decide", moves(2, 1, 0), "“Wait” is carried", "Write ahead"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScribe(topic, charter("anthropic"))
			s.enter("decide", "Choose.", "").startRound(1)
			s.moves(ada, "Write ahead", "The queue writes ahead.", "Write.").
				decide(decided(2, 1, 0, 0, 0, "0.5", quorum.Members))
			s.enter(c.again, "Once more.", "").startRound(1)
			c.votes(s)
			s.dissents(curie, "It is too much.")
			files := check.Get(Artifacts(s.log))(t)
			if report := string(files[FileMinority]); !strings.Contains(report, c.want) || strings.Contains(report, c.not) {
				t.Errorf("want %q in it, and not %q:\n%s", c.want, c.not, report)
			}
		})
	}
}
