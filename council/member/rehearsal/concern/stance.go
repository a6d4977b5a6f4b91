package concern

// Stance is what a member would answer to the topic.
type Stance int

// The stances, from the most careful to the least.
const (
	Wait Stance = iota
	Trial
	GoAhead
)

// String is the stance in words, as the wording names it.
func (s Stance) String() string { return [...]string{"wait", "trial", "go ahead"}[s] }

// takeStances spreads the members between caution and getting on with it, by what they care about and by the topic.
func (k *Cast) takeStances(topic string) {
	lean := make([]float64, len(k.Players))
	mean := 0.0
	for s, p := range k.Players {
		sum := 0.0
		for i, w := range p.Weights {
			lean[s] += w * k.Themes[i].Lean
			sum += w
		}
		lean[s] = lean[s]/max(sum, 0.5) + 0.2*p.Temper + 0.2*Chance(string(p.ID), topic, "stance")
		mean += lean[s] / float64(len(k.Players))
	}
	// The topic tilts the whole council a little: some questions find a bolder one than others.
	tilt := 0.15 * (Chance(topic, "tilt") - 0.3)
	for s := range k.Players {
		switch d := lean[s] - mean + tilt; {
		case d > 0.08:
			k.Players[s].Stance = GoAhead
		case d > -0.2:
			k.Players[s].Stance = Trial
		default:
			k.Players[s].Stance = Wait
		}
	}
}
