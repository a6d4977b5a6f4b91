package store

import (
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// Folded goes back through the journal as far as the session can be in it: no step is older than the close, and each
// line says how new the newest step before it was. For a session that has just closed that is the last line.
func (e journalEnd) Folded(files atomicfile.Files, id council.SessionID, closed time.Time) (council.Seq, error) {
	if e.Last.N == 0 || e.Last.Standing.Latest.Before(closed) {
		return 0, nil
	}
	f, err := files.Open(journalFile)
	if err != nil {
		return 0, unread(journalFile, err)
	}
	defer f.Close()
	for window := int64(tailSize); ; window *= 4 {
		at := max(0, e.good-window)
		text := make([]byte, e.good-at)
		if _, err := f.ReadAt(text, at); err != nil {
			return 0, unread(journalFile, err)
		}
		if e.bare {
			text = append(text, '\n')
		}
		upTo, found, err := searchBack(text, at, id, closed)
		if found || at == 0 || err != nil {
			return upTo, err
		}
	}
}

// searchBack looks for the newest step of a session in the end of the journal, which begins at an offset. It reports
// whether it went back far enough.
func searchBack(text []byte, at int64, id council.SessionID, closed time.Time) (council.Seq, bool, error) {
	for len(text) > 0 {
		last, before := lastLine(text)
		if len(before) == 0 && at > 0 {
			return 0, false, nil // it may have begun earlier
		}
		l, err := parseLine(last, "")
		if err != nil {
			return 0, true, misplaced(err, at+int64(len(before)))
		}
		if l.Session != nil && l.Session.ID == id {
			return l.Session.To, true, nil
		}
		if l.Standing.Latest.Before(closed) {
			return 0, true, nil
		}
		text = before
	}
	return 0, true, nil
}
