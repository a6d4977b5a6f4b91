package council

// MemberFaulted records that a member gave no usable answer to an ask and none is coming.
//
// Protocol: 28, 64.
type MemberFaulted struct {
	Answered
	Kind AskKind `json:"kind"` // of the ask

	// INVALID where the ask was for a vote (`ballot`, `nominate` or `second`) and the fault is `unparsable` or
	// `truncated`, because the member voted and nothing can be counted; else ABSENT. A `truncated` ballot therefore counts
	// in `invalid` of the count, and makes no quorum.
	Standing Standing `json:"standing"`
	Fault    Fault    `json:"fault"`
}

// Row implements [Payload].
func (p MemberFaulted) Row() Row { return Row{Type: "MEMBER_FAULTED", Answers: p.Kind} }

func (p MemberFaulted) reply() Reply {
	return p.Reply(nil).Failed(p.Fault)
}
