package index

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/index/terms"
)

// Bounds of the work for one query. They count rows, not time: the same query has the same answer on any machine.
const (
	pageSize    = 200    // matches that are read at once, newest first
	maxPages    = 10     // of them, for one kind of match
	maxFollowed = 3      // of them, of a rare word and those it stands within
	enough      = 3      // hits with all the words: with fewer, those with some are looked for too
	sample      = 256    // newest matches from which it is told how rare a word is
	commonWord  = 60_000 // documents that have it: whether such words stand side by side is not asked of FTS5
	rareWord    = 5_000  // documents that have it: such words are looked for one by one
	maxRare     = 8      // of them
	maxLonger   = 24     // longer words that are tried in place of one that is rarer than the sample
)

// Search looks for a query, best match first: all words one after the other, then all words, then all words with some
// within longer ones, then, if fewer than three had all, the rarer ones of them. Within each what is superseded comes
// last and the newest first. Words that nearly everything has are looked for in the newest matches only.
//
// A query without a word, such as "?!", finds nothing and asks for nothing.
func (ix *Index) Search(ctx context.Context, q Query) (Found, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	s, err := ix.look(ctx, q, terms.Read(q.Text))
	if err == nil {
		err = s.all(ctx)
	}
	if err != nil {
		return Found{}, fmt.Errorf("cannot search the index: %w", ix.damage(err))
	}
	found := Found{}
	for _, u := range s.units {
		found.Asked = append(found.Asked, u.Shown)
		if u.nowhere() {
			found.Nowhere = append(found.Nowhere, u.Shown)
		}
	}
	found.Hits, err = s.finish(ctx)
	if err != nil {
		return Found{}, fmt.Errorf("cannot search the index: %w", ix.damage(err))
	}
	return found, nil
}

// search is one query on its way.
type search struct {
	ix     *Index
	q      Query
	units  []sought
	phrase terms.Unit     // without terms if there is none
	known  map[string]int // how many documents have a term, about
	size   float64        // how many documents there are, about
	filter string         // what every match must have besides
	hits   []Hit
	seen   map[int64]bool
	crowd  crowd
}

// sought is a unit with what is known of it.
type sought struct {
	terms.Unit
	docs   int      // how many documents have it, about
	after  int64    // where the newest matches begin, if it is a phrase of common words: only those are looked through
	longer []string // terms it stands within
}

