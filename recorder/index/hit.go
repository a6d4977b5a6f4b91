package index

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
)

// Match says how well a document answers a query.
type Match string

// The matches, best first.
const (
	MatchPhrase Match = "phrase" // all words, one after the other
	MatchAll    Match = "all"    // all words
	MatchParts  Match = "parts"  // all words, some of them within longer ones
	MatchSome   Match = "some"   // the rarer ones of the words
)

// Hit is a document that was found.
type Hit struct {
	Doc
	Match   Match    `json:"match"`
	Lacks   []string `json:"lacks,omitempty"` // of MatchSome: words of the query that are not in it
	Snippet Snippet  `json:"snippet"`
	Instead *Doc     `json:"instead,omitempty"` // of a superseded record: the one in its place
	// further hits of the session that were seen, after its last one that is shown
	More int `json:"more,omitempty"`

	n      int64
	weight float64 // how much of the query is in it, for MatchSome
}

// Found is the answer to a query.
type Found struct {
	Hits    []Hit
	Asked   []string // the words, runs and phrases that were looked for
	Nowhere []string // those of them that stand in no document, nor within a longer word
}

// perSession is how many hits of one session are shown: a session that speaks of nothing else must not hide the others.
const perSession = 3

var kindOrder = map[Kind]int{KindRecord: 0, KindEpisode: 1, KindTurn: 2}

// compare orders hits of one match: what is superseded last, else newest first.
func compare(a, b Hit) int {
	last := func(h Hit) int {
		if h.Superseded() {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(b.weight, a.weight),
		cmp.Compare(last(a), last(b)),
		b.At.Compare(a.At),
		cmp.Compare(kindOrder[a.Kind], kindOrder[b.Kind]),
		cmp.Compare(a.ID, b.ID),
	)
}

// crowd keeps count of the hits of each session.
type crowd struct {
	shown map[council.SessionID]int
	more  map[council.SessionID]int
}

// admit reports whether a hit may be shown.
func (c *crowd) admit(h Hit) bool {
	if h.Session == "" {
		return true
	}
	if c.shown[h.Session] >= perSession {
		c.more[h.Session]++
		return false
	}
	c.shown[h.Session]++
	return true
}

// distinct returns how many of hits would be shown.
func (c *crowd) distinct(hits []Hit) int {
	n := 0
	counts := map[council.SessionID]int{}
	for _, h := range hits {
		if h.Session == "" || c.shown[h.Session]+counts[h.Session] < perSession {
			counts[h.Session]++
			n++
		}
	}
	return n
}

// afterSuccessors moves superseded records behind the ones in their place, where both were found.
func afterSuccessors(hits []Hit) []Hit {
	for range hits { // records that supersede each other in a ring must not keep us
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
