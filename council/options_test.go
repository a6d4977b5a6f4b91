package council_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// A choice in which no ballot named an answer was told as "NATS leads", because it is the first of the options.
func TestWhyChosen_SaysWhyNothingIsChosen(t *testing.T) {
	options := []string{"NATS", "Kafka"}
	rule := quorum.Rule{Members: 3, Quorum: 1, Threshold: "0.5", CountOf: quorum.Members}
	for _, test := range []struct {
		name    string
		ballots []quorum.Ranking
		want    string
	}{
		{"no ballot", nil, "No valid ballot was cast."},
		{"none of these alone", []quorum.Ranking{{{2}}, {{2}}},
			"Nothing is chosen: no ballot ranks an answer above none of these."},
		{"one of three", []quorum.Ranking{{{0}}, {{2}}, {{2}}},
			"Nothing is chosen: NATS leads, but more ballots rank it below none of these than above."},
	} {
		choice := rule.Choose(len(options), test.ballots)
		check.Is(t, test.name, test.want, council.WhyChosen(options, &choice))
	}
}