// look finds out how rare the words of a query are.
func (ix *Index) look(ctx context.Context, q Query, w terms.Query) (*search, error) {
	s := &search{ix: ix, q: q, seen: map[int64]bool{}, known: map[string]int{}, filter: q.filter()}
	s.crowd.shown, s.crowd.more = map[council.SessionID]int{}, map[council.SessionID]int{}
	if err := ix.db.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM docs`).Scan(&s.size); err != nil {
		return nil, err
	}
	for _, u := range w.Units {
		one, err := s.weigh(ctx, u)
		if err != nil {
			return nil, err
		}
		s.units = append(s.units, one)
	}
	s.phrase = w.Phrase
	return s, nil
}

// filter returns the choice of kinds and members as FTS5 reads it.
func (q Query) filter() string {
	var b strings.Builder
	group := func(terms []string) {
		if len(terms) > 0 {
			b.WriteString(` AND ("` + strings.Join(terms, `" OR "`) + `")`)
		}
	}
	var kinds, members []string
	for _, k := range q.Kinds {
		if slices.Contains(Kinds(), k) { // what is none cannot be in the index; nor may it be taken for an operator
			kinds = append(kinds, kindTerm(k))
		} else {
			kinds = append(kinds, kindTerm("none"))
		}
	}
	for _, m := range q.Members {
		members = append(members, memberTerm(m))
	}
	group(kinds)
	group(members)
	return b.String()
}

// weigh finds out how many documents have a unit.
func (s *search) weigh(ctx context.Context, u terms.Unit) (sought, error) {
	one, err := s.rarest(ctx, u)
	if err == nil && (u.Prefix || len(u.Terms) > 1 && one.docs <= commonWord && one.docs > 0) {
		one.docs, err = s.count(ctx, u.Match())
	}
	return one, err
}

// rarest finds out how many documents have the rarest word of a unit.
func (s *search) rarest(ctx context.Context, u terms.Unit) (sought, error) {
	one := sought{Unit: u, docs: math.MaxInt}
	for i, term := range u.Terms {
		n, ok := s.known[term]
		if u.Prefix && i == len(u.Terms)-1 && len(u.Terms) > 1 {
			continue // more documents may have terms that begin with it than have it
		}
		if !ok {
			var err error
			if n, err = s.count(ctx, `"`+term+`"`); err != nil {
				return one, err
			}
			s.known[term] = n
		}
		one.docs = min(one.docs, n)
	}
	if len(u.Terms) > 1 && one.docs > commonWord {
		one.after = int64(s.size - commonWord*s.size/float64(one.docs))
	}
	return one, nil
}

// count returns how many documents match: exactly if they are few, else from how close together the newest of them are.
func (s *search) count(ctx context.Context, match string) (int, error) {
	var n int
	var lowest float64
	err := s.ix.db.QueryRowContext(ctx, `SELECT count(*), coalesce(min(rowid), 0) FROM
		(SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)`, match, sample).Scan(&n, &lowest)
	if err != nil || n < sample {
		return n, err
	}
	return int(sample * s.size / max(1, s.size-lowest+1)), nil
}

// nowhere reports whether no document has the unit.
func (u sought) nowhere() bool { return u.docs == 0 && len(u.longer) == 0 }

// group returns the match of a unit or of a word it stands within.
func (u sought) group() string {
	if len(u.longer) == 0 {
		return "(" + u.Match() + ")"
	}
	return "(" + u.Match() + ` OR "` + strings.Join(u.longer, `" OR "`) + `")`
}

// all goes from the best match to the least, until there are enough.
func (s *search) all(ctx context.Context) error {
	if len(s.units) == 0 {
		return nil
	}
	lead, nowhere := 0, false
	for i := range s.units {
		u := &s.units[i]
		if u.Whole() && u.docs < sample {
			var err error
			if u.longer, err = s.ix.longer(ctx, u.Terms[0]); err != nil {
				return err
			}
		}
		nowhere = nowhere || u.nowhere()
		if u.docs < s.units[lead].docs {
			lead = i
		}
	}
	var err error
	switch {
	case nowhere: // nothing has all of them
	case s.units[lead].docs < sample:
		err = s.follow(ctx, s.units[lead])
	default:
		err = s.every(ctx)
	}
	if err != nil {
		return err
	}
	if len(s.hits) < min(enough, s.q.Limit) && len(s.units) > 1 {
		return s.some(ctx)
	}
	return nil
}

// every looks for what has all units: one after the other, then anywhere, then some within longer words.
func (s *search) every(ctx context.Context) error {
	if len(s.phrase.Terms) > 0 {
		phrase, err := s.rarest(ctx, s.phrase)
		if err == nil && phrase.docs > 0 {
			err = s.gather(ctx, MatchPhrase, phrase.Match(), phrase.after)
		}
		if err != nil {
			return err
		}
	}
	var every, parts []string
	after, longer := int64(0), false
	for _, u := range s.units {
		every, parts = append(every, u.Match()), append(parts, u.group())
		after, longer = max(after, u.after), longer || len(u.longer) > 0
	}
	err := s.gather(ctx, s.best(), strings.Join(every, " AND "), after)
	if err == nil && longer {
		err = s.gather(ctx, MatchParts, strings.Join(parts, " AND "), 0)
	}
	return err
}

// follow reads the documents that have a rare unit, newest first, and looks in them for every other. That is faster
// than to have FTS5 look for all, and enough to tell every kind of match.
func (s *search) follow(ctx context.Context, rare sought) error {
	pools := map[Match][]Hit{}
	before := int64(math.MaxInt64)
	for range maxFollowed {
		hits, last, err := s.page(ctx, rare.group(), 0, before, true)
		if err != nil {
			return err
		}
		for _, h := range hits {
			if h.Match = s.matchOf(h.Text); h.Match != MatchSome {
				pools[h.Match] = append(pools[h.Match], h)
			}
		}
		if before = last; last == 0 {
			break
		}
	}
	for _, m := range []Match{MatchPhrase, MatchAll, MatchParts} {
		for _, h := range pools[m] {
			s.seen[h.n] = true
		}
		s.take(pools[m])
	}
	return nil
}

// matchOf says how well a text matches.
func (s *search) matchOf(text string) Match {
	all := slices.Collect(terms.Of(text))
	if len(s.phrase.Terms) > 0 && len(s.phrase.In(all, false)) > 0 {
		return MatchPhrase
	}
	match := s.best()
	for _, u := range s.units {
		if len(u.In(all, false)) > 0 {
			continue
		}
		if match = MatchParts; len(u.In(all, true)) == 0 {
			return MatchSome
		}
	}
	return match
}

// best returns the match of a document that has every unit.
func (s *search) best() Match {
	if len(s.units) == 1 && s.units[0].Quoted && len(s.units[0].Terms) > 1 {
		return MatchPhrase
	}
	return MatchAll
}
