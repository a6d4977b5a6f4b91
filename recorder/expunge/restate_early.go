package expunge

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// restateStances gives forgotten stances words that agree or differ as those did that were forgotten. The rules compare
// stances, and POSITIONS_OPENED has on record what came of it.
func restateStances(entries []wire.Entry, events []council.Event) {
	agreed, common := false, wire.Mark
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			if p.Stance != "" && !strings.Contains(p.Stance, wire.Mark) {
				common = p.Stance
			}
		case council.PositionsOpened:
			agreed = p.Agreed
		}
	}
	for i, e := range entries {
		p, ok := e.Payload.(council.PositionSealed)
		if !ok || !e.Forgotten || !strings.Contains(p.Stance, wire.Mark) {
			continue
		}
		p.Stance = common
		if !agreed {
			p.Stance = wire.Mark + " " + e.ID
		}
		events[i].Payload = p
	}
}

// restateCites makes forgotten turns cite what they were the first to cite: that is on record, and the rules read it
// from the words.
func restateCites(entries []wire.Entry, events []council.Event) {
	again := func(text string, cites []string) string {
		for _, c := range cites {
			text += " [" + c + "]"
		}
		return text
	}
	for i, e := range entries {
		if !e.Forgotten {
			continue
		}
		switch p := e.Payload.(type) {
		case council.ContributionMade:
			p.Message = again(p.Message, p.Cites)
			events[i].Payload = p
		case council.TurnPassed:
			p.Reason = again(p.Reason, p.Cites)
			events[i].Payload = p
		}
	}
}
