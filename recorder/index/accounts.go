package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/minutes"
)

// Session is the row of a session in the database.
type Session struct {
	ID             council.SessionID
	Started        time.Time // zero: nothing is recorded
	Council, Topic string
	Gist           minutes.Gist
	Reason         string // why it is suspended or cannot be read
	Events         int
	Outcome        *council.Outcome
	Stamp          string // while it is the session's own, the row and the calls are what its files hold; "" never
	Calls          []Call // only for Keep
}

// The results of calls.
const (
	ResultAnswered = "answered"
	ResultFailed   = "failed"  // with a fault: nothing was paid
	ResultCut      = "cut off" // neither answered nor failed; it may have been billed
)

// Free is the price of what is never billed.
const Free = "free"

// Call is one call of a member's model, as its conversation has it.
type Call struct {
	Member          council.MemberID
	Line            int // of the conversation
	Ask             council.AskID
	Try             int
	At              string // RFC 3339
	Result          string
	Model, Reported string // provider/model that was asked; the name that the provider gave
	Usage           council.Usage
	Measured        bool          // the tokens are known
	Cost            council.Money // what is known of it, and whether that is all
	Known           bool
	Price           string // by what it was reckoned, for people
	LatencyMS       int64
}

// Sessions returns the rows of sessions whose ids do not come before from.
func (ix *Index) Sessions(ctx context.Context, from council.SessionID) (map[council.SessionID]Session, error) {
	rows, err := list(ctx, ix.db, func(r row) (s Session, err error) {
		var started, outcome, gist string
		err = r.Scan(&s.ID, &started, &s.Council, &s.Topic, &s.Reason, &s.Events, &outcome, &s.Stamp, &gist)
		if err == nil {
			err = json.Unmarshal([]byte(gist), &s.Gist)
		}
		if err == nil && started != "" {
			s.Started, err = time.Parse(time.RFC3339Nano, started)
		}
		if err == nil && outcome != "" {
			err = json.Unmarshal([]byte(outcome), &s.Outcome)
		}
		return s, err
	}, `SELECT session, coalesce(started, ''), council, topic, reason, events, coalesce(outcome, ''), stamp, gist
		FROM sessions WHERE session >= ?`, string(from))
	found := map[council.SessionID]Session{}
	for _, s := range rows {
		found[s.ID] = s
	}
	return found, ix.damage(err)
}

// Keep puts the rows of sessions in, with their calls, in the place of those that are there.
func (ix *Index) Keep(ctx context.Context, sessions ...Session) error {
	return ix.write(ctx, func(w *writer) error {
		for _, s := range sessions {
			if err := w.keep(ctx, s); err != nil {
				return fmt.Errorf("cannot put session %s into the database: %w", s.ID, err)
			}
		}
		return nil
	})
}

func (w *writer) keep(ctx context.Context, s Session) error {
	outcome, err := json.Marshal(s.Outcome)
	gist, failed := json.Marshal(s.Gist)
	if err = errors.Join(err, failed); err == nil {
		err = w.drop(ctx, s.ID)
	}
	if err == nil {
		err = w.exec(ctx, `INSERT INTO sessions VALUES (?, nullif(?, ''), ?, ?, ?, ?, ?, nullif(?, 'null'), ?, ?)`,
			string(s.ID), nano(s.Started), s.Council, s.Topic, string(s.Gist.State), s.Reason, s.Events, string(outcome),
			s.Stamp, string(gist))
	}
	for _, c := range s.Calls {
		if u := c.Usage; err == nil {
			err = w.exec(ctx, `INSERT INTO calls
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?, ?, NULL), ?, ?, ?)`, string(s.ID),
				string(c.Member), c.Line, string(c.Ask), c.Try, c.At, c.Result, c.Model, c.Reported, u.Calls, u.InputTokens,
				u.CachedTokens, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens, c.Measured, c.Known, int64(c.Cost),
				int64(c.Cost), c.Price, c.LatencyMS)
		}
	}
	return err
}

// drop takes the rows of a session out.
func (w *writer) drop(ctx context.Context, id council.SessionID) error {
	err := w.exec(ctx, `DELETE FROM sessions WHERE session = ?`, string(id))
	if err == nil {
		err = w.exec(ctx, `DELETE FROM calls WHERE session = ?`, string(id))
	}
	return err
}

// Drop takes the rows of sessions out, whose folders are gone.
func (ix *Index) Drop(ctx context.Context, ids ...council.SessionID) error {
	return ix.write(ctx, func(w *writer) (err error) {
		for i := 0; i < len(ids) && err == nil; i++ {
			err = w.drop(ctx, ids[i])
		}
		return err
	})
}

// nano returns a time as the tables have it; "" for the zero time.
func nano(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// Ledger returns the entry of the ledger up to which the database holds entries, and its time; 0 before the first.
func (ix *Index) Ledger(ctx context.Context) (n int64, at string, err error) {
	err = ix.db.QueryRowContext(ctx, `SELECT n, at FROM ledger`).Scan(&n, &at)
	return n, at, ix.damage(err)
}

// Note puts entries of the ledger in, and notes that everything up to number n, of a time, has been looked at. With
// afresh it takes out those that are there.
func (ix *Index) Note(ctx context.Context, afresh bool, n int64, at string, entries ...audit.Entry) error {
	return ix.write(ctx, func(w *writer) (err error) {
		if afresh {
			err = w.exec(ctx, `DELETE FROM entries`)
		}
		for _, e := range entries {
			text, failed := json.Marshal(e)
			if err = errors.Join(err, failed); err == nil {
				err = w.exec(ctx, `INSERT OR REPLACE INTO entries
					VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, 0), ?)`, e.Seq, nano(e.At), string(e.Type), e.Action,
					string(e.Session), e.What, e.Why, e.By, nano(e.Due), e.Of, string(text))
			}
		}
		if err == nil {
			err = w.exec(ctx, `UPDATE ledger SET n = ?, at = ?`, n, at)
		}
		return err
	})
}

// Counts returns how many sessions, calls and texts the database holds.
func (ix *Index) Counts(ctx context.Context) (sessions, calls, texts int, err error) {
	err = ix.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM calls),
		(SELECT count(*) FROM docs)`).Scan(&sessions, &calls, &texts)
	return sessions, calls, texts, ix.damage(err)
}
