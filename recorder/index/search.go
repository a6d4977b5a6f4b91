package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
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
	return find(ctx, ix, s, s.search)
}

// find runs a search in one transaction.
func find[T any](ctx context.Context, ix *Index, s *search, do func(context.Context) (T, error)) (found T, err error) {
	tx, err := ix.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		defer tx.Rollback()
		s.tx = tx
		if err = s.count(ctx); err == nil {
			found, err = do(ctx)
		}
	}
	if err != nil {
		err = fmt.Errorf("cannot search the index: %w", ix.damage(err))
	}
	return found, err
}

type search struct {
	tx     *sql.Tx
	q      Query
	units  []unit
	phrase string  // all words in their order; "" for a single one, and for very many
	size   float64 // the number of documents, about
}

// count counts the documents with each unit. A word in no document becomes a prefix.
func (s *search) count(ctx context.Context) error {
	err := s.tx.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM docs`).Scan(&s.size)
	for i := 0; i < len(s.units) && err == nil; i++ {
		u, lowest := &s.units[i], 0.0
		err = s.tx.QueryRowContext(ctx, `SELECT count(*), coalesce(min(rowid), 0) FROM
			(SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)`, u.match, commonDocs+1).
			Scan(&u.docs, &lowest)
		switch {
		case u.docs > commonDocs:
			u.docs = max(u.docs, int(commonDocs*s.size/max(1, s.size-lowest+1)))
		case u.docs == 0 && u.isWhole && err == nil:
			u.match, u.isWhole = u.match+" *", false
			i-- // count it again
		}
	}
	return err
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
func (s *search) matches(ctx context.Context, query string, after int64, ranked bool) ([]match, error) {
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
			value, _ := json.Marshal(c.value) // of strings and numbers, which cannot fail
			where, args = where+` AND `+c.clause, append(args, string(value))
		}
	}
	all, err := list(ctx, s.tx, func(r row) (m match, err error) {
		return m, r.Scan(&m.n, &m.session, &m.signs, &m.rank)
	}, `SELECT d.n, d.session, (d.what = 'decision') + 2 * (d.instead <> '' OR d.status = 'superseded'), `+rank+`
		FROM words w CROSS JOIN docs d ON d.n = w.rowid WHERE `+where, args...)
	slices.SortFunc(all, func(a, b match) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.n, a.n)) })
	return all, err
}

// matchesAmong returns those of some documents that match a query of FTS5.
func (s *search) matchesAmong(ctx context.Context, query string, docs []int64) (map[int64]bool, error) {
	which, _ := json.Marshal(docs)
	found, err := list(ctx, s.tx, column[int64], `SELECT rowid FROM words
		WHERE words MATCH ? AND rowid IN (SELECT value FROM json_each(?))`, query, string(which))
	is := map[int64]bool{}
	for _, n := range found {
		is[n] = true
	}
	return is, err
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

func (s *search) search(ctx context.Context) (found Found, err error) {
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
		return found, nil
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
			all, err := s.matches(ctx, query, after, false)
			if err != nil {
				return found, err
			}
			for _, m := range all {
				levels[m.n] = level(of)
			}
			complete = complete || len(s.groupBySession(all)) >= min(enoughSessions, s.q.Limit)
		}
		if complete && len(rare) == 0 {
			ranked = every
		}
	}
	matches, err := s.matches(ctx, ranked, after, true)
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
	if err == nil {
		found.Hits, err = s.hits(ctx, s.groupBySession(matches), complete, strings.Join(known, " OR "))
	}
	return found, err
}

// hits returns the hits of the first groups; if complete, only of those with all words.
func (s *search) hits(ctx context.Context, groups []*group, complete bool, query string) ([]Hit, error) {
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
		h, err := s.readHit(ctx, shown.n, query)
		if err != nil {
			return nil, err
		}
		h.Match, h.More = []Match{MatchSome, MatchAll, MatchPhrase}[g.level], more
		hits = append(hits, h)
	}
	err := s.addLacking(ctx, hits)
	return afterSuccessors(hits), err
}

func (s *search) readHit(ctx context.Context, n int64, query string) (h Hit, err error) {
	d, err := scanDoc(s.tx.QueryRowContext(ctx, selectDocs+`WHERE d.n = ?`, n))
	if err != nil {
		return h, err
	}
	h.Doc = d
	passage, err := column[string](s.tx.QueryRowContext(ctx, `SELECT snippet(words, 0, ?, ?, ' … ', ?) FROM words
		WHERE words MATCH ? AND rowid = ?`, markFrom, markTo, snippetWords, query, n))
	if err != nil {
		return h, err
	}
	h.Snippet = newSnippet(passage)
	if h.SupersededBy != "" {
		instead, err := scanDoc(s.tx.QueryRowContext(ctx, selectDocs+`WHERE d.local = ? AND d.kind = 'record'`,
			h.SupersededBy))
		if err == nil {
			h.Instead = &instead
		} else if !errors.Is(err, sql.ErrNoRows) {
			return h, err
		}
	}
	return h, nil
}

// addLacking adds to the hits with some of the words those that they lack.
func (s *search) addLacking(ctx context.Context, hits []Hit) (err error) {
	var docs []int64
	for _, h := range hits {
		if h.Match == MatchSome {
			docs = append(docs, h.n)
		}
	}
	for _, u := range s.units {
		var has map[int64]bool
		if u.docs > 0 && len(docs) > 0 && err == nil {
			has, err = s.matchesAmong(ctx, u.match, docs)
		}
		for i, h := range hits {
			if h.Match == MatchSome && !has[h.n] {
				hits[i].Lacks = append(hits[i].Lacks, u.shown)
			}
		}
	}
	return err
}
