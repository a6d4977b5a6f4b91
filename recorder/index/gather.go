package index

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// gather adds the documents after a number that match, newest first, until there are enough.
func (s *search) gather(ctx context.Context, match Match, fts string, after int64) error {
	if len(s.hits) >= s.q.Limit {
		return nil
	}
	var pool []Hit
	before := int64(math.MaxInt64)
	for range maxPages {
		hits, last, err := s.page(ctx, fts, after, before, false)
		if err != nil {
			return err
		}
		for _, h := range hits {
			h.Match = match
			pool = append(pool, h)
			s.seen[h.n] = true
		}
		if before = last; last == 0 || len(s.hits)+s.crowd.distinct(pool) >= s.q.Limit {
			break
		}
	}
	s.take(pool)
	return nil
}

// take adds the best of a pool to the hits.
func (s *search) take(pool []Hit) {
	slices.SortFunc(pool, compare)
	for _, h := range pool {
		if s.crowd.admit(h) && len(s.hits) < s.q.Limit {
			s.hits = append(s.hits, h)
		}
	}
}

// page reads the newest matches between two numbers, without those that are not wanted or that were seen. Last is the
// number of the last match, 0 if there are no more. The text is read only if it is asked for.
func (s *search) page(ctx context.Context, fts string, after, before int64, text bool) (hits []Hit, last int64,
	err error) {
	column := `''`
	if text {
		column = `d.text`
	}
	rows,
		err := s.ix.db.QueryContext(ctx,
		`SELECT d.n, coalesce(s.id, ''), coalesce(s.topic, ''), d.local, d.kind, d.at, d.status, d.instead, d.rehearsed, `+
			column+` FROM
		(SELECT rowid AS n FROM words WHERE words MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid DESC LIMIT ?) m
		CROSS JOIN docs d ON d.n = m.n LEFT JOIN origins s ON s.n = d.session`, "("+fts+")"+s.filter, after,
		before, pageSize)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	read := 0
	for rows.Next() {
		var h Hit
		var session, local string
		var at int64
		if err := rows.Scan(&h.n, &session, &h.Topic, &local, &h.Kind, &at, &h.Status, &h.SupersededBy, &h.Rehearsed,
			&h.Text); err != nil {
			return nil, 0, err
		}
		h.ID, h.Session, h.At = globalID(session, local), council.SessionID(session), time.UnixMilli(at).UTC()
		last = h.n
		read++
		if s.seen[h.n] || h.Session != "" && slices.Contains(s.q.Except, h.Session) || slices.Contains(s.q.Without, h.ID) ||
			h.Rehearsed && s.q.Unrehearsed {
			continue
		}
		hits = append(hits, h)
	}
	if read < pageSize {
		last = 0
	}
	return hits, last, rows.Err()
}

// finish puts the hits in their order and completes what is shown of them.
func (s *search) finish(ctx context.Context) ([]Hit, error) {
	hits := afterSuccessors(s.hits)
	for i := range hits {
		h := &hits[i]
		d, err := scanDoc(s.ix.db.QueryRowContext(ctx, selectDocs+`WHERE d.n = ?`, h.n))
		if err == sql.ErrNoRows { // it was taken out meanwhile
			h.n = 0
			continue
		}
		if err != nil {
			return nil, err
		}
		h.Doc = d.Doc
		h.Snippet = snippet(h.Text, s.units)
		if h.SupersededBy == "" {
			continue
		}
		successor,
			err := scanDoc(s.ix.db.QueryRowContext(ctx, selectDocs+`WHERE d.local = ? AND d.kind = 'record'`, h.SupersededBy))
		if err == nil {
			h.Instead = &successor.Doc
		} else if err != sql.ErrNoRows {
			return nil, err
		}
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.n == 0 })
	for i := len(hits) - 1; i >= 0; i-- {
		if id := hits[i].Session; id != "" {
			hits[i].More = s.crowd.more[id]
			delete(s.crowd.more, id)
		}
	}
	return hits, nil
}

// longer lists words that the given one stands within, the shortest first.
func (ix *Index) longer(ctx context.Context, word string) ([]string, error) {
	rows, err := ix.db.QueryContext(ctx,
		`SELECT t.Term FROM (SELECT rowid AS n FROM parts WHERE parts MATCH ? LIMIT 2000) p
		CROSS JOIN terms t ON t.n = p.n WHERE t.Term <> ? AND instr(t.Term, ?) ORDER BY length(t.Term), t.Term LIMIT ?`,
		`"`+word+`"`, word, word, maxLonger)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var term string
		if err := rows.Scan(&term); err != nil {
			return nil, err
		}
		all = append(all, term)
	}
	return all, rows.Err()
}
