package rehearsal

// stance is what a member would answer to the topic.
type stance int

const (
	wait stance = iota
	trial
	goAhead
)

// takeStances spreads the members between caution and getting on with it, by what they care about and by the topic.
func (k *cast) takeStances(topic string) {
	lean := make([]float64, len(k.seats))
	mean := 0.0
	for s, p := range k.seats {
		sum := 0.0
		for i, w := range p.weights {
			lean[s] += w * k.themes[i].lean
			sum += w
		}
		lean[s] = lean[s]/max(sum, 0.5) + 0.2*p.temper + 0.2*chance(string(p.ID), topic, "stance")
		mean += lean[s] / float64(len(k.seats))
	}
	// The topic tilts the whole council a little: some questions find a bolder one than others.
	tilt := 0.15 * (chance(topic, "tilt") - 0.3)
	for s := range k.seats {
		switch d := lean[s] - mean + tilt; {
		case d > 0.08:
			k.seats[s].stance = goAhead
		case d > -0.2:
			k.seats[s].stance = trial
		default:
			k.seats[s].stance = wait
		}
	}
}
