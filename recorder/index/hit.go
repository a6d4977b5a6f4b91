package index

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/index/terms"
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

var (
	kindOrder  = map[Kind]int{KindRecord: 0, KindEpisode: 1, KindTurn: 2}
	matchOrder = map[Match]int{MatchPhrase: 0, MatchAll: 1, MatchParts: 2, MatchSome: 3}
)

// partial returns the weight by which hits with some of the words are ordered.
func (h Hit) partial() float64 {
	if h.Match == MatchSome {
		return h.weight
	}
	return 0
}

// last orders what is so after what is not.
func last(is bool) int {
	if is {
		return 1
	}
	return 0
}

// compare orders hits: what has all words first, decisions before others, what is superseded last, the newest first.
func compare(a, b Hit) int {
	return cmp.Or(
		cmp.Compare(last(a.Match == MatchSome), last(b.Match == MatchSome)),
		cmp.Compare(b.partial(), a.partial()),
		cmp.Compare(last(a.Superseded()), last(b.Superseded())),
		cmp.Compare(last(a.What != Decision), last(b.What != Decision)),
		cmp.Compare(matchOrder[a.Match], matchOrder[b.Match]),
		b.At.Compare(a.At),
		cmp.Compare(kindOrder[a.Kind], kindOrder[b.Kind]),
		cmp.Compare(a.ID, b.ID),
	)
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

// Snippet is the passage of a text that shows best why it was found: on one line and harmless on a terminal.
type Snippet struct {
	Text  string   `json:"text"`
	Marks [][2]int `json:"marks,omitempty"` // where what was looked for stands in it: from and to, in bytes, in order
}

// Sizes of a snippet, in bytes.
const (
	snippetSize = 240
	snippetLead = 60 // of what is before the first mark
)

// maxScanned bounds how much of a text is made harmless to find the passage.
const maxScanned = 256 << 10

func snippet(text string, units []sought) Snippet {
	line := hostile.Line(hostile.Terminal(hostile.Head(text, maxScanned)))
	all := slices.Collect(terms.Of(line))
	marks := marksOf(all, units)
	if len(line) <= snippetSize {
		return Snippet{Text: line, Marks: spans(marks, 0, len(line))}
	}
	from, to := passage(line, all, marks)
	s := Snippet{Text: line[from:to], Marks: spans(marks, from, to)}
	s.Text = strings.TrimRight(s.Text, " ")
	if to < len(line) {
		s.Text += " …"
	}
	if from > 0 {
		const lead = "… "
		s.Text = lead + s.Text
		for i := range s.Marks {
			s.Marks[i][0] += len(lead)
			s.Marks[i][1] += len(lead)
		}
	}
	return s
}

// found is where a unit stands in a line, in bytes.
type found struct{ from, to, unit int }

func marksOf(all []terms.Token, units []sought) []found {
	var marks []found
	for i, u := range units {
		for _, at := range u.In(all, u.longer) {
			first, last := all[at], all[at+len(u.Terms)-1]
			end := last.End
			if u.Prefix && last.Solid && !last.Last { // one character of the two
				end = last.Start + len(u.Terms[len(u.Terms)-1])
			}
			marks = append(marks, found{first.Start, end, i})
		}
	}
	slices.SortFunc(marks, func(a, b found) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return marks
}

// passage returns the stretch in which most of the units stand, the first of the best, cut between tokens.
func passage(line string, all []terms.Token, marks []found) (from, to int) {
	most := 0
	for i, m := range marks {
		units := map[int]bool{}
		for _, n := range marks[i:] {
			if n.to > m.from+snippetSize-snippetLead {
				break
			}
			units[n.unit] = true
		}
		if len(units) > most {
			most, from = len(units), m.from
		}
	}
	lead := from - snippetLead
	start, end := len(line), 0
	for _, t := range all {
		if t.Start >= lead && start == len(line) {
			start = t.Start
		}
		if t.End <= start+snippetSize {
			end = max(end, t.End)
		}
	}
	if lead <= 0 {
		start = 0
	}
	if end <= start { // one word that is longer than a snippet, or no word at all
		part := hostile.Head(line[start:], snippetSize)
		return start, start + len(part)
	}
	return start, end
}

// spans returns the marks within a passage, joined where they touch.
func spans(marks []found, from, to int) [][2]int {
	var all [][2]int
	for _, m := range marks {
		if m.from < from || m.to > to {
			continue
		}
		span := [2]int{m.from - from, m.to - from}
		if n := len(all); n > 0 && span[0] <= all[n-1][1] {
			all[n-1][1] = max(all[n-1][1], span[1])
			continue
		}
		all = append(all, span)
	}
	return all
}
