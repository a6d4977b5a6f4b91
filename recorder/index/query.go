package index

import "github.com/council-engine/council/council"

// Query says what to look for. What a person types needs no care: nothing in it is an operator but quotation marks,
// which keep words together.
type Query struct {
	Text    string
	Limit   int                 // at most this many hits; 0 means 10
	Kinds   []Kind              // only these; none means all
	Members []council.MemberID  // only what these said or remember; none means all
	Except  []council.SessionID // not what comes from these sessions
	Without []string            // not the documents with these ids

	Unrehearsed bool // not what rehearsals left
}

const defaultLimit = 10
