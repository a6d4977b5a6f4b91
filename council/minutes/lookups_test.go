package minutes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/tool"
)

// Members that have tools are counted, in turn order, once a tool was called. A record in which an older version did not
// count is told as that version told it, also where a newer one went on with it.
func TestCallsAreCountedWhereTheRecordCountsThem(t *testing.T) {
	charter := council.Charter{Members: []council.Member{{ID: "ada", Tools: &tool.Settings{}}, {ID: "bob"}, {ID: "cyn", Tools: &tool.Settings{}}}}
	tally := func(uses ...tool.Use) []Lookups {
		return Of([]council.Event{
			{Payload: council.SessionStarted{Charter: charter}},
			{},
			{Actor: "cyn", Payload: council.ContributionMade{Answered: council.Answered{Tools: uses}}},
			{Actor: "cyn", Payload: council.MemberFaulted{Answered: council.Answered{Tools: uses}}},
		}).Lookups()
	}
	for name, test := range map[string]struct {
		uses []tool.Use
		want []Lookups
	}{
		"none":          {},
		"some":          {[]tool.Use{{Bytes: 5}, {Bytes: 7, Failed: true}}, []Lookups{{Member: "ada"}, {Member: "cyn", Calls: 4, Failed: 2, Bytes: 24}}},
		"older":         {[]tool.Use{{}}, nil},
		"older in part": {[]tool.Use{{Bytes: 5}, {}}, nil},
	} {
		if diff := cmp.Diff(test.want, tally(test.uses...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
