package minutes

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// Baseline is what a vote on the sealed positions would have come to at once.
type Baseline struct {
	Event  string `json:"event"`
	Answer string `json:"answer,omitempty"` // empty: none would have carried
	Votes  int    `json:"votes"`            // for the answer, or for the one that came nearest
	Of     int    `json:"of"`
}

// atOnce puts a baseline in words: those of the charter's options, or of the first position that names the answer.
func (m *Minutes) atOnce(e council.Event, p council.Baseline) *Baseline {
	b := &Baseline{Event: e.Seq.ID(), Votes: p.Count.Yes, Of: p.Count.Valid()}
	if p.Held == nil {
		b.Answer = council.Chosen(m.Started.Charter.OpeningOptions(), &p.Choice)
	}
	for _, sealed := range m.Heard {
		position, ok := sealed.Payload.(council.PositionSealed)
		if ok && p.Held != nil && p.Result == quorum.Carried && sealed.Actor == p.Held[p.Choice.Winner][0] {
			b.Answer = position.Stance
		}
	}
	return b
}
