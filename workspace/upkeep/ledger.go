package upkeep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// LedgerReport is the result of a verification of the ledger.
type LedgerReport struct {
	ledger.Report
	Sessions int // of whose ends the ledger speaks
	Wrong    []WrongEnd
}

// WrongEnd is a session whose log does not agree with what the ledger says of its end.
type WrongEnd struct {
	Session council.SessionID
	Problem string
	Damaged bool
}

// VerifyLedger checks the chain of the ledger, and holds the log of every session against its entries. A broken chain
// is a [ledger.ErrDamaged], and no session is looked at.
func VerifyLedger(root *recorder.Root) (LedgerReport, error) {
	ends := sessionEnds{}
	report, err := ledger.Verify(root.Files(), ends.take)
	found := LedgerReport{Report: report, Sessions: len(ends)}
	if err != nil {
		return found, err
	}
	for _, id := range slices.Sorted(maps.Keys(ends)) {
		if problem, damaged := checkEnds(root, id, ends[id]); problem != "" {
			found.Wrong = append(found.Wrong, WrongEnd{id, problem, damaged})
		}
	}
	return found, nil
}

// sessionEnds are the entries that say how far a session had come. An entry that a kill kept from being recorded is
// dropped as soon as another takes its place.
type sessionEnds map[council.SessionID][]audit.Entry

func (s sessionEnds) take(e audit.Entry) {
	if e.Type != audit.TypeSession || e.Digest == "" {
		return
	}
	s[e.Session] = append(slices.DeleteFunc(s[e.Session], func(before audit.Entry) bool {
		return before.Events >= e.Events
	}), e)
}

// checkEnds holds the log of a session against its entries. The problem is "" where they agree.
func checkEnds(root *recorder.Root, id council.SessionID, ends []audit.Entry) (problem string, damaged bool) {
	entries, err := root.Read(id)
	gone := errors.Is(err, recorder.ErrUnknownSession)
	if err != nil && !errors.Is(err, recorder.ErrNotBegun) && !gone {
		return fmt.Sprintf("its log cannot be read: %v.", err), true
	}
	for _, e := range ends {
		was := fmt.Sprintf("with its event e%d it was %s at %s (entry %d)", e.Events, e.Action,
			e.At.UTC().Format(time.DateTime), e.Seq)
		switch {
		case gone:
			return was + ", and it is not in the record any more.", false
		case e.Events == len(entries)+1:
			return was + ", which is not in its log: the process was killed, or the event was cut off. Go on with: " +
				"council resume " + string(id), false
		case e.Events > len(entries):
			return fmt.Sprintf("%s, and its log ends with e%d.", was, len(entries)), true
		case entries[e.Events-1].Sum != e.Digest:
			return was + ", and its log has another event there.", true
		}
	}
	return "", false
}
