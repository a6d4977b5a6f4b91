package artifact

import "github.com/council-engine/council/council"

// CutOf says how many secrets, or hidden characters, of a kind were in what one member replied, or looked up.
type CutOf struct {
	Member council.MemberID `json:"member"`
	Kind   string           `json:"kind"`
	Count  int              `json:"count"`
}

// CutKind says how many of a kind there were in what the council was given, in what its members replied, and in
// what they looked up.
type CutKind struct {
	Kind    string `json:"kind"`
	Given   int    `json:"given"`
	Replies int    `json:"replies"`
	Lookups int    `json:"lookups,omitempty"`
}

// Lookups says how often one member called tools, and what came back.
type Lookups struct {
	Member council.MemberID `json:"member"`
	Calls  int              `json:"calls"`
	Failed int              `json:"failed"` // calls that came to nothing
	Bytes  int              `json:"bytes"`  // that the member was told, also of why a call failed
}
