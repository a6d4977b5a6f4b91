package receipt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/render/receipt"
)

// Three of five are for the first motion with 0.6 each, 3 · 405, and two against it with 0.8 each, 2 · 1386: it falls by
// weight alone. The second has the same heads and twice the confidence on their side: it carries by both, and is not
// listed. Positions are e2 to e6, e13 elects, e16 is the first motion, e17 to e21 its ballots, e23 the second.
func TestTheReceiptHoldsHeadsAgainstWeight(t *testing.T) {
	c := charter()
	c.Phases[0].Governance.Weighting = council.WeightingConfidence
	votes := map[council.MemberID]string{"ada": "YES", "bob": "YES", "cyn": "YES", "dan": "NO", "eve": "NO"}
	say := opinions(nil, votes)
	motions := 0
	events := hold(t, c, func(a council.Ask) council.Body {
		if a.Kind == council.AskTurn {
			motions++
		}
		b, ok := say(a).(council.Ballot)
		if !ok {
			return say(a)
		}
		sure := 0.6
		if (b.Ballot == council.ChoiceNo) == (motions == 1) {
			sure = 0.8
		}
		b.Confidence = &sure
		return b
	})
	r := receipt.Of(events)
	want := []artifact.Outweighed{{Motion: "p1.r1.t1", Event: "e22", Result: quorum.Lost, ByHeads: quorum.Carried,
		Weights: quorum.Weights{Yes: 1215, No: 2772}, Yes: 3, No: 2}}
	if diff := cmp.Diff(want, r.Outweighed); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	split := &artifact.Split{Yes: 3, No: 2, Weights: &quorum.Weights{Yes: 3 * 1386, No: 810}}
	if diff := cmp.Diff(split, r.Split); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	words := strings.Join(receipt.Words(r, func(m council.MemberID) string { return string(m) }), "\n")
	for _, say := range []string{
		"in e22 a motion fell by weight (1.215 YES, 2.772 NO), and would have carried by heads (3 YES, 2 NO).",
		"3 YES, 2 NO, 0 ABSTAIN, 0 INVALID, 0 ABSENT. By weight, which counted: 4.158 YES, 0.810 NO.",
	} {
		if !strings.Contains(words, say) {
			t.Errorf("%q is not in\n%s", say, words)
		}
	}
	if line := receipt.Line(r); !strings.Contains(line, "; 1 vote went by weight against the heads") {
		t.Error(line)
	}
}
