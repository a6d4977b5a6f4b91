package index

import (
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
