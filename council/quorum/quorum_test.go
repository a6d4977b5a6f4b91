package quorum_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// naive decides as a clerk would, ballot by ballot: a twin to compare with. The threshold is num of den.
func naive(r quorum.Rule, box []string, num, den int) quorum.Result {
	if len(box) < r.Members {
		return quorum.Pending
	}
	valid, yes, no, of := 0, 0, 0, 0
	for _, ballot := range box {
		counts := r.CountOf == quorum.Members
		switch ballot {
		case "yes":
			valid, yes, counts = valid+1, yes+1, true
		case "no":
			valid, no, counts = valid+1, no+1, true
		case "abstain":
			valid, counts = valid+1, counts || r.CountOf == quorum.Present
		}
		if counts {
			of++
		}
	}
	required := r.Quorum
	if required == 0 {
		for required*2 <= r.Members {
			required++
		}
	}
	if valid < required {
		return quorum.NoQuorum
	}
	enough := yes*den >= of*num
	if 2*num == den {
		enough = yes*2 > of
	}
	if enough && yes > no {
		return quorum.Carried
	}
	return quorum.Lost
}

func tally(box []string) (c quorum.Count) {
	for _, ballot := range box {
		*map[string]*int{"yes": &c.Yes, "no": &c.No, "abstain": &c.Abstain, "invalid": &c.Invalid,
			"absent": &c.Absent}[ballot]++
	}
	return c
}

func TestQuorum_DecideAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.IntRange(3, 12).Draw(t, "members")
		den := rapid.SampledFrom([]int{2, 3, 4, 5, 7, 10_000}).Draw(t, "den")
		num := rapid.IntRange(1, den).Draw(t, "num")
		share := fmt.Sprintf("%d/%d", num, den)
		if den == 10_000 {
			share = strconv.FormatFloat(float64(num)/10_000, 'f', -1, 64)
		}
		rule := quorum.Rule{
			Members: members, Quorum: rapid.IntRange(0, members).Draw(t, "quorum"), Threshold: quorum.Share(share),
			CountOf: rapid.SampledFrom([]quorum.CountOf{quorum.Members, quorum.Present, quorum.Cast}).Draw(t, "countOf"),
		}
		var box []string
		for range rapid.IntRange(members-1, members).Draw(t, "heard") {
			box = append(box,
				rapid.SampledFrom([]string{"yes", "yes", "yes", "no", "abstain", "invalid", "absent"}).Draw(t, "ballot"))
		}
		c := tally(box)
		if got, want := rule.Decide(c), naive(rule, box, num, den); got != want {
			t.Fatalf("%+v of %+v is %s, not %s", c, rule, got, want)
		}
		swapped := c
		swapped.Yes, swapped.No = c.No, c.Yes
		if rule.Decide(c) == quorum.Carried && rule.Decide(swapped) == quorum.Carried {
			t.Fatalf("%+v carries, and so does its opposite", c)
		}
	})
}

func TestQuorum_SharesMeanExactlyWhatTheySay(t *testing.T) {
	for _, test := range []struct {
		threshold  quorum.Share
		of, needed int
	}{
		{"0.5", 3, 2}, {"0.5", 4, 3}, {"0.5", 0, 1}, {"0.5", 1, 1}, {"1/2", 4, 3}, {"2/4", 4, 3},
		{"0.7", 10, 7}, // 0.7*10 is a little more than 7 in floats
		{"0.6", 5, 3}, {"0.07", 100, 7}, {"0.29", 100, 29}, {"0.57", 100, 57},
		{"0.6667", 9, 7}, {"0.666", 9, 6}, {"0.75", 4, 3}, {"0.75", 5, 4},
		{"1", 9, 9}, {"3/3", 9, 9}, {"0.0001", 3, 1}, {"0.9", 0, 1},
		{"2/3", 3, 2}, {"0.67", 3, 3}, {"2/3", 9, 6}, {"2/3", 10, 7}, {"3/4", 4, 3}, {"3/4", 5, 4}, {"1/3", 3, 1},
		{"333/1000", 3, 1},
		{"", 3, 4}, {"4/3", 3, 4}, {"1/0", 3, 4}, {"0/3", 3, 4}, {"1e-999999999", 3, 4}, {"NaN", 3, 4}, // nothing carries
	} {
		got := quorum.Rule{Threshold: test.threshold}.Needed(test.of)
		check.Is(t, fmt.Sprint(test.threshold, " of ", test.of), test.needed, got)
	}
}

func TestQuorum_AShareIsANumberOrAFractionInJSON(t *testing.T) {
	for doc, want := range map[string]quorum.Share{
		`0.5`: "0.5", `0.50`: "0.5", `5e-1`: "0.5", `1.0`: "1", `"2/3"`: "2/3", `"10/15"`: "10/15", `0.6667`: "0.6667",
	} {
		var s quorum.Share
		if err := json.Unmarshal([]byte(doc), &s); err != nil || s != want || !s.Valid() {
			t.Errorf("%s is read as %q, valid %t: %v", doc, s, s.Valid(), err)
		}
		again, _ := json.Marshal(s)
		var twice quorum.Share
		err := json.Unmarshal(again, &twice)
		check.That(t, err == nil && twice == s, "%s is written as %s, and read as %q: %v", doc, again, twice, err)
	}
	for _, doc := range []string{`"0.5"`, `"half"`, `""`, `null`, `true`, `[2,3]`, `{"of":3}`} {
		var s quorum.Share
		if err := s.UnmarshalJSON([]byte(doc)); err == nil && s.Valid() {
			t.Errorf("%s is read as %q", doc, s)
		}
	}
	for _, s := range []quorum.Share{"0", "-1", "1.5", "3/2", "0/3", "2/0", "-2/3", "2 / 3", "2/3/4", ".5", "0.50",
		"00001/3", "99999/99999", "Infinity"} {
		check.Is(t, s, false, s.Valid())
	}
}

