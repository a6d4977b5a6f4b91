package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"iter"
)

// write runs do in a transaction that writes, after those of other writers.
func (ix *Index) write(ctx context.Context, do func(*tx)) error {
	return ix.within(ctx, sql.TxOptions{}, do)
}

// read runs do in a transaction that only reads, and sees one state of the index.
func (ix *Index) read(ctx context.Context, do func(*tx)) error {
	return ix.within(ctx, sql.TxOptions{ReadOnly: true}, do)
}

func (ix *Index) within(ctx context.Context, options sql.TxOptions, do func(*tx)) error {
	begun, err := ix.db.BeginTx(ctx, &options)
	if err != nil {
		return ix.damage(err)
	}
	defer begun.Rollback() // which closes the statements too, as the commit does
	t := &tx{ctx: ctx, sql: begun, prepared: map[string]*sql.Stmt{}}
	if do(t); t.err == nil {
		t.err = begun.Commit()
	}
	return ix.damage(t.err)
}

// tx is a transaction. It prepares each statement once. After its first error it does and finds nothing more.
type tx struct {
	ctx      context.Context
	sql      *sql.Tx
	prepared map[string]*sql.Stmt
	err      error
}

func (t *tx) fail(err error) { t.err = cmp.Or(t.err, err) }

// prepare returns a statement, or nil after an error.
func (t *tx) prepare(query string) *sql.Stmt {
	if t.err == nil && t.prepared[query] == nil {
		t.prepared[query], t.err = t.sql.PrepareContext(t.ctx, query)
	}
	if t.err != nil {
		return nil
	}
	return t.prepared[query]
}

func (t *tx) exec(query string, args ...any) {
	if s := t.prepare(query); s != nil {
		_, t.err = s.ExecContext(t.ctx, args...)
	}
}

// json returns a value for a column of JSON, or for json_each.
func (t *tx) json(value any) string {
	text, err := json.Marshal(value)
	t.fail(err)
	return string(text)
}

// each yields the rows that a query finds.
func each[T any](t *tx, read func(row, *T) error, query string, args ...any) iter.Seq[T] {
	return func(yield func(T) bool) {
		s := t.prepare(query)
		if s == nil {
			return
		}
		rows, err := s.QueryContext(t.ctx, args...)
		if err != nil {
			t.err = err
			return
		}
		defer rows.Close()
		for rows.Next() && t.err == nil {
			var found T
			if t.err = read(rows, &found); t.err != nil || !yield(found) {
				return
			}
		}
		t.fail(rows.Err())
	}
}

// one returns the first row that a query finds, if any.
func one[T any](t *tx, read func(row, *T) error, query string, args ...any) (found T, ok bool) {
	for found = range each(t, read, query, args...) {
		return found, true
	}
	return found, false
}

type row interface{ Scan(...any) error }

func column[T any](r row, one *T) error { return r.Scan(one) }
