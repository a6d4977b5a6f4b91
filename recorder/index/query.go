package index

import (
	"time"

	"github.com/council-engine/council/council"
)

// Query says what to look for. What a person types needs no care: nothing in it is an operator but quotation marks,
// which keep words together.
type Query struct {
	Text    string
	Limit   int                 // at most this many hits; 0 means 10
	Kinds   []string            // only these: a [Kind], or what a record or a turn is; none means all
	Members []council.MemberID  // only what these said or remember; none means all
	Except  []council.SessionID // not what comes from these sessions
	Without []string            // not the documents with these ids
	Since   time.Time           // only what was said from then on; zero means all

	Unrehearsed bool // not what rehearsals left
	AllHits     bool // of [Index.Search]: every hit of a session, not only the one that stands for it
}

const defaultLimit = 10
