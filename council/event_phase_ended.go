package council

// PhaseEnded records what a phase produced, checked against the record, and where the session goes.
//
// Protocol: 38 to 46.
type PhaseEnded struct {
	Phase       PhaseID    `json:"phase"`
	Reason      DebateEnd  `json:"reason"`
	Resolutions []MotionID `json:"resolutions,omitempty"` // the motions carried in this visit that stand, in order

	// The charter's words for a phase without a resolution.
	Fallback string `json:"fallback,omitempty" text:"charter"`

	// Without an assessment all that the charter requires is missing.
	Assessed     bool      `json:"assessed"`
	Deliverables []Finding `json:"deliverables,omitempty"`
	QualityGates []Finding `json:"qualityGates,omitempty"`

	// What the charter requires and the record does not show, in this order and these words: `deliverable <id>`, for each
	// required one; `quality gate: <the gate's words>`, for each; `citations: <n> of <minCitations>`, where `<n>` is how
	// many different citations of what exists the whole assessment has; `explicit assumptions`; `risk register`.
	Missing  []string `json:"missing,omitempty" text:"required"`
	BadCites []string `json:"badCites,omitempty" text:"cited"` // citations of what does not exist

	Next        PhaseID `json:"next,omitempty"`        // absent: the session goes to its closing
	Via         Trigger `json:"via,omitempty"`         // of the transition taken
	ViaFallback bool    `json:"viaFallback,omitempty"` // the fallback led to `next`

	// The reason of the transition, or with `viaFallback` the resolution of the fallback.
	NextReason string `json:"nextReason,omitempty" text:"charter"`

	// A next phase was due and the transitions were used up; the four fields before are then absent.
	LimitReached bool `json:"limitReached,omitempty"`
}

// Row implements [Payload].
func (PhaseEnded) Row() Row { return Row{Type: "PHASE_ENDED", Consequence: true} }

// Finding is a claim of the leader's assessment after its citations were checked.
type Finding struct {
	ID        string        `json:"id" text:"required"`
	Status    FindingStatus `json:"status"`
	Required  bool          `json:"required,omitempty"`
	Citations []string      `json:"citations,omitempty" text:"id"` // those that exist
}

// FindingStatus is COMPLETE or MISSING. There is nothing between: what is not shown is missing.
type FindingStatus string

// The statuses of a finding.
const (
	FindingComplete FindingStatus = "COMPLETE"
	FindingMissing  FindingStatus = "MISSING"
)
