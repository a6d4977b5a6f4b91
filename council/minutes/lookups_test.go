package minutes

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// Members that have tools are counted, in turn order, once a tool was called. A record in which an older version did
// not count shows no lookups, also where a newer one went on with it.
func TestCallsAreCountedWhereTheRecordCountsThem(t *testing.T) {
	charter := council.Charter{
		Members: []council.Member{{ID: "ada", Tools: &council.Tools{}}, {ID: "bob"}, {ID: "cyn", Tools: &council.Tools{}}},
	}
	tally := func(uses ...council.ToolUse) []Lookups {
		return Of([]council.Event{
			{Payload: council.SessionStarted{Charter: charter}},
			{},
			{Actor: "cyn", Payload: council.ContributionMade{Answered: council.Answered{Tools: uses}}},
			{Actor: "cyn", Payload: council.MemberFaulted{Answered: council.Answered{Tools: uses}}},
		}).Lookups()
	}
	for name, test := range map[string]struct {
		uses []council.ToolUse
		want []Lookups
	}{
		"none": {},
		"some": {[]council.ToolUse{{Bytes: 5}, {Bytes: 7, Failed: true}}, []Lookups{{Member: "ada"},
			{Member: "cyn", Calls: 4, Failed: 2, Bytes: 24}}},
		"older":         {[]council.ToolUse{{}}, nil},
		"older in part": {[]council.ToolUse{{Bytes: 5}, {}}, nil},
	} {
		check.Equal(t, name, test.want, tally(test.uses...))
	}
}
