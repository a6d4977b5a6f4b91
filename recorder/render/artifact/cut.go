package artifact

import "github.com/council-engine/council/council"

// CutOf says how many secrets, or hidden characters, of a kind were in what one member replied.
type CutOf struct {
	Member council.MemberID `json:"member"`
	Kind   string           `json:"kind"`
	Count  int              `json:"count"`
}

// CutKind says how many of a kind there were in what the council was given, and in what its members replied.
type CutKind struct {
	Kind    string `json:"kind"`
	Given   int    `json:"given"`
	Replies int    `json:"replies"`
}
