package quorum

import (
	"fmt"
	"math"
)

// Weights are what the ballots of each side weigh together, in thousandths of log-odds.
type Weights struct {
	Yes int `json:"yes"`
	No  int `json:"no"`
}

// Of is the denominator: the weight of all who said YES or NO.
func (w Weights) Of() int { return w.Yes + w.No }

// String says it in words: "2.197 YES, 0.810 NO".
func (w Weights) String() string { return Decimal(w.Yes) + " YES, " + Decimal(w.No) + " NO" }

// Decimal writes a weight as people count it: 2197 is "2.197".
func Decimal(weight int) string { return fmt.Sprintf("%d.%03d", weight/1000, weight%1000) }

// Weigh says whether the weights carry. Heads make the quorum, and the weights of YES and NO the verdict: a tie fails,
// and so does a vote in which no YES weighs anything. AbstainCountsAsNo has no meaning here, because an abstention
// weighs nothing; a charter that sets it opens no session.
func (r Rule) Weigh(c Count, w Weights) Result { return r.verdict(c, w.Yes, w.No, w.Of()) }

// logOdds are ln(p/(1-p)) in thousandths, rounded, for p of 50 to 99 hundredths. A table, so that every machine counts
// the same: logarithms differ in their last digit from one to another.
var logOdds = [50]int{
	0, 40, 80, 120, 160, 201, 241, 282, 323, 364,
	405, 447, 490, 532, 575, 619, 663, 708, 754, 800,
	847, 895, 944, 995, 1046, 1099, 1153, 1208, 1266, 1325,
	1386, 1450, 1516, 1586, 1658, 1735, 1815, 1901, 1992, 2091,
	2197, 2314, 2442, 2587, 2752, 2944, 3178, 3476, 3892, 4595,
}

// Weight is what a voter counts under the optimal rule of Nitzan and Paroush, who is right with the given probability and
// errs independently of others: its log-odds in thousandths. The probability counts in whole hundredths; one below a half
// weighs nothing, and one above 0.99, or none that can be read, as 0.99 and as nothing.
func Weight(probability float64) int {
	if !(probability > 0.5) {
		return 0
	}
	return logOdds[int(math.Round(min(probability, 0.99)*100))-50]
}
