package evaluation

import (
	"math"
	"math/rand/v2"

	"github.com/council-engine/council/council/quorum"
)

// Voters are a council of simulated voters and how often it is drawn.
type Voters struct {
	Members     int     `json:"members"`
	Accuracy    float64 `json:"accuracy"`    // mean probability of being right
	Spread      float64 `json:"spread"`      // how far a voter's lies from the mean at most
	Correlation float64 `json:"correlation"` // share of questions that a common cause decides
	Draws       int     `json:"draws"`
	Seed        uint64  `json:"seed"`
}

const MaxSpread = 0.2 // the default spread; it shrinks so that accuracies stay within 0.5 and 0.99

// SpreadOf returns the default spread for a mean accuracy.
func SpreadOf(accuracy float64) float64 {
	return max(0, min(MaxSpread, accuracy-0.5, 0.99-accuracy))
}

// Shares say how often each rule found the right answer, from 0 to 1. All rules saw the same draws.
type Shares struct {
	Single    float64 `json:"single"`    // the first member alone
	Protocol  float64 `json:"protocol"`  // the vote on a motion under the protocol's default: one member, one vote
	Plurality float64 `json:"plurality"` // the answer with the most votes, a tie going to the earlier seat
	Optimal   float64 `json:"optimal"`   // votes weighted by the log-odds of the true accuracies

	// The vote if each ballot weighed the log-odds of its voter's stated confidence. No charter can ask for it.
	Calibrated    float64 `json:"calibrated"`    // which is their accuracy
	Inflated      float64 `json:"inflated"`      // which is above it by the same for all
	Uneven        float64 `json:"uneven"`        // which is above it by twice that, for every second voter by chance
	Misled        float64 `json:"misled"`        // which is above it by twice that for voters that a common cause misleads
	Uninformative float64 `json:"uninformative"` // which says nothing of it
}

// Measured of models that debate: mean confidence at the opening and at the close of debates (arXiv:2505.19184).
const (
	OpeningConfidence = 0.729
	ClosingConfidence = 0.83
)

// Simulate draws the model's questions and lets each rule decide them. The same model gives the same shares.
func (m Voters) Simulate() Shares {
	r := rand.New(rand.NewPCG(m.Seed, m.stream()))
	rule := quorum.Rule{Members: m.Members, Threshold: "0.5", CountOf: quorum.Members}
	var hits [ways]int
	v := make([]voter, m.Members)
	for range m.Draws {
		truth := r.Uint64()&1 == 0
		m.draw(r, v, truth)
		for way, decided := range decide(v, rule) {
			if decided == truth {
				hits[way]++
			}
		}
	}
	of := func(way int) float64 { return float64(hits[way]) / float64(m.Draws) }
	return Shares{
		Single: of(single), Protocol: of(protocol), Plurality: of(mostVotes), Optimal: of(optimal),
		Calibrated: of(calibrated), Inflated: of(inflated), Uneven: of(uneven), Misled: of(misled),
		Uninformative: of(uninformative),
	}
}

// stream keeps the draws of one model apart from those of another with the same seed.
func (m Voters) stream() uint64 {
	h := uint64(m.Members)
	for _, f := range [...]float64{m.Accuracy, m.Spread, m.Correlation} {
		h = h*0x9e3779b97f4a7c15 + math.Float64bits(f)
	}
	return h
}

type voter struct {
	accuracy float64
	yes      bool
	claims   [ways - calibrated]float64 // stated confidence, by scenario
}

// The ways to decide. Those from calibrated on are the scenarios of confidence.
const (
	single = iota
	protocol
	mostVotes
	optimal
	calibrated
	inflated
	uneven
	misled
	uninformative
	ways
)

func (m Voters) draw(r *rand.Rand, v []voter, truth bool) {
	common, cause := r.Float64() < m.Correlation, r.Float64()
	for i := range v {
		p := m.Accuracy + m.Spread*(2*r.Float64()-1)
		luck := cause
		if own := r.Float64(); !common {
			luck = own
		}
		right := luck < p
		surer, astray := p, p
		if r.Uint64()&1 == 0 {
			surer = raise(p, 2)
		}
		if common && !right {
			astray = raise(p, 2)
		}
		v[i] = voter{p, right == truth, [...]float64{p, raise(p, 1), surer, astray,
			ClosingConfidence + (1-ClosingConfidence)*(2*r.Float64()-1)}}
	}
}

func decide(v []voter, rule quorum.Rule) (decided [ways]bool) {
	var c quorum.Count
	var best float64
	var leads [ways - calibrated]int // weight of YES over that of NO
	for i := range v {
		side := -1
		if v[i].yes {
			c.Yes++
			side = 1
		} else {
			c.No++
		}
		best += float64(side) * logit(v[i].accuracy)
		for k, claim := range v[i].claims {
			leads[k] += side * Weight(claim)
		}
	}
	decided[single] = v[0].yes
	decided[protocol] = rule.Decide(c) == quorum.Carried
	decided[mostVotes] = c.Yes > c.No || c.Yes == c.No && v[0].yes
	decided[optimal] = best > 0
	for k, lead := range leads {
		decided[calibrated+k] = lead > 0
	}
	return decided
}

// Theory returns the probability that the majority of the model's voters is right: Condorcet's sum where they err
// independently, one voter's accuracy where a common cause decides. A tie of an even council is right half the time.
//
// That accuracies are drawn around the mean does not change it: before its accuracy is drawn only the mean of a voter
// is known, and over all common causes the spread cancels out.
func (m Voters) Theory() float64 {
	return (1-m.Correlation)*majority(m.Members, m.Accuracy) + m.Correlation*m.Accuracy
}

// majority returns the probability that more than half of n independent votes, each right with probability p, are
// right.
func majority(n int, p float64) float64 {
	sum := 0.0
	for k := 0; 2*k <= n; k++ { // k are wrong
		term := math.Exp(choose(n, k) + float64(n-k)*math.Log(p) + float64(k)*math.Log1p(-p))
		if 2*k == n {
			term /= 2
		}
		sum += term
	}
	return sum
}

// choose returns the logarithm of n over k.
func choose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// StandardError is that of a share found in so many draws.
func StandardError(share float64, draws int) float64 {
	return math.Sqrt(share * (1 - share) / float64(draws))
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Weight returns the weight of a ballot under the optimal rule of Nitzan and Paroush when its voter claims to be right
// with probability p: the log-odds of p in whole thousandths, where p counts in whole hundredths, as at least 0.5 and
// at most 0.99.
func Weight(p float64) int {
	hundredths := math.Round(100 * max(0.5, min(p, 0.99)))
	return int(math.Round(1000 * logit(hundredths/100)))
}

// step is how far confidence rises from the opening of a debate to its close, as a factor of the odds.
const step = ClosingConfidence / (1 - ClosingConfidence) / (OpeningConfidence / (1 - OpeningConfidence))

// raise inflates a probability by one step or more.
func raise(p float64, steps int) float64 {
	odds := p / (1 - p)
	for range steps {
		odds *= step
	}
	return odds / (1 + odds)
}
