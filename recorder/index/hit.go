package index

import (
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Query describes a search. Nothing that a person types is an operator but quotation marks, which keep words together.
type Query struct {
	Text    string
	Limit   int                 // at most this many hits; 0 means 10
	Kinds   []string            // only these: a [Kind], or the kind of a record or a turn; none means all
	Members []council.MemberID  // only words or memories of these; none means all
	Except  []council.SessionID // not from these sessions
	Without []string            // not the documents with these ids
	Since   time.Time           // only from then on; zero means all

	Unrehearsed bool // not from rehearsals
	AllHits     bool // of [Index.Search]: every hit of a session, not only the best
}

const defaultLimit = 10

// Snippet is the best matching passage of a text: on one line and harmless on a terminal.
type Snippet struct {
	Text  string   `json:"text"`
	Marks [][2]int `json:"marks,omitempty"` // the matches in it: from and to, in bytes, in order
}

// Sizes of a snippet.
const (
	snippetWords = 40
	snippetBytes = 480
)

func newSnippet(passage string) (s Snippet) {
	s.Text, s.Marks = decode(strings.TrimSpace(passage))
	if len(s.Text) > snippetBytes {
		s.Text = hostile.Head(s.Text, snippetBytes)
		s.Marks = slices.DeleteFunc(s.Marks, func(m [2]int) bool { return m[1] > len(s.Text) })
	}
	return s
}

// Match is how well a document answers a query.
type Match string

// The matches, best first.
const (
	MatchPhrase Match = "phrase" // all words, one after the other
	MatchAll    Match = "all"    // all words
	MatchSome   Match = "some"   // the rarer ones of the words
)

// Hit is a document that was found.
type Hit struct {
	Doc
	Match   Match    `json:"match"`
	Lacks   []string `json:"lacks,omitempty"` // of MatchSome: words of the query that the document lacks
	Snippet Snippet  `json:"snippet"`
	Instead *Doc     `json:"instead,omitempty"` // of a superseded record: its successor
	// further hits of the session, after the last one that is shown
	More int `json:"more,omitempty"`
}

// Found is the answer to a query.
type Found struct {
	Hits    []Hit
	Asked   []string // the words, runs and phrases that were looked for
	Nowhere []string // those of them in no document
}

// afterSuccessors moves superseded records after their successors, where both were found.
func afterSuccessors(hits []Hit) []Hit {
	for range hits { // records that supersede each other in a ring must not loop forever
		place := map[string]int{}
		for i, h := range hits {
			place[h.ID] = i
		}
		i := slices.IndexFunc(hits, func(h Hit) bool {
			to, found := place[h.SupersededBy]
			return found && to > place[h.ID]
		})
		if i < 0 {
			break
		}
		old := hits[i]
		to := place[old.SupersededBy]
		hits = slices.Insert(slices.Delete(hits, i, i+1), to, old)
	}
	return hits
}
