package terminal

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// turn says what somebody who has the floor should know: where the phase stands, what carries, and what would end it.
func turn(v council.View) string {
	words := "It is your turn." + carries(v)
	if v.Phase == nil {
		return words
	}
	rounds := v.Phase.StopConditions.MaxRounds
	where := fmt.Sprintf("Round %d of %d of phase %s, whose goal is: %s\n", v.Round, rounds, Line(string(v.Phase.ID)), Words(v.Phase.Goal))
	switch {
	case v.Round == 1 && v.Turn == 1 && minutes.Of(v.Events).Agreed:
		words += " The sealed positions agree, so you begin as leader: unless you see what speaks against it, move what all of them want." +
			" If every vote is YES, the debate is over."
	case v.Round >= rounds:
		words += " This is the last round of the phase."
	case v.Round > 1 && v.Charter.Deliberation.ContestedOnly:
		words += " A round in which nobody moves a motion, and nobody cites an event or a line for the first time, ends the phase."
	}
	return where + words
}
