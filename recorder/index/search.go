package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of the work for one query, in rows and not in time: the same query has the same answer on any machine.
const (
	commonDocs     = 5_000  // a word in more documents is common
	newestDocs     = 20_000 // common words are searched in the newest documents only
	enoughSessions = 3      // sessions with all the words: with fewer, those with some of them are shown too
	bestDocs       = 3      // documents of a session that count for its rank
)

// Search runs a query. Sessions that have all the words in one document come first, among them those that have them as
// a phrase; then the order is by the sum of the three best ranks (bm25) of a session's documents. Superseded records
// come last. If fewer than three sessions have all the words, those with some of them follow. A session has one hit:
// its best document, or its decision if that has a third of the best one's rank. Words in more than 5,000 documents do
// not count beside rarer ones; a query of such words alone, without kinds or members, searches the 20,000 newest
// documents.
//
// A query without a word, such as "?!", finds nothing.
func (ix *Index) Search(ctx context.Context, q Query) (found Found, err error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	s := &search{q: q}
	s.units, s.phrase = readQuery(q.Text)
	err = ix.answer(ctx, s, func() { found = s.search() })
	return found, err
}

// answer runs a search in one transaction.
func (ix *Index) answer(ctx context.Context, s *search, do func()) error {
	err := ix.read(ctx, func(t *tx) {
		s.tx = t
		s.count()
		do()
	})
	if err != nil {
		return fmt.Errorf("cannot search the index: %w", err)
	}
	return nil
}

type search struct {
	*tx
	q      Query
	units  []unit
	phrase string  // all words in their order; "" for a single one, and for very many
	size   float64 // the number of documents, about
}

// count counts the documents with each unit. A word in no document becomes a prefix.
func (s *search) count() {
	s.size, _ = one(s.tx, column[float64], `SELECT coalesce(max(n), 0) FROM docs`)
	for i := 0; i < len(s.units) && s.err == nil; i++ {
		u := &s.units[i]
		counted, _ := one(s.tx, func(r row, c *struct{ docs, lowest int64 }) error {
			return r.Scan(&c.docs, &c.lowest)
		}, `SELECT count(*), coalesce(min(rowid), 0) FROM
			(SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)`, u.match, commonDocs+1)
		switch u.docs = int(counted.docs); {
		case u.docs > commonDocs:
			u.docs = max(u.docs, int(commonDocs*s.size/max(1, s.size-float64(counted.lowest)+1)))
		case u.docs == 0 && u.isWhole:
			u.match, u.isWhole = u.match+" *", false
			i-- // count it again
		}
	}
}

type match struct {
	n, session int64
	signs      int64
	rank       float64 // how well it matches: the more, the better
	level      level
}

// The signs of a match.
const (
	isDecision = 1 << iota
	isSuperseded
)

// level orders matches before their ranks do.
type level int

const (
	someWords level = iota
	allWords
	inOrder // all words, one after the other
)

// matches lists the wanted documents after a number that match a query of FTS5, the best first, and of equal ones the
// newest. Without ranked the ranks are 0.
func (s *search) matches(query string, after int64, ranked bool) []match {
	rank, where, args := `0.0`, `w.words MATCH ? AND w.rowid > ?`, []any{query, after}
	if ranked {
		rank = `-bm25(words)`
	}
	for _, c := range []struct {
		asked  bool
		clause string
		value  any
	}{
		{len(s.q.Except) > 0, `d.session NOT IN (SELECT n FROM origins
			WHERE id IN (SELECT value FROM json_each(?)))`, s.q.Except},
		{len(s.q.Without) > 0, `iif(d.local > '/', '', (SELECT id FROM origins WHERE n = d.session)) || d.local
			NOT IN (SELECT value FROM json_each(?))`, s.q.Without},
		{len(s.q.Kinds) > 0, `EXISTS (SELECT 1 FROM json_each(?) WHERE value IN (d.kind, d.what))`, s.q.Kinds},
		{len(s.q.Members) > 0, `d.member IN (SELECT value FROM json_each(?))`, s.q.Members},
		{!s.q.Since.IsZero(), `d.at >= ?`, s.q.Since.UnixMilli()},
		{s.q.Unrehearsed, `d.rehearsed = ?`, 0},
	} {
		if c.asked {
			where, args = where+` AND `+c.clause, append(args, s.json(c.value))
		}
	}
	return slices.SortedFunc(each(s.tx, func(r row, m *match) error { return r.Scan(&m.n, &m.session, &m.signs, &m.rank) },
		`SELECT d.n, d.session, (d.what = 'decision') + 2 * (d.instead <> '' OR d.status = 'superseded'), `+rank+`
		FROM words w CROSS JOIN docs d ON d.n = w.rowid WHERE `+where, args...),
		func(a, b match) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.n, a.n)) })
}

// matchesAmong returns those of some documents that match a query of FTS5.
func (s *search) matchesAmong(query string, docs []int64) map[int64]bool {
	found := map[int64]bool{}
	for n := range each(s.tx, column[int64], `SELECT rowid FROM words
		WHERE words MATCH ? AND rowid IN (SELECT value FROM json_each(?))`, query, s.json(docs)) {
		found[n] = true
	}
	return found
}

