package expunge

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// nameReplies names the replies whose words a named event repeats, and the events that repeat words of a named reply.
func (p *Plan) nameReplies() {
	for more := len(p.named) > 0; more; {
		more = false
		for _, e := range p.entries {
			for _, from := range repeated(p.entries, e) {
				if p.named[e.Seq] != p.named[from] {
					p.named[e.Seq], p.named[from], more = true, true, true
				}
			}
		}
	}
}

// repeated lists the replies that an event repeats: of a dissent the last reasons of its author too.
func repeated(entries []wire.Entry, e wire.Entry) (from []council.Seq) {
	if e.Repeats() == 0 {
		return nil
	}
	if _, dissent := e.Payload.(council.DissentWritten); dissent {
		for _, earlier := range slices.Backward(entries[:e.Seq-1]) {
			b, ranked := earlier.Payload.(council.RankingCast)
			_, position := earlier.Payload.(council.PositionSealed)
			if earlier.Actor == e.Actor && (ranked && b.From == 0 || position) {
				from = append(from, earlier.Seq)
				break
			}
		}
	}
	return append(from, e.Repeats())
}

// joined returns the two reasons that a dissent repeats: on the choice and on the draft; "" unless it has both.
func joined(entries []wire.Entry, e wire.Entry, text string) (onChoice, onDraft string) {
	d, _ := e.Payload.(council.DissentWritten)
	if d.From == 0 || d.From >= e.Seq || text != d.Dissent.Dissent {
		return "", ""
	}
	if b, ok := entries[d.From-1].Payload.(council.BallotCast); ok && b.Rationale != "" {
		if before, found := strings.CutSuffix(text, "\n\n"+b.Rationale); found {
			return before, b.Rationale
		}
	}
	return "", ""
}
