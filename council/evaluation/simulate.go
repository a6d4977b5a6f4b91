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

// MaxSpread is the largest spread used where nobody names one; it shrinks so that accuracies stay within 0.5 and 0.99.
const MaxSpread = 0.2

// SpreadOf returns the spread for a mean accuracy where nobody names one.
func SpreadOf(accuracy float64) float64 {
	return max(0, min(MaxSpread, accuracy-0.5, 0.99-accuracy))
}

// Shares say how often each rule found the right answer, from 0 to 1. All rules saw the same draws.
type Shares struct {
	Single    float64 `json:"single"`    // the first member alone
	Protocol  float64 `json:"protocol"`  // the vote on a motion under the protocol's default: one member, one vote
	Plurality float64 `json:"plurality"` // the answer with the most votes, a tie going to the earlier seat
	Optimal   float64 `json:"optimal"`   // votes weighted by the log-odds of the true accuracies

	// The vote if each ballot weighed the log-odds of what its voter says of its confidence. No charter can ask for it.
	Calibrated    float64 `json:"calibrated"`    // which is their accuracy
	Inflated      float64 `json:"inflated"`      // which is above it by the same for all
	Uneven        float64 `json:"uneven"`        // which is above it by twice that, for every second voter by chance
	Misled        float64 `json:"misled"`        // which is above it by twice that for those whom a common cause misleads
	Uninformative float64 `json:"uninformative"` // which says nothing of it
}

// What the literature measured of models that debate: mean confidence at the opening and at the close of debates
// (arXiv:2505.19184).
const (
	OpeningConfidence = 0.729
	ClosingConfidence = 0.83
)

// Simulate draws the model's questions and lets each rule decide them. The same model gives the same shares.
func (m Voters) Simulate() Shares {
	r := rand.New(rand.NewPCG(m.Seed, m.stream()))
	rule := quorum.Rule{Members: m.Members, Threshold: "0.5", CountOf: quorum.Members}
	var hits tally
	v := make([]voter, m.Members)
	for range m.Draws {
		truth := r.Uint64()&1 == 0
		m.draw(r, v, truth)
		hits.count(v, truth, rule)
	}
	return hits.shares(m.Draws)
}

// stream keeps the draws of one model apart from those of another with the same seed.
func (m Voters) stream() uint64 {
	h := uint64(m.Members)
	for _, f := range [...]float64{m.Accuracy, m.Spread, m.Correlation} {
		h = h*0x9e3779b97f4a7c15 + math.Float64bits(f)
	}
	return h
}

// voter is one voter before one question.
type voter struct {
	accuracy float64
	yes      bool
	claims   [claims]float64 // what it says of its confidence, by scenario
}

// The scenarios of confidence.
const (
	calibrated = iota
	inflated
	uneven
	misled
	uninformative
	claims
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
		v[i].accuracy, v[i].yes = p, right == truth
		v[i].claims[calibrated] = p
		v[i].claims[inflated] = raise(p, 1)
		v[i].claims[uneven] = p
		if r.Uint64()&1 == 0 {
			v[i].claims[uneven] = raise(p, 2)
		}
		v[i].claims[misled] = p
		if common && !right {
			v[i].claims[misled] = raise(p, 2)
		}
		v[i].claims[uninformative] = ClosingConfidence + (1-ClosingConfidence)*(2*r.Float64()-1)
	}
}

// tally counts right decisions by rule.
type tally struct {
	single, protocol, plurality, optimal int
	claims                               [claims]int
}

func (t *tally) count(v []voter, truth bool, rule quorum.Rule) {
	var c quorum.Count
	var best float64
	var leads [claims]int // weight of YES over that of NO
	for i := range v {
		if v[i].yes {
			c.Yes++
			best += logit(v[i].accuracy)
		} else {
			c.No++
			best -= logit(v[i].accuracy)
		}
		for k, claim := range v[i].claims {
			if v[i].yes {
				leads[k] += Weight(claim)
			} else {
				leads[k] -= Weight(claim)
			}
		}
	}
	carried := rule.Decide(c) == quorum.Carried
	most := c.Yes > c.No || c.Yes == c.No && v[0].yes
	add(&t.single, v[0].yes == truth)
	add(&t.protocol, carried == truth)
	add(&t.plurality, most == truth)
	add(&t.optimal, best > 0 == truth)
	for k, lead := range leads {
		add(&t.claims[k], (lead > 0) == truth)
	}
}

func add(n *int, right bool) {
	if right {
		*n++
	}
}

func (t *tally) shares(draws int) Shares {
	of := func(n int) float64 { return float64(n) / float64(draws) }
	return Shares{
		Single: of(t.single), Protocol: of(t.protocol), Plurality: of(t.plurality), Optimal: of(t.optimal),
		Calibrated: of(t.claims[calibrated]), Inflated: of(t.claims[inflated]),
		Uneven: of(t.claims[uneven]), Misled: of(t.claims[misled]), Uninformative: of(t.claims[uninformative]),
	}
}
