package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/index/terms"
)

// Bounds of the work for one query. They count rows, not time: the same query has the same answer on any machine.
const (
	pageSize   = 100    // matches that are read at once
	maxPages   = 20     // of them
	enough     = 3      // sessions with all the words: with fewer, what has some of them is looked for too
	sample     = 256    // newest matches from which it is told how rare a word is
	commonWord = 60_000 // documents that have it: whether such words stand side by side is not asked of FTS5
	rareWords  = 3_000  // documents that all the words have together by which bm25 ranks
	maxLonger  = 24     // longer words that are tried in place of one that is rarer than the sample
)

// Search looks for a query. What has all the words comes first: among it decisions, then what has the words one after
// the other, then the newest; what is superseded comes last. If fewer than three sessions have all, what has the rarer
// words follows, by how much they tell. A session has one hit, in the place of its best: its decision, if that has a
// third of what the best has. Words that nearly everything has are looked for in the newest matches only.
//
// A query without a word, such as "?!", finds nothing and asks for nothing.
func (ix *Index) Search(ctx context.Context, q Query) (Found, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	s, err := ix.look(ctx, q, terms.Read(q.Text), terms.Stem)
	var found Found
	if err == nil {
		found, err = s.search(ctx)
	}
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
}

// sought is a unit with what is known of it.
type sought struct {
	terms.Unit
	docs   int             // how many documents have it, about
	after  int64           // of a phrase of common words: where the newest matches begin, which alone are looked through
	longer map[string]bool // terms it stands within, and its other forms
}

