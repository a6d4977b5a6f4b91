package evaluation

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/council-engine/council/council"
)

// Voters are a council of simulated members and how often it is drawn. A question has one right answer.
type Voters struct {
	Members     int     `json:"members"`     // odd
	Accuracy    float64 `json:"accuracy"`    // mean probability of being right
	Spread      float64 `json:"spread"`      // how far a member's lies from the mean at most
	Correlation float64 `json:"correlation"` // share of questions that a common cause decides for all members
	Attractor   float64 `json:"attractor"`   // share of wrong answers that are the same one; the others are any of five
	Samples     int     `json:"samples"`     // that the first member gives when it is asked repeatedly
	Repetition  float64 `json:"repetition"`  // share of the other questions on which all its samples are the same
	Conformity  float64 `json:"conformity"`  // probability of taking the answer of most others, once seen
	Correction  float64 `json:"correction"`  // probability of giving up a wrong answer once a right one is seen
	Draws       int     `json:"draws"`
	Sessions    int     `json:"sessions"` // of the questions drawn, the first that are put to whole sessions
	Seed        uint64  `json:"seed"`
}

// String returns the model in the form in which the command takes it.
func (m Voters) String() string {
	return fmt.Sprintf("accuracy=%v,spread=%.2g,correlation=%v,attractor=%v,samples=%d,repetition=%v,conformity=%v,"+
		"correction=%v,members=%d,draws=%d,sessions=%d,seed=%d", m.Accuracy, m.Spread, m.Correlation, m.Attractor, m.Samples,
		m.Repetition, m.Conformity, m.Correction, m.Members, m.Draws, m.Sessions, m.Seed)
}

const MaxSpread = 0.2 // the default spread; it shrinks so that accuracies stay within 0.5 and 0.99

// SpreadOf returns the default spread for a mean accuracy.
func SpreadOf(accuracy float64) float64 {
	return max(0, min(MaxSpread, accuracy-0.5, 0.99-accuracy))
}

// Row is the result of one council of simulated members under each policy.
type Row struct {
	Voters
	Theory   float64 `json:"theory"`   // the probability that a majority is right if all wrong answers are the same
	Error    float64 `json:"error"`    // one standard error of a share near that probability
	Policies []Ruled `json:"policies"` // all see the same questions
}

// Measured of models that debate: mean confidence at the opening and at the close of debates (arXiv:2505.19184).
const (
	OpeningConfidence = 0.729
	ClosingConfidence = 0.83
)

// confidences are the kinds of stated confidence by which votes could be weighed. No charter can ask for it.
var confidences = []string{
	"calibrated",         // it is the accuracy
	"inflated alike",     // it is above it by the same for all
	"inflated by chance", // it is above it by twice that, for every second member
	"surer if misled",    // it is above it by twice that for members that a common cause misleads
	"uninformative",      // it says nothing of it
}

// drawn is a question with the answers to it.
type drawn struct {
	answers []answer    // of the members
	samples []answer    // of the first member
	claims  [][]float64 // stated confidence, by kind, then by member
}

// Simulate draws the model's questions and lets each policy decide them. The same model gives the same row.
func (m Voters) Simulate() Row {
	theory := m.Theory()
	return Row{Voters: m, Theory: theory, Error: StandardError(theory, m.Draws), Policies: tally(m.policies(), m.draw())}
}

// policies returns one member alone, several samples of it, all members, the sessions, and weighed votes.
func (m Voters) policies() []rule[drawn] {
	r := m.random(1)
	all := []rule[drawn]{
		{name: "one", play: func(d drawn) vote { return leaning(d.answers[:1]) }},
		{name: "SC-" + strconv.Itoa(m.Samples), play: func(d drawn) vote { return leaning(d.samples) }},
		{name: "plurality of " + strconv.Itoa(m.Members), play: func(d drawn) vote { return leaning(d.answers) }},
	}
	for _, pace := range []council.Pace{council.PaceAuto, council.PaceThorough} {
		members := m.Members
		if pace == council.PaceAuto {
			members = min(members, autoSeats+autoSpares)
		}
		c := simulatedCharter(pace, members)
		all = append(all, rule[drawn]{string(pace), m.Sessions, func(d drawn) vote {
			return m.hold(r, c, d.answers[:members])
		}})
	}
	for i, kind := range confidences {
		all = append(all, rule[drawn]{name: "weighed, " + kind, play: func(d drawn) vote {
			return weigh(d.answers, d.claims[i])
		}})
	}
	return all
}

// random returns a source of the model, apart from those of another with the same seed.
func (m Voters) random(stream uint64) *rand.Rand {
	h := stream + uint64(m.Members)
	for _, f := range [...]float64{m.Accuracy, m.Spread, m.Correlation, m.Attractor, m.Repetition} {
		h = h*0x9e3779b97f4a7c15 + math.Float64bits(f)
	}
	return rand.New(rand.NewPCG(m.Seed, h))
}

// draw yields the model's questions.
func (m Voters) draw() iter.Seq[drawn] {
	return func(yield func(drawn) bool) {
		r := m.random(0)
		for range m.Draws {
			common, cause := r.Float64() < m.Correlation, r.Float64()
			d := drawn{claims: make([][]float64, len(confidences))}
			for i := range m.Members {
				p := m.Accuracy + m.Spread*(2*r.Float64()-1)
				luck := r.Float64()
				if common {
					luck = cause
				}
				a := m.answer(r, luck < p)
				if d.answers = append(d.answers, a); i == 0 {
					d.samples = m.sample(r, a, p, common)
				}
				surer, astray := p, p
				if r.Uint64()&1 == 0 {
					surer = raise(p, 2)
				}
				if common && a != 0 {
					astray = raise(p, 2)
				}
				empty := ClosingConfidence + (1-ClosingConfidence)*(2*r.Float64()-1)
				for kind, claim := range [...]float64{p, raise(p, 1), surer, astray, empty} {
					d.claims[kind] = append(d.claims[kind], claim)
				}
			}
			if !yield(d) {
				return
			}
		}
	}
}

// answer draws an answer.
func (m Voters) answer(r *rand.Rand, right bool) answer {
	wrong := answer(1) // the one that is common
	if r.Float64() >= m.Attractor {
		wrong += 1 + answer(r.IntN(len(simulatedOptions)-2))
	}
	if right {
		return 0
	}
	return wrong
}

// sample draws what a member answers again, right with the same probability.
func (m Voters) sample(r *rand.Rand, first answer, p float64, common bool) []answer {
	all := []answer{first}
	same := r.Float64() < m.Repetition || common
	for range m.Samples - 1 {
		if a := m.answer(r, r.Float64() < p); same {
			all = append(all, first)
		} else {
			all = append(all, a)
		}
	}
	return all
}

// weigh counts answers by the weight of their members' confidence; of equals the earliest seat's leads.
func weigh(answers []answer, claims []float64) vote {
	var weights [len(simulatedOptions)]int
	for i, a := range answers {
		weights[a] += Weight(claims[i])
	}
	best := answers[0]
	for _, a := range answers {
		if weights[a] > weights[best] {
			best = a
		}
	}
	return vote{right: best.right(), decides: true, asked: len(answers)}
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
