package index

import (
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

func scanDoc(row interface{ Scan(...any) error }) (stored, error) {
	var d stored
	var session, local, kind, member string
	var at int64
	err := row.Scan(&d.n, &d.place, &session, &d.Topic, &local, &kind, &d.What, &d.about, &d.Event, &member,
		&d.Name, &at, &d.Status, &d.SupersededBy, &d.Rehearsed, &d.Text)
	d.ID, d.Kind, d.Session, d.Member = globalID(session, local), Kind(kind), council.SessionID(session),
		council.MemberID(member)
	d.At = time.UnixMilli(at).UTC()
	return d, err
}

// readDocs reads the documents of a query to its end.
func readDocs(rows *sql.Rows, err error) ([]stored, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []stored
	for rows.Next() {
		d, err := scanDoc(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, rows.Err()
}
