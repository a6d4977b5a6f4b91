package minutes

import (
	"reflect"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestState(t *testing.T) {
	stop := council.SessionSuspended{Fault: council.Fault{Kind: council.FaultRate}}
	adjourned := council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCutShort}}
	cases := []struct {
		name string
		log  []council.Payload
		want State
	}{
		{"open", []council.Payload{council.SessionStarted{}}, StateRunning},
		{"stopped", []council.Payload{council.SessionStarted{}, stop}, StateSuspended},
		{"resumed", []council.Payload{council.SessionStarted{}, stop, council.SessionResumed{}}, StateRunning},
		{
			"adjourned and not closed yet",
			[]council.Payload{council.SessionStarted{}, stop, council.SessionAdjourned{}},
			StateRunning,
		},
		{"adjourned", []council.Payload{council.SessionStarted{}, council.SessionAdjourned{}, adjourned}, StateAdjourned},
		{"closed", []council.Payload{council.SessionStarted{}, council.SessionClosed{}}, StateUndecided},
		{
			"decided",
			[]council.Payload{council.SessionStarted{}, council.SessionClosed{Outcome: council.Outcome{Decided: true}}},
			StateDecided,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			check.Is(t, "state", c.want, told(c.log...).State())
		})
	}
}

// Every event that has a price is counted once, for its member and for its kind of ask, suspensions included.
func TestSpendingCountsEveryAnswer(t *testing.T) {
	a := council.Answered{
		Ask:   "p1.r1.t1.turn.ada",
		Usage: council.Usage{Calls: 1, InputTokens: 2, OutputTokens: 3, Model: "m"},
	}
	log := []council.Payload{
		council.PositionSealed{Answered: a}, council.LeaderBallotCast{Answered: a}, council.ContributionMade{Answered: a},
		council.TurnPassed{Answered: a}, council.QuestionPut{Answered: a}, council.QuestionAnswered{Answered: a},
		council.MotionMade{Answered: a}, council.SecondAnswered{Answered: a}, council.AmendmentsAnswered{Answered: a},
		council.BallotCast{Answered: a}, council.RankingCast{Answered: a},
		council.PhaseAssessed{Answered: a}, council.SummaryWritten{Answered: a},
		council.DraftWritten{Answered: a}, council.ReviewGiven{Answered: a}, council.DissentWritten{Answered: a},
		council.MemberFaulted{Answered: a}, council.SessionSuspended{Ask: a.Ask, Usage: a.Usage},
		council.SessionSuspended{Fault: council.Fault{Kind: council.FaultCancelled}},
	}
	s := told(log...)
	r := s.Usage()
	want := Usage{Calls: 18, InputTokens: 36, OutputTokens: 54}
	if r.Total != want || r.Members[0].Usage != want || len(r.Asks) != 1 || r.Asks[0].Usage != want {
		t.Errorf("report %+v, want %+v everywhere", r, want)
	}
	check.Is(t, "reported model", "m", s.Reported("ada"))
	priced := 0
	for _, typ := range council.EventTypes() {
		v := reflect.ValueOf(council.NewPayload(typ)).Elem()
		if v.FieldByName("Usage").IsValid() {
			priced++
		}
	}
	check.Is(t, "types of event have a price, and are counted", len(log)-1, priced)
}

// told folds payloads by ada.
func told(log ...council.Payload) *Minutes {
	s := &Minutes{}
	for i, p := range log {
		s.Take(council.Event{Seq: council.Seq(i + 1), Actor: "ada", Payload: p}, Recorded{At: time.Unix(int64(i), 0)})
	}
	return s
}
