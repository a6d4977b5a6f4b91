package minutes

// Agreement is how many seats asked for what was decided, with the models in them.
type Agreement struct {
	For, Of  int      // seats: that asked in their last ballots for the resolution that the fewest asked for, and all
	Models   int      // configured, each once
	Families []string // of these, each once, sorted
	Measured *Trust   // nil: nothing was measured for such a council
}

// Unanimous reports whether every seat asked for what was decided.
func (a *Agreement) Unanimous() bool { return a.For == a.Of }

// Trust is how often three models that answered apart were right on recorded questions.
type Trust struct {
	Questions     string
	Panel         string // the three models
	Agreed, Split string // times in 100, where all agreed, and where two did
}

// The measurements, of which docs/evaluation.md has the source and the ground.
var (
	trustOfFamilies = Trust{"exam questions", "of three families", "87 to 88", "57 to 61"}
	trustOfFamily   = Trust{"exam questions", "of one family", "84", "57"}
	trustUnprompted = Trust{"questions with open answers", "of three families", "95 to 98", "73 to 75"}
)

// Agreement returns the agreement behind the decision. It is nil where nothing is decided, and where a person has
// a seat, a script or the rehearsal, or one model alone.
func (m *Minutes) Agreement() *Agreement {
	charter := &m.Started.Charter
	k := charter.Families(false)
	if m.Outcome == nil || m.Outcome.Rehearsed || len(m.Outcome.Resolutions) == 0 || k.Seats < 2 ||
		k.Seats < len(charter.Members) {
		return nil
	}
	a := &Agreement{For: k.Seats, Of: k.Seats, Models: len(k.Models), Families: k.Families}
	for _, r := range m.Outcome.Resolutions {
		asked := r.Yes
		if on := m.Motion(r.Motion); on != nil && on.Choice != nil && len(on.Ballots) > 0 {
			asked = on.firstChoices().Votes
		}
		a.For = min(a.For, asked)
	}
	switch {
	case len(k.Models) == 1: // nothing was measured for copies
	case k.Alike():
		a.Measured = &trustOfFamily
	case m.Agreed && charter.Options == nil: // before they saw the words of the others
		a.Measured = &trustUnprompted
	default:
		a.Measured = &trustOfFamilies
	}
	return a
}
