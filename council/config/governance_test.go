package config

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council/quorum"
)

// governed returns a small council with the given governance.
func governed(t *testing.T, governance string) []byte {
	t.Helper()
	return []byte(strings.Replace(string(load(t, "testdata/small.json")), `"goal"`,
		`"governance": `+governance+`, "goal"`, 1))
}

func TestThresholdsAndDenominatorsAsTheyAreWritten(t *testing.T) {
	for governance, want := range map[string]struct {
		share quorum.Share
		of    quorum.CountOf
	}{
		`{}`:                           {"0.5", quorum.Members},
		`{"majorityThreshold": "2/3"}`: {"2/3", quorum.Members},
		`{"majorityThreshold": 0.750, "countOf": "present"}`: {"0.75", quorum.Present},
		`{"majorityThreshold": 1, "countOf": "cast"}`:        {"1", quorum.Cast},
		`{"abstainCountsAsNo": true}`:                        {"0.5", quorum.Members},
		`{"abstainCountsAsNo": false}`:                       {"0.5", quorum.Cast},
		`{"abstainCountsAsNo": false, "countOf": "cast"}`:    {"0.5", quorum.Cast},
		`{"countOf": "members", "abstainCountsAsNo": true}`:  {"0.5", quorum.Members},
	} {
		c, err := Parse(governed(t, governance))
		if err != nil {
			t.Errorf("%s: %v", governance, err)
			continue
		}
		if g := c.Phases[0].Governance; g.MajorityThreshold != want.share || g.CountOf != want.of {
			t.Errorf("%s: got %+v", governance, g)
		}
	}
}

func TestAGovernanceThatContradictsItselfIsRefused(t *testing.T) {
	for governance, want := range map[string]string{
		`{"abstainCountsAsNo": true, "countOf": "present"}`:  `abstainCountsAsNo true means countOf "members", but countOf is "present"`,
		`{"countOf": "members", "abstainCountsAsNo": false}`: `abstainCountsAsNo false means countOf "cast", but countOf is "members"`,
		`{"abstainCountsAsNo": "no"}`:                        "must be true or false, not a text",
		`{"countOf": "everybody"}`:                           `it must be members, present or cast, not "everybody"`,
		`{"countOf": 3}`:                                     "must be a text",
		`{"majorityThreshold": "0.5"}`:                       `a number, or a fraction as text such as "2/3", not a text`,
		`{"majorityThreshold": "3/2"}`:                       `more than 0 and at most 1, a number or a fraction such as "2/3", not "3/2"`,
		`{"majorityThreshold": "2/0"}`:                       "more than 0 and at most 1",
		`{"majorityThreshold": "2 / 3"}`:                     "more than 0 and at most 1",
		`{"majorityThreshold": "half"}`:                      `a number or a fraction such as "2/3", not "half"`,
		`{"majorityThreshold": null}`:                        "not null",
		`{"majorityThreshold": 1e-400}`:                      "more than 0",
		`{"majorityThreshold": true}`:                        "not true",
		`{"weighting": "confidence"}`:                        `there is no field "weighting" here`,
	} {
		if _, err := Parse(governed(t, governance)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", governance, err, want)
		}
	}
}
