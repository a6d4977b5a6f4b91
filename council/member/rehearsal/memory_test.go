package rehearsal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
)

func TestConstraintsComeFromTheTopicAndTheDocuments(t *testing.T) {
	s := hold(t, model, ready(t, "architecture"), topicOf(t,
		"Shall we move the job queue to NATS? No invoice may be late. A job must never be lost.", []string{"queue.md"}))
	var all []string
	for _, a := range payloads[council.PhaseAssessed](s) {
		all = append(all, a.Constraints...)
	}
	for _, want := range []string{
		"A job must never be lost. (the topic)",
		"A message must be acknowledged within a deadline or it is delivered again. (queue.md:20)",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("nobody said %q, but %q", want, all)
		}
	}
	for _, c := range all {
		if strings.Contains(c, "Shall we") || strings.Contains(c, "is never marked") {
			t.Errorf("a question or a report is taken for a constraint: %q", c)
		}
	}
	plain := hold(t, model, ready(t, "architecture"), council.Topic{Text: "Shall we paint the door?"})
	for _, a := range payloads[council.PhaseAssessed](plain) {
		if len(a.Constraints) > 0 {
			t.Errorf("constraints of nothing: %q", a.Constraints)
		}
	}
}

func TestASessionOnTheSameMatterSettlesWhatWasOpen(t *testing.T) {
	record := func(id, kind, summary string) council.Remembered {
		return council.Remembered{ID: id, Kind: kind, Summary: summary, Date: "2026-05-12"}
	}
	memory := council.Reminder{Records: []council.Remembered{
		record("r-open", "open_loop", "No resolution was reached on “Shall we move the job queue to NATS?”."),
		record("r-old", "decision", "Moving the job queue to NATS waits until somebody has run it."),
		record("r-lesson", "lesson", "We moved the job queue to NATS too fast."),
		record("r-else", "open_loop", "Who answers the support queue in July is open."),
	}}
	topic := topicOf(t, "Shall we move the job queue to NATS?", []string{"queue.md"})
	s := hold(t, model, ready(t, "general"), topic, memory)
	got := map[string]council.SettlementHow{}
	for _, p := range payloads[council.SummaryWritten](s) {
		for _, settled := range payloads[council.SessionStarted](s)[0].Settled(s.session.Leader(), p.Summary) {
			got[settled.Record] = settled.How
		}
	}
	want := map[string]council.SettlementHow{"r-open": council.SettledResolved, "r-old": council.SettledSuperseded}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again := hold(t, model, ready(t, "general"), topic, memory)
	if diff := cmp.Diff(s.replies, again.replies); diff != "" {
		t.Errorf("the same session again says something else:\n%s", diff)
	}
}
