package story

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// Ruling is a ruling on the execution brief as artifacts have it; nil for nil.
func (s *Story) Ruling(r *council.ExecutionRuling) *artifact.HandoffRuling {
	if r == nil {
		return nil
	}
	return &artifact.HandoffRuling{
		By: r.By, At: wire.Stamp(s.ruled[r.Seq]), Event: r.Seq.ID(), Note: r.Note, InAdvance: r.InAdvance,
	}
}
