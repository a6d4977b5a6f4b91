package council

// DraftDecided gives the result of a vote on a draft, under `documentationReview.governance` of the charter, or without
// it under the governance of the last phase.
//
// Protocol: 50, 54.
type DraftDecided struct {
	DraftRef
	Decision
}

// Row implements [Payload].
func (DraftDecided) Row() Row { return Row{Type: "DRAFT_DECIDED", Consequence: true, Opens: true} }
