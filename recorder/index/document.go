package index

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/index/terms"
)

// Kind says what a document is.
type Kind string

// The kinds of document.
const (
	KindTurn    Kind = "turn"    // what one member said
	KindEpisode Kind = "episode" // what a session came to
	KindRecord  Kind = "record"  // what is remembered of sessions
	KindNote    Kind = "note"    // what a person wrote beside memory, by its path there: in indexes of notes alone
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{KindTurn, KindEpisode, KindRecord, KindNote} }

// Doc is one text that can be found.
type Doc struct {
	// of an episode its session; of a turn its session and ".e12"; of a record its own
	ID      string            `json:"id"`
	Kind    Kind              `json:"kind"`
	What    string            `json:"what,omitempty"`    // a record's or turn's own kind, such as "decision"
	Session council.SessionID `json:"session,omitempty"` // where it comes from; a person's record has none
	// of the session: kept once, and not searched unless it is in Text
	Topic        string           `json:"topic,omitempty"`
	Event        string           `json:"event,omitempty"`  // such as "e12"
	Member       council.MemberID `json:"member,omitempty"` // who said it or whose memory it is; empty for the council
	Name         string           `json:"name,omitempty"`   // the member's
	At           time.Time        `json:"at"`               // to the millisecond
	Status       string           `json:"status,omitempty"` // of a record: as in package memory
	SupersededBy string           `json:"supersededBy,omitempty"`
	Rehearsed    bool             `json:"rehearsed,omitempty"` // a rehearsal left it
	Text         string           `json:"text"`

	// the session's topic as it was when a decision was put in, which finds it too: Put sets it
	about string
}

// Decision is what a record of a decision is.
const Decision = "decision"

// Superseded reports whether another record stands in its place.
func (d Doc) Superseded() bool { return d.SupersededBy != "" || d.Status == "superseded" }

// local returns what the id adds to the session's, or the whole id of a record. The error wraps ErrBadDoc.
func (d Doc) local() (string, error) {
	rest, ours := strings.CutPrefix(d.ID, string(d.Session))
	switch {
	case (d.Kind == KindRecord || d.Kind == KindNote) && d.ID != "" && d.ID[0] > '/':
		return d.ID, nil
	case d.Kind == KindEpisode && d.Session != "" && ours && rest == "":
		return "", nil
	case d.Kind == KindTurn && d.Session != "" && ours && len(rest) > 1 && rest[0] == '.':
		return rest, nil
	}
	return "", fmt.Errorf("%w: %q of kind %q and session %q", ErrBadDoc, d.ID, d.Kind, d.Session)
}

// globalID returns the inverse of Doc.local.
func globalID(session, local string) string {
	if local == "" || local[0] == '.' {
		return session + local
	}
	return local
}

// searched returns the text in which words are looked for.
func (d Doc) searched() string {
	if d.about == "" {
		return d.Text
	}
	return d.about + "\n" + d.Text
}

// The terms by which documents are chosen begin with a character that no word has.
const reserved = "\ue000"

func kindTerm(kind string) string           { return reserved + "k" + hex.EncodeToString([]byte(kind)) }
func memberTerm(id council.MemberID) string { return reserved + "m" + hex.EncodeToString([]byte(id)) }

// terms returns what is looked up of the document, with spaces between. It is a function of the document alone: it is
// needed again to take the document out.
func (d Doc) terms(each func(terms.Token)) string {
	var b strings.Builder
	b.Grow(len(d.Text) + len(d.Text)/8 + 96)
	for t := range terms.Of(d.searched()) {
		b.WriteString(t.Term)
		b.WriteByte(' ')
		each(t)
	}
	b.WriteString(kindTerm(string(d.Kind)) + " " + kindTerm(d.What) + " " + memberTerm(d.Member))
	return b.String()
}

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
