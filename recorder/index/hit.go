package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/index/terms"
)

// What makes a document worth telling members of a new session.
const (
	maxRare      = 8   // telling words that are asked for
	passageWords = 100 // the words stand that close together
	goodShare    = 0.5 // of the weight of the topic's words, where a rare word weighs more than a common one
	wordShare    = 0.4 // of their number
	fewWords     = 2   // telling words at least, or one if the topic has no other
	newWord      = 0.5 // what a word that nobody has said yet weighs of one that one document has
)

// telling returns how many documents may have a word that tells what a text is about: one in fifty; of few documents
// more, for a session that speaks of something says its word again and again.
func telling(size float64) float64 { return max(size/50, min(200, size/5), 3) }

// Recollect looks for what was said before about a topic: at most council.MaxRecollections documents, each from another
// session, best first; usually none. Good enough is a passage of a hundred words that holds two fifths of the topic's
// words and half of their weight, two words among them that tell what a text is about. Records that are superseded are
// not told, nor is what the query leaves out.
func (ix *Index) Recollect(ctx context.Context, topic string, q Query) ([]Hit, error) {
	s, err := ix.look(ctx, q, terms.Plain(topic), func(word string) string { return word })
	var hits []Hit
	if err == nil {
		hits, err = s.recollect(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot search the index: %w", ix.damage(err))
	}
	return hits, nil
}

func (s *search) recollect(ctx context.Context) ([]Hit, error) {
	total := 0.0
	tells := make([]bool, len(s.units))
	ofThem := 0
	var rare []sought // telling ones that some document has
	for i, u := range s.units {
		if u.docs == 0 {
			total += newWord * s.weight(u)
		} else {
			total += s.weight(u)
		}
		if tells[i] = float64(u.docs) <= telling(s.size); !tells[i] {
			continue
		}
		if ofThem++; u.docs > 0 {
			rare = append(rare, u)
		}
	}
	needed := min(fewWords, ofThem)
	if needed == 0 || len(rare) < needed {
		return nil, nil
	}
	slices.SortStableFunc(rare, func(a, b sought) int { return cmp.Compare(a.docs, b.docs) })
	var any []string
	for _, u := range rare[:min(len(rare), maxRare)] {
		any = append(any, u.Match())
	}
	docs, err := s.page(ctx, strings.Join(any, " OR "), best, 0, math.MaxInt64, 0)
	if err != nil {
		return nil, err
	}
	var all []Hit
	for _, d := range docs {
		h, has := s.judge(d, passageWords)
		words, told := 0.0, 0
		for i := range has {
			if has[i] {
				words++
			}
			if has[i] && tells[i] {
				told++
			}
		}
		h.Match = MatchSome
		if h.weight >= goodShare*total && words >= wordShare*float64(len(has)) && told >= needed && !h.Superseded() {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, compare)
	var hits []Hit
	told := map[string]bool{}
	for _, h := range all {
		if of := cmp.Or(string(h.Session), h.ID); len(hits) < council.MaxRecollections && !told[of] {
			told[of] = true
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// weight returns how much it says that a document has a unit: the rarer, the more.
func (s *search) weight(u sought) float64 { return math.Log(1 + (s.size+1)/(float64(u.docs)+0.5)) }

// withinShare is what a word within a longer one weighs of the word by itself.
const withinShare = 0.75

// judge weighs the best passage of a document, of so many tokens, and says which units are in it.
func (s *search) judge(d stored, width int) (h Hit, has []bool) {
	all := slices.Collect(terms.Of(d.searched()))
	type place struct{ at, unit int }
	var places []place
	worth := make([]float64, len(s.units))
	h = Hit{Doc: d.Doc, Match: MatchAll, n: d.n}
	for i, u := range s.units {
		within := true
		for _, at := range u.In(all, u.longer) {
			places = append(places, place{at, i})
			within = within && u.longer[all[at].Term]
		}
		if worth[i] = s.weight(u); within {
			worth[i] *= withinShare
			h.Match = MatchParts
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	// A window that moves over the places counts how often each unit stands in it.
	count := make([]int, len(s.units))
	has = make([]bool, len(s.units))
	weight, from := 0.0, 0
	for _, p := range places {
		for p.at-places[from].at >= width {
			if u := places[from].unit; count[u] == 1 {
				weight -= worth[u]
			}
			count[places[from].unit]--
			from++
		}
		if count[p.unit]++; count[p.unit] == 1 {
			weight += worth[p.unit]
		}
		if weight > h.weight+1e-9 {
			h.weight = weight
			for i, n := range count {
				has[i] = n > 0
			}
		}
	}
	for i, u := range s.units {
		if !has[i] {
			h.Lacks, h.Match = append(h.Lacks, u.Shown), MatchSome
		}
	}
	quoted := len(s.units) == 1 && s.units[0].Quoted && len(s.units[0].Terms) > 1
	if h.Match == MatchAll && (quoted || len(s.phrase.Terms) > 0 && len(s.phrase.In(all, nil)) > 0) {
		h.Match = MatchPhrase
	}
	return h, has
}

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

// last orders what is so after what is not.
func last(is bool) int {
	if is {
		return 1
	}
	return 0
}

// compare orders hits: what has all words first, decisions before others, what is superseded last, the newest first.
func compare(a, b Hit) int {
	byWeight := 0 // only of hits with some of the words
	if a.Match == MatchSome && b.Match == MatchSome {
		byWeight = cmp.Compare(b.weight, a.weight)
	}
	return cmp.Or(
		cmp.Compare(last(a.Match == MatchSome), last(b.Match == MatchSome)),
		byWeight,
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
