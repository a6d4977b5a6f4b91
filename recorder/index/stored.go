package index

import (
	"context"
	"database/sql"
	"time"

	"github.com/council-engine/council/council"
)

// selectDocs reads documents as scanDoc expects them.
const (
	selectDocs = `SELECT ` + docColumns + ` FROM docs d ` + withOrigin
	docColumns = `d.n, d.session, coalesce(s.id, ''), coalesce(s.topic, ''), d.local, d.kind, d.what, d.about, d.event,
		d.member, d.name, d.at, d.status, d.instead, d.rehearsed, d.text`
	withOrigin = `LEFT JOIN origins s ON s.n = d.session `
)

// stored is a document with its numbers in the database.
type stored struct {
	Doc
	n, place int64 // its own and its session's
}

func scanDoc(r row) (stored, error) {
	var d stored
	var session, local, kind, member string
	var at int64
	err := r.Scan(&d.n, &d.place, &session, &d.Topic, &local, &kind, &d.What, &d.about, &d.Event, &member,
		&d.Name, &at, &d.Status, &d.SupersededBy, &d.Rehearsed, &d.Text)
	d.ID, d.Kind, d.Session, d.Member = globalID(session, local), Kind(kind), council.SessionID(session),
		council.MemberID(member)
	d.At = time.UnixMilli(at).UTC()
	return d, err
}

// row is one row of an answer.
type row interface{ Scan(...any) error }

// list reads the answer to a query to its end.
func list[T any](ctx context.Context, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, read func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := read(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// column reads a row of one value.
func column[T any](r row) (one T, err error) {
	err = r.Scan(&one)
	return one, err
}
