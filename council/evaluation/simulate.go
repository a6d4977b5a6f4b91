package evaluation

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
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

// SpreadOf returns the default spread for a mean accuracy, by which accuracies stay within 0.5 and 0.99.
func SpreadOf(accuracy float64) float64 { return max(0, min(0.2, accuracy-0.5, 0.99-accuracy)) }

// Row is the result of one council of simulated members under each policy.
type Row struct {
	Voters
	Theory   float64 `json:"theory"`   // the probability that a majority is right if all wrong answers are the same
	Policies []Ruled `json:"policies"` // all see the same questions
}

// drawn is a question with the answers to it.
type drawn struct {
	answers []answer     // of the members
	samples []answer     // of the first member
	sure    [2][]float64 // how sure the members say they are: as they are right, and whatever they are
}

// Simulate draws the model's questions and lets each policy decide them. The same model gives the same row.
func (m Voters) Simulate() Row {
	return Row{Voters: m, Theory: m.Theory(), Policies: tally(m.policies(), m.draw())}
}

// policies returns one member alone, several samples of it, all members, and the sessions; and votes that are weighed
// by confidence, for which no charter can ask.
func (m Voters) policies() []rule[drawn] {
	r := m.random(1)
	session := func(pace council.Pace, members int) rule[drawn] {
		c := simulatedCharter(pace, members)
		return rule[drawn]{string(pace), m.Sessions, func(d drawn) vote { return m.hold(r, c, d.answers[:members]) }}
	}
	return []rule[drawn]{
		{name: "one", play: func(d drawn) vote { return leaning(d.answers[:1]) }},
		{name: "SC-" + strconv.Itoa(m.Samples), play: func(d drawn) vote { return leaning(d.samples) }},
		{name: "plurality of " + strconv.Itoa(m.Members), play: func(d drawn) vote { return leaning(d.answers) }},
		session(council.PaceAuto, min(m.Members, autoSeats+autoSpares)),
		session(council.PaceThorough, m.Members),
		{name: "weighed, calibrated", play: func(d drawn) vote { return weigh(d.answers, d.sure[0]) }},
		{name: "weighed, uninformative", play: func(d drawn) vote { return weigh(d.answers, d.sure[1]) }},
	}
}

// random returns a source of its own for a stream. Models with the same seed draw the same luck.
func (m Voters) random(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(m.Seed, stream)) }

const closing = 0.83 // mean confidence of models at the close of debates, as measured (arXiv:2505.19184)

// draw yields the model's questions.
func (m Voters) draw() iter.Seq[drawn] {
	return func(yield func(drawn) bool) {
		r := m.random(0)
		for range m.Draws {
			var d drawn
			common, cause := r.Float64() < m.Correlation, r.Float64()
			for i := range m.Members {
				p, luck := m.Accuracy+m.Spread*(2*r.Float64()-1), r.Float64()
				if common {
					luck = cause
				}
				a := m.answer(r, luck < p)
				if d.answers = append(d.answers, a); i == 0 {
					d.samples = m.sample(r, a, p, common)
				}
				d.sure[0] = append(d.sure[0], p)
				d.sure[1] = append(d.sure[1], closing+(1-closing)*(2*r.Float64()-1))
			}
			if !yield(d) {
				return
			}
		}
	}
}

// answer draws an answer.
func (m Voters) answer(r *rand.Rand, right bool) answer {
	switch {
	case right:
		return 0
	case r.Float64() < m.Attractor:
		return 1
	}
	return 2 + answer(r.IntN(len(simulatedOptions)-2))
}

// sample draws the answers of a member that is asked repeatedly, each right with the same probability.
func (m Voters) sample(r *rand.Rand, first answer, p float64, common bool) []answer {
	all := slices.Repeat([]answer{first}, m.Samples)
	if !common && r.Float64() >= m.Repetition {
		for i := range all[1:] {
			all[i+1] = m.answer(r, r.Float64() < p)
		}
	}
	return all
}

// weigh counts answers by how sure their members are; of equals the earliest seat's leads.
func weigh(answers []answer, sure []float64) vote {
	var weights [len(simulatedOptions)]int
	for i, a := range answers {
		weights[a] += Weight(sure[i])
	}
	best := slices.MaxFunc(answers, func(a, b answer) int { return weights[a] - weights[b] })
	return vote{right: best.right(), decides: true, asked: len(answers)}
}

// Theory returns the probability that the majority of the model's members is right if all wrong answers are the same:
// Condorcet's sum where they err independently, one member's accuracy where a common cause decides.
//
// That accuracies are drawn around the mean does not change it: before its accuracy is drawn only the mean of a member
// is known, and over all common causes the spread cancels out.
func (m Voters) Theory() float64 {
	majority := 0.0
	for wrong := range m.Members/2 + 1 {
		majority += math.Exp(choose(m.Members, wrong) + float64(m.Members-wrong)*math.Log(m.Accuracy) +
			float64(wrong)*math.Log1p(-m.Accuracy))
	}
	return (1-m.Correlation)*majority + m.Correlation*m.Accuracy
}

// choose returns the logarithm of n over k.
func choose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Weight returns the weight of a ballot under the optimal rule of Nitzan and Paroush when its voter claims to be right
// with probability p: the log-odds of p in thousandths, where p counts in hundredths from 0.5 to 0.99.
func Weight(p float64) int {
	hundredths := math.Round(100*max(0.5, min(p, 0.99))) / 100
	return int(math.Round(1000 * math.Log(hundredths/(1-hundredths))))
}
