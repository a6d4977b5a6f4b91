package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/index/terms"
)

// Remove takes records out by their ids. Ids that are not there are no error. What was taken out is overwritten on
// disk, words that nothing else has included.
func (ix *Index) Remove(ctx context.Context, records ...string) error {
	return ix.erase(ctx, func(tx *sql.Tx, w *writer) error {
		for _, id := range records {
			d, err := scanDoc(w.row(ctx, findRecord, id))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if err := w.remove(ctx, d, Doc{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveSession takes the episode, the turns, the row and the calls of sessions out, as [Index.Remove] does. Records
// that come from them stay.
func (ix *Index) RemoveSession(ctx context.Context, sessions ...council.SessionID) error {
	return ix.erase(ctx, func(tx *sql.Tx, w *writer) error {
		for _, id := range sessions {
			found, err := readDocs(tx.QueryContext(ctx, selectDocs+`WHERE s.id = ? AND d.local < '/' ORDER BY d.n`, string(id)))
			if err != nil {
				return err
			}
			for _, d := range found {
				if err := w.remove(ctx, d, Doc{}); err != nil {
					return err
				}
			}
			if err := w.drop(ctx, id); err != nil {
				return err
			}
			// Nobody looks at the topic any more, but somebody may want it forgotten.
			if _, err := tx.ExecContext(ctx, `UPDATE origins SET topic = '' WHERE id = ?`, string(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// erase takes out and then empties the write-ahead log, which holds what the pages were before.
func (ix *Index) erase(ctx context.Context, do func(*sql.Tx, *writer) error) error {
	err := ix.write(ctx, func(tx *sql.Tx) error {
		w := newWriter(tx, map[string]bool{})
		defer w.close()
		return do(tx, w)
	})
	if err == nil {
		_, err = ix.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	if err != nil {
		return fmt.Errorf("cannot take out of the index: %w", ix.damage(err))
	}
	return nil
}

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