func TestQuorum_ARuleSaysHowManyVotesItNeeds(t *testing.T) {
	for want, rule := range map[string]quorum.Rule{
		"2 YES of 3 members": {Members: 3, Threshold: "2/3", CountOf: quorum.Members},
		"YES on at least 2/3 of the valid ballots (2 of 3 when all vote)": {Members: 3, Threshold: "2/3",
			CountOf: quorum.Present},
		"YES on more than half of the valid ballots (3 of 5 when all vote)": {Members: 5, Threshold: "0.5",
			CountOf: quorum.Present},
		"YES on at least 67 % of the YES and NO ballots (3 of 3 when all take a side)": {Members: 3, Threshold: "0.67",
			CountOf: quorum.Cast},
		"YES on all of the valid ballots (3 of 3 when all vote)": {Members: 3, Threshold: "3/3", CountOf: quorum.Present},
		"more YES than NO": {Members: 3, Threshold: "1/2", CountOf: quorum.Cast},
		"YES on at least 1/3 of the valid ballots (1 of 3 when all vote), and more YES than NO": {Members: 3,
			Threshold: "1/3", CountOf: quorum.Present},
		"50 YES of 100 members, and more YES than NO": {Members: 100, Threshold: "0.495", CountOf: quorum.Members},
		"51 YES of 100 members":                       {Members: 100, Threshold: "0.505", CountOf: quorum.Members},
	} {
		check.Is(t, "it", want, rule.Words())
	}
}

// TestTruthTable shows every count of three members under the default quorum at one half and at two thirds, for
// reading: the results where the denominator is all members, those present, and those who cast YES or NO.
func TestTruthTable(t *testing.T) {
	var b strings.Builder
	for yes := range 4 {
		for no := range 4 - yes {
			for abstain := range 4 - yes - no {
				c := quorum.Count{Yes: yes, No: no, Abstain: abstain, Absent: 3 - yes - no - abstain}
				fmt.Fprintf(&b, "%d yes %d no %d abstain %d absent:", yes, no, abstain, c.Absent)
				for _, share := range []quorum.Share{"0.5", "2/3"} {
					for _, of := range []quorum.CountOf{quorum.Members, quorum.Present, quorum.Cast} {
						rule := quorum.Rule{Members: 3, Threshold: share, CountOf: of}
						fmt.Fprintf(&b, " %s", rule.Decide(c))
					}
					b.WriteString(map[quorum.Share]string{"0.5": " |", "2/3": "\n"}[share])
				}
			}
		}
	}
	const want = `0 yes 0 no 0 abstain 3 absent: NO_QUORUM NO_QUORUM NO_QUORUM | NO_QUORUM NO_QUORUM NO_QUORUM
0 yes 0 no 1 abstain 2 absent: NO_QUORUM NO_QUORUM NO_QUORUM | NO_QUORUM NO_QUORUM NO_QUORUM
0 yes 0 no 2 abstain 1 absent: LOST LOST LOST | LOST LOST LOST
0 yes 0 no 3 abstain 0 absent: LOST LOST LOST | LOST LOST LOST
0 yes 1 no 0 abstain 2 absent: NO_QUORUM NO_QUORUM NO_QUORUM | NO_QUORUM NO_QUORUM NO_QUORUM
0 yes 1 no 1 abstain 1 absent: LOST LOST LOST | LOST LOST LOST
0 yes 1 no 2 abstain 0 absent: LOST LOST LOST | LOST LOST LOST
0 yes 2 no 0 abstain 1 absent: LOST LOST LOST | LOST LOST LOST
0 yes 2 no 1 abstain 0 absent: LOST LOST LOST | LOST LOST LOST
0 yes 3 no 0 abstain 0 absent: LOST LOST LOST | LOST LOST LOST
1 yes 0 no 0 abstain 2 absent: NO_QUORUM NO_QUORUM NO_QUORUM | NO_QUORUM NO_QUORUM NO_QUORUM
1 yes 0 no 1 abstain 1 absent: LOST LOST CARRIED | LOST LOST CARRIED
1 yes 0 no 2 abstain 0 absent: LOST LOST CARRIED | LOST LOST CARRIED
1 yes 1 no 0 abstain 1 absent: LOST LOST LOST | LOST LOST LOST
1 yes 1 no 1 abstain 0 absent: LOST LOST LOST | LOST LOST LOST
1 yes 2 no 0 abstain 0 absent: LOST LOST LOST | LOST LOST LOST
2 yes 0 no 0 abstain 1 absent: CARRIED CARRIED CARRIED | CARRIED CARRIED CARRIED
2 yes 0 no 1 abstain 0 absent: CARRIED CARRIED CARRIED | CARRIED CARRIED CARRIED
2 yes 1 no 0 abstain 0 absent: CARRIED CARRIED CARRIED | CARRIED CARRIED CARRIED
3 yes 0 no 0 abstain 0 absent: CARRIED CARRIED CARRIED | CARRIED CARRIED CARRIED
`
	check.Is(t, "got", want, b.String())
}
