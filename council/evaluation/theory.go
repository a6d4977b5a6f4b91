package evaluation

import "math"

// Theory returns the probability that the majority of the model's voters is right: Condorcet's sum where they err
// independently, one voter's accuracy where a common cause decides. A tie of an even council is right half the time.
//
// That accuracies are drawn around the mean does not change it: what is not known of a voter before its accuracy is
// drawn is the mean alone, and over all common causes the spread cancels out.
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

// Weight returns what a ballot counts under the optimal rule of Nitzan and Paroush when its voter claims to be right
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