// look finds out how rare the words of a query are, and what other words hold what stem leaves of one.
func (ix *Index) look(ctx context.Context, q Query, w terms.Query, stem func(string) string) (*search, error) {
	s := &search{ix: ix, q: q, known: map[string]int{}, filter: q.filter(), phrase: w.Phrase}
	if err := ix.db.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM docs`).Scan(&s.size); err != nil {
		return nil, err
	}
	for _, u := range w.Units {
		one, err := s.weigh(ctx, u)
		if err == nil && one.after == 0 && (u.Prefix || len(u.Terms) > 1 && one.docs > 0) {
			one.docs, err = s.count(ctx, u.Match())
		}
		if err == nil && u.Whole() && one.docs < sample {
			one.longer, err = ix.longer(ctx, u.Terms[0], stem(u.Terms[0]))
		}
		if err != nil {
			return nil, err
		}
		s.units = append(s.units, one)
	}
	return s, nil
}

// filter returns the choice of kinds and members as FTS5 reads it.
func (q Query) filter() string {
	var kinds, members []string
	for _, k := range q.Kinds {
		kinds = append(kinds, kindTerm(k))
	}
	for _, m := range q.Members {
		members = append(members, memberTerm(m))
	}
	filter := ""
	for _, terms := range [][]string{kinds, members} {
		if len(terms) > 0 {
			filter += ` AND ("` + strings.Join(terms, `" OR "`) + `")`
		}
	}
	return filter
}

// weigh finds out how many documents have the rarest word of a unit.
func (s *search) weigh(ctx context.Context, u terms.Unit) (sought, error) {
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

// longer lists the shortest words, but for one, that hold a part.
func (ix *Index) longer(ctx context.Context, but, part string) (map[string]bool, error) {
	all, err := list(ctx, ix.db, column[string],
		`SELECT t.term FROM (SELECT rowid AS n FROM parts WHERE parts MATCH ? LIMIT 2000) p
		CROSS JOIN terms t ON t.n = p.n WHERE t.term <> ? AND instr(t.term, ?) ORDER BY length(t.term), t.term LIMIT ?`,
		`"`+part+`"`, but, part, maxLonger)
	longer := map[string]bool{}
	for _, term := range all {
		longer[term] = true
	}
	return longer, err
}

// nowhere reports whether no document has the unit.
func (u sought) nowhere() bool { return u.docs == 0 && len(u.longer) == 0 }

// group returns the match of a unit or of a word it stands within.
func (u sought) group() string {
	m := "(" + u.Match()
	for longer := range u.longer {
		m += ` OR "` + longer + `"`
	}
	return m + ")"
}

// search asks FTS5 for what has all the words, and then, if that is little, for the best by the rarer ones.
func (s *search) search(ctx context.Context) (found Found, err error) {
	var known []sought
	for _, u := range s.units {
		found.Asked = append(found.Asked, u.Shown)
		if u.nowhere() {
			found.Nowhere = append(found.Nowhere, u.Shown)
			continue
		}
		known = append(known, u)
	}
	if len(known) == 0 {
		return found, nil
	}
	slices.SortStableFunc(known, func(a, b sought) int { return cmp.Compare(a.docs, b.docs) })
	var every, rare []string
	after, ranked := int64(0), 0
	for _, u := range known {
		if u.docs <= rareWords || known[0].docs >= sample { // beside a rare word, common ones are looked for in the texts
			every, after = append(every, u.group()), max(after, u.after)
		}
		if ranked += u.docs; len(rare) == 0 || ranked <= rareWords {
			rare = append(rare, u.group())
		}
	}
	p := pool{hits: map[int64]Hit{}, sessions: map[string]bool{}, more: map[council.SessionID]int{},
		one: known[0].docs >= sample && !s.q.AllHits}
	if len(s.phrase.Terms) > 0 && len(known) == len(s.units) && known[0].docs >= sample {
		phrase, err := s.weigh(ctx, s.phrase)
		if err == nil && phrase.docs > 0 {
			err = s.gather(ctx, &p, phrase.Match(), newest, phrase.after)
		}
		if err != nil {
			return found, err
		}
	}
	err = s.gather(ctx, &p, strings.Join(every, " AND "), newest, after)
	if err == nil && p.all < min(enough, s.q.Limit) && len(s.units) > 1 {
		order := best
		if known[0].docs > rareWords {
			order = newest
		}
		err = s.gather(ctx, &p, strings.Join(rare, " OR "), order, 0)
	}
	if err == nil {
		found.Hits, err = s.choose(ctx, &p)
	}
	return found, err
}

// Orders in which matches are read.
const (
	newest = `w.rowid DESC`
	best   = `w.rank`
)

// pool holds the hits of a search.
type pool struct {
	hits     map[int64]Hit
	sessions map[string]bool           // and records of no session: whether a hit has all words
	all      int                       // how many of those have
	one      bool                      // of a session that has such a hit, only decisions are looked at besides
	more     map[council.SessionID]int // its others
}

// gather adds documents after a number that match, until there are enough.
func (s *search) gather(ctx context.Context, p *pool, match, order string, after int64) error {
	before, skip := int64(math.MaxInt64), 0
	for range maxPages {
		docs, err := s.page(ctx, match, order, after, before, skip)
		if err != nil {
			return err
		}
		for _, d := range docs {
			if _, seen := p.hits[d.n]; seen {
				continue
			}
			key := cmp.Or(string(d.Session), d.ID)
			if p.one && p.sessions[key] && d.What != Decision {
				p.hits[d.n], p.more[d.Session] = Hit{}, p.more[d.Session]+1
				continue
			}
			h, _ := s.judge(d, math.MaxInt)
			if h.Match != MatchSome && !p.sessions[key] {
				p.all++
			}
			p.hits[d.n], p.sessions[key] = h, p.sessions[key] || h.Match != MatchSome
		}
		if len(docs) < pageSize || len(p.sessions) >= s.q.Limit {
			break
		}
		if order == newest {
			before = docs[pageSize-1].n
		} else {
			skip += pageSize
		}
	}
	return nil
}

// page reads matches between two numbers in an order, without those that are not wanted.
func (s *search) page(ctx context.Context, match, order string, after, before int64, skip int) ([]stored, error) {
	except, _ := json.Marshal(s.q.Except)
	without, _ := json.Marshal(s.q.Without)
	return list(ctx, s.ix.db, scanDoc, `SELECT `+docColumns+`
		FROM words w CROSS JOIN docs d ON d.n = w.rowid `+withOrigin+`
		WHERE w.words MATCH ? AND w.rowid > ? AND w.rowid < ? AND d.at >= ? AND d.rehearsed <= ?
		AND coalesce(s.id, '') NOT IN (SELECT value FROM json_each(nullif(?, 'null')))
		AND iif(d.local > '/', '', s.id) || d.local NOT IN (SELECT value FROM json_each(nullif(?, 'null')))
		ORDER BY `+order+` LIMIT ? OFFSET ?`, "("+match+")"+s.filter, after, before, s.q.Since.UnixMilli(),
		!s.q.Unrehearsed, string(except), string(without), pageSize, skip)
}

// choose puts the best of a pool in order, and completes what is shown of them.
func (s *search) choose(ctx context.Context, p *pool) ([]Hit, error) {
	most := 0.0
	var all, hits []Hit
	for _, h := range p.hits {
		all, most = append(all, h), max(most, h.weight)
	}
	slices.SortFunc(all, compare)
	place := map[council.SessionID]int{}
	for _, h := range all {
		if h.weight == 0 || h.Match == MatchSome && h.weight < most/2 {
			continue
		}
		at, had := place[h.Session]
		switch {
		case had && h.Session != "" && !s.q.AllHits:
			hits[at].More++
		case len(hits) < s.q.Limit:
			place[h.Session] = len(hits)
			h.More = p.more[h.Session]
			hits = append(hits, h)
		}
	}
	for i, h := range hits {
		if err := s.decided(ctx, &hits[i], h); err != nil {
			return nil, err
		}
	}
	return s.finish(ctx, afterSuccessors(hits))
}

// decided puts a session's decision in the place of its best hit.
func (s *search) decided(ctx context.Context, at *Hit, h Hit) error {
	if h.Session == "" || h.What == Decision || s.q.AllHits || s.filter != "" {
		return nil
	}
	docs, err := list(ctx, s.ix.db, scanDoc, selectDocs+`WHERE d.session = (SELECT n FROM origins WHERE id = ?)
		AND d.local > '/' AND d.what = 'decision' AND d.at >= ?`, string(h.Session), s.q.Since.UnixMilli())
	for _, d := range docs {
		if one, _ := s.judge(d, math.MaxInt); !d.Superseded() && one.weight >= h.weight/3 &&
			(at.What != Decision || one.weight > at.weight) {
			one.Match, one.More = h.Match, h.More+1
			*at = one
		}
	}
	return err
}

// finish completes what is shown of hits.
func (s *search) finish(ctx context.Context, hits []Hit) ([]Hit, error) {
	for i := range hits {
		h := &hits[i]
		h.Snippet = snippet(h.Text, s.units)
		if h.SupersededBy == "" {
			continue
		}
		successor, err := scanDoc(s.ix.db.QueryRowContext(ctx, selectDocs+`WHERE d.local = ? AND d.kind = 'record'`,
			h.SupersededBy))
		if err == nil {
			h.Instead = &successor.Doc
		} else if !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
	}
	return hits, nil
}
