package council

import "github.com/council-engine/council/council/quorum"

// Baseline tells what a vote on the sealed positions would have come to at once, without a word of debate: their
// rankings are counted as those of a choice under the governance of the entry phase. Without options the answers are
// the stances that were named, and a position ranks its own above all others.
//
// Protocol: 218, 219.
type Baseline struct {
	// Without options: who named each of the answers, in the order in which they were named first.
	Held [][]MemberID `json:"held,omitempty"`

	Decision
	Choice quorum.Choice `json:"choice"`
}

// Row implements [Payload].
func (Baseline) Row() Row { return Row{Type: "BASELINE", Consequence: true} }
