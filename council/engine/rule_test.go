package engine_test

import (
	"errors"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
)

// refusing is a log on a full disk.
type refusing struct{ err error }

func (r refusing) Append(council.Event) error { return r.err }

func TestARulingThatCannotBeRecordedIsNotMade(t *testing.T) {
	s := sit(t, 3, nil).session
	full := errors.New("no space left")
	if err := engine.Rule(s, refusing{full},
		council.SessionAdjourned{By: "me", Reason: "Enough."}); !errors.Is(err, full) {
		t.Errorf("the ruling gave %v", err)
	}
	if ready := s.Ready(); len(s.Events()) != 1 || len(ready.Asks) == 0 || ready.Event != nil {
		t.Errorf("the session knows of a ruling that is not on record: %d events, %+v", len(s.Events()), ready)
	}
}