// group holds the matches in one session, or one match without a session.
type group struct {
	matches []match // the best first
	level   level
	best    match   // of those of its level
	sum     float64 // of the best ranks
}

// groupBySession returns matches by session, the best session first.
func (s *search) groupBySession(matches []match) []*group {
	var all []*group
	of := map[int64]*group{}
	for _, m := range matches {
		key := m.session
		if key == 0 || s.q.AllHits {
			key = -m.n
		}
		g := of[key]
		if g == nil {
			g = &group{level: m.level, best: m}
			of[key], all = g, append(all, g)
		}
		if g.matches = append(g.matches, m); len(g.matches) <= bestDocs {
			g.sum += m.rank
		}
		if m.level > g.level || m.level == g.level && m.signs&isSuperseded < g.best.signs&isSuperseded {
			g.level, g.best = m.level, m
		}
	}
	slices.SortStableFunc(all, func(a, b *group) int {
		return cmp.Or(
			cmp.Compare(min(b.level, allWords), min(a.level, allWords)),
			cmp.Compare(a.best.signs&isSuperseded, b.best.signs&isSuperseded),
			cmp.Compare(b.level, a.level),
			cmp.Compare(b.sum, a.sum),
			cmp.Compare(b.best.n, a.best.n),
		)
	})
	return all
}

func (s *search) search() (found Found) {
	var known, rare []string
	for _, u := range s.units {
		found.Asked = append(found.Asked, u.shown)
		if u.docs == 0 {
			found.Nowhere = append(found.Nowhere, u.shown)
			continue
		}
		known = append(known, u.match)
		if u.docs <= commonDocs {
			rare = append(rare, u.match)
		}
	}
	if len(known) == 0 {
		return found
	}
	ranked, after := strings.Join(rare, " OR "), int64(0)
	if len(rare) == 0 {
		ranked = strings.Join(known, " OR ")
		if len(s.q.Kinds)+len(s.q.Members) == 0 {
			after = int64(s.size) - newestDocs
		}
	}
	complete := false
	levels := map[int64]level{}
	if len(s.units) > 1 && len(found.Nowhere) == 0 {
		every := strings.Join(known, " AND ")
		for of, query := range []string{allWords: every, inOrder: s.phrase} {
			if query == "" {
				continue
			}
			all := s.matches(query, after, false)
			for _, m := range all {
				levels[m.n] = level(of)
			}
			complete = complete || len(s.groupBySession(all)) >= min(enoughSessions, s.q.Limit)
		}
		if complete && len(rare) == 0 {
			ranked = every
		}
	}
	matches := s.matches(ranked, after, true)
	for i, m := range matches {
		switch {
		case len(s.units) > 1:
			matches[i].level = levels[m.n]
		case s.phrase == known[0]:
			matches[i].level = inOrder
		default:
			matches[i].level = allWords
		}
	}
	found.Hits = s.hits(s.groupBySession(matches), complete, strings.Join(known, " OR "))
	return found
}

// hits returns the hits of the first groups; if complete, only of those with all words.
func (s *search) hits(groups []*group, complete bool, query string) []Hit {
	var hits []Hit
	for _, g := range groups {
		if len(hits) == s.q.Limit || complete && g.level == someWords {
			break
		}
		shown, more := g.best, -1
		for _, m := range g.matches {
			if m.level >= min(g.level, allWords) {
				more++
			}
		}
		i := slices.IndexFunc(g.matches, func(m match) bool { return m.signs == isDecision })
		if i >= 0 && g.matches[i].rank >= g.best.rank/3 {
			if shown = g.matches[i]; shown.level < min(g.level, allWords) {
				more++
			}
		}
		h := s.readHit(shown.n, query)
		h.Match, h.More = []Match{MatchSome, MatchAll, MatchPhrase}[g.level], more
		hits = append(hits, h)
	}
	s.addLacking(hits)
	return afterSuccessors(hits)
}

func (s *search) readHit(n int64, query string) (h Hit) {
	h.Doc, _ = one(s.tx, scanDoc, selectDocs+`WHERE d.n = ?`, n)
	passage, _ := one(s.tx, column[string], `SELECT snippet(words, 0, ?, ?, ' … ', ?) FROM words
		WHERE words MATCH ? AND rowid = ?`, markFrom, markTo, snippetWords, query, n)
	h.Snippet = newSnippet(passage)
	if h.SupersededBy != "" {
		instead, found := one(s.tx, scanDoc, selectDocs+`WHERE d.local = ? AND d.kind = 'record'`, h.SupersededBy)
		if found {
			h.Instead = &instead
		}
	}
	return h
}

// addLacking adds to the hits with some of the words those that they lack.
func (s *search) addLacking(hits []Hit) {
	var docs []int64
	for _, h := range hits {
		if h.Match == MatchSome {
			docs = append(docs, h.n)
		}
	}
	for _, u := range s.units {
		var has map[int64]bool
		if u.docs > 0 && len(docs) > 0 {
			has = s.matchesAmong(u.match, docs)
		}
		for i, h := range hits {
			if h.Match == MatchSome && !has[h.n] {
				hits[i].Lacks = append(hits[i].Lacks, u.shown)
			}
		}
	}
}
