package wire_test

import (
	"errors"
	"math"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/wire"
)

func TestWriter_RefusesLossyEvents(t *testing.T) {
	tests := []struct {
		name string
		e    council.Event
		salt string
	}{
		{"no payload", council.Event{Seq: 1}, ""},
		{"a gap", council.Event{Seq: 2, Payload: council.SessionResumed{}}, ""},
		{"text that is not UTF-8", council.Event{Seq: 1, Payload: council.SessionResumed{By: "a\xff"}}, ""},
		{"an actor that is not UTF-8", council.Event{Seq: 1, Actor: "a\xff", Payload: council.SessionResumed{}}, ""},
		{"a number that is none", council.Event{Seq: 1,
			Payload: council.PositionSealed{Position: council.Position{Confidence: math.NaN()}}}, ""},
		{"a salt that is not a number", council.Event{Seq: 1, Payload: council.SessionResumed{}}, `","x":"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := &wire.Log{Session: "s1"}
			if _, _, err := w.Next(test.e, noon, test.salt); !errors.Is(err, wire.ErrUnwritable) {
				t.Fatalf("%v, want ErrUnwritable", err)
			}
			if _, _, err := w.Next(short()[0], noon, ""); err != nil {
				t.Fatalf("the writer is spoilt: %v", err)
			}
		})
	}
}

func TestWriter_ReadsAnEmptyListAsNone(t *testing.T) {
	e := council.Event{Seq: 1, Payload: council.PositionSealed{Position: council.Position{Overlooked: []string{}}}}
	entry, _, err := (&wire.Log{Session: "s1"}).Next(e, noon, "")
	check.OK(t, err)
	if got := entry.Payload.(council.PositionSealed).Overlooked; got != nil {
		t.Fatalf("the entry has %#v, but a reader will find nil", got)
	}
}

// Two halves of a letter are text when they are joined, and none on their own.
func TestWriter_RefusesHalvesOfALetter(t *testing.T) {
	w := &wire.Log{Session: "\xd8"}
	_, _, err := w.Next(
		council.Event{Seq: 1, Phase: "\xac", Payload: council.DebateClosed{Reason: council.EndAllPassed}}, noon, "0f")
	check.ErrorIs(t, "the error", wire.ErrUnwritable, err)
}
