package index

import (
	"context"
	"database/sql"
	"errors"

	"github.com/council-engine/council/recorder/index/terms"
)

// remove takes a document out. Words that will be in next, which is to take its place, stay in the vocabulary.
func (w *writer) remove(ctx context.Context, d stored, next Doc) error {
	gone := map[string]bool{}
	looked := d.terms(func(t terms.Token) {
		if t.Compound() {
			gone[t.Term] = true
		}
	})
	next.terms(func(t terms.Token) { delete(gone, t.Term) })
	if _, _, err := w.exec(ctx, `INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)`, d.n,
		looked); err != nil {
		return err
	}
	if _, _, err := w.exec(ctx, `DELETE FROM docs WHERE n = ?`, d.n); err != nil {
		return err
	}
	if d.place != 0 && d.Session != next.Session {
		const free = `DELETE FROM origins WHERE n = ? AND NOT EXISTS (SELECT 1 FROM docs WHERE session = origins.n)`
		if _, _, err := w.exec(ctx, free, d.place); err != nil {
			return err
		}
		w.session = ""
	}
	for term := range gone {
		if err := w.unlearn(ctx, term); err != nil {
			return err
		}
	}
	return nil
}

// unlearn takes a term out of the vocabulary unless some document has it.
func (w *writer) unlearn(ctx context.Context, term string) error {
	var used bool
	if err := w.row(ctx, `SELECT EXISTS (SELECT 1 FROM words WHERE words MATCH ? LIMIT 1)`,
		`"`+term+`"`).Scan(&used); err != nil || used {
		return err
	}
	delete(w.known, term)
	var n int64
	err := w.row(ctx, `SELECT n FROM terms WHERE term = ?`, term).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, _, err := w.exec(ctx, `INSERT INTO parts (parts, rowid, term) VALUES ('delete', ?, ?)`, n, term); err != nil {
		return err
	}
	_, _, err = w.exec(ctx, `DELETE FROM terms WHERE n = ?`, n)
	return err
}
