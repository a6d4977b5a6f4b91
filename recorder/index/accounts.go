package index

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	Stamp          string // while it is the session's own, the row and the calls match its files; "" never
	Calls          []Call // only for Keep
}

// The results of calls.
const (
	ResultAnswered = "answered"
	ResultFailed   = "failed"  // with a fault: nothing was paid
	ResultCut      = "cut off" // without an answer or fault; it may have been billed
)

// Free is the price of a call that is never billed.
const Free = "free"

// Call is one call of a member's model.
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
	Cost            council.Money // the known part
	Known           bool          // the cost is complete
	Price           string        // the source of the prices, for people
	LatencyMS       int64
}

// Sessions returns the rows of sessions from an id on.
func (ix *Index) Sessions(ctx context.Context, from council.SessionID) (map[council.SessionID]Session, error) {
	found := map[council.SessionID]Session{}
	err := ix.read(ctx, func(t *tx) {
		for s := range each(t, scanSession, `SELECT session, coalesce(started, ''), council, topic, reason, events,
			coalesce(outcome, 'null'), stamp, gist FROM sessions WHERE session >= ?`, string(from)) {
			found[s.ID] = s
		}
	})
	return found, err
}

func scanSession(r row, s *Session) error {
	var started, outcome, gist string
	err := r.Scan(&s.ID, &started, &s.Council, &s.Topic, &s.Reason, &s.Events, &outcome, &s.Stamp, &gist)
	if err == nil && started != "" {
		s.Started, err = time.Parse(time.RFC3339Nano, started)
	}
	if err == nil {
		err = errors.Join(json.Unmarshal([]byte(gist), &s.Gist), json.Unmarshal([]byte(outcome), &s.Outcome))
	}
	return err
}

// Keep stores the rows of sessions, with their calls, and replaces older ones.
func (ix *Index) Keep(ctx context.Context, sessions ...Session) error {
	return ix.write(ctx, func(t *tx) {
		for _, s := range sessions {
			if t.keep(s); t.err != nil {
				t.err = fmt.Errorf("cannot put session %s into the database: %w", s.ID, t.err)
				return
			}
		}
	})
}

func (t *tx) keep(s Session) {
	t.drop(s.ID)
	t.exec(`INSERT INTO sessions VALUES (?, nullif(?, ''), ?, ?, ?, ?, ?, nullif(?, 'null'), ?, ?)`, string(s.ID),
		nano(s.Started), s.Council, s.Topic, string(s.Gist.State), s.Reason, s.Events, t.json(s.Outcome), s.Stamp,
		t.json(s.Gist))
	for _, c := range s.Calls {
		u := c.Usage
		t.exec(`INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?, ?, NULL), ?, ?, ?)`,
			string(s.ID), string(c.Member), c.Line, string(c.Ask), c.Try, c.At, c.Result, c.Model, c.Reported, u.Calls,
			u.InputTokens, u.CachedTokens, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens, c.Measured, c.Known,
			int64(c.Cost), int64(c.Cost), c.Price, c.LatencyMS)
	}
}

func (t *tx) drop(ids ...council.SessionID) {
	for _, table := range []string{"sessions", "calls"} {
		t.exec(`DELETE FROM `+table+` WHERE session IN (SELECT value FROM json_each(?))`, t.json(ids))
	}
}

// Drop deletes the rows of sessions whose folders are gone.
func (ix *Index) Drop(ctx context.Context, ids ...council.SessionID) error {
	return ix.write(ctx, func(t *tx) { t.drop(ids...) })
}

// nano returns a time in the form of the tables; "" for the zero time.
func nano(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// Ledger returns the number and time of the last entry of the ledger that the database has seen; 0 before the first.
func (ix *Index) Ledger(ctx context.Context) (n int64, at string, err error) {
	err = ix.db.QueryRowContext(ctx, `SELECT n, at FROM ledger`).Scan(&n, &at)
	return n, at, ix.damage(err)
}

// AddEntries stores entries of the ledger, of which all up to number n, of a time, have been seen. With afresh it
// deletes the older ones first.
func (ix *Index) AddEntries(ctx context.Context, afresh bool, n int64, at string, entries ...audit.Entry) error {
	return ix.write(ctx, func(t *tx) {
		if afresh {
			t.exec(`DELETE FROM entries`)
		}
		for _, e := range entries {
			t.exec(`INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, 0), ?)`, e.Seq,
				nano(e.At), string(e.Type), e.Action, string(e.Session), e.What, e.Why, e.By, nano(e.Due), e.Of, t.json(e))
		}
		t.exec(`UPDATE ledger SET n = ?, at = ?`, n, at)
	})
}

// Counts returns the numbers of sessions, calls and texts in the database.
func (ix *Index) Counts(ctx context.Context) (sessions, calls, texts int, err error) {
	err = ix.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM calls),
		(SELECT count(*) FROM docs)`).Scan(&sessions, &calls, &texts)
	return sessions, calls, texts, ix.damage(err)
}

type grouping struct{ name, column, order string }

var groups = []grouping{
	{"member", `c.member`, `total DESC, 1`},
	{"model", `c.model`, `total DESC, 1`},
	{"session", `c.session`, `1 DESC`},
	{"day", `substr(c.at, 1, 10)`, `1 DESC`},
	{"council", `coalesce(s.council, '')`, `total DESC, 1`},
}

// Groups lists the names by which [Index.Usage] can sum up.
func Groups() []string {
	return council.Map(groups, func(g grouping) string { return g.name })
}

// Used is the sum of calls.
type Used struct {
	Key              string
	Answered, Failed int
	Cut              int           // cut off: they may have been billed
	Usage            council.Usage // calls, tokens and elapsed time
	Unmeasured       int           // answered calls with unknown tokens, and those that were cut off
	Cost             council.Money
	Unpriced         int // calls of unknown cost: the true cost is higher
}

// Usage sums up the calls since a time by one of [Groups]; by "" all together, in one row even where there are none. If
// sessions are named, only their calls count.
func (ix *Index) Usage(ctx context.Context, by string, since time.Time, only ...council.SessionID) ([]Used, error) {
	g := cmp.Or(council.First(groups, func(g grouping) bool { return g.name == by }), grouping{column: `''`, order: `1`})
	query := `SELECT ` + g.column + ` AS key, coalesce(sum(result = 'answered'), 0), coalesce(sum(result = 'failed'), 0),
		coalesce(sum(result = 'cut off'), 0), coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0),
		coalesce(sum(cached_tokens), 0), coalesce(sum(cache_write_tokens), 0), coalesce(sum(output_tokens), 0),
		coalesce(sum(reasoning_tokens), 0), coalesce(sum(latency_ms), 0), coalesce(sum(NOT measured), 0),
		coalesce(sum(at_least_pico_usd), 0) AS total,
		count(*) - count(cost_pico_usd)
		FROM calls c LEFT JOIN sessions s ON s.session = c.session WHERE c.at >= ?`
	args := []any{stamp(since)}
	if len(only) > 0 {
		ids, _ := json.Marshal(only)
		query, args = query+` AND c.session IN (SELECT value FROM json_each(?))`, append(args, string(ids))
	}
	if by != "" {
		query += ` GROUP BY 1 ORDER BY ` + g.order
	}
	var used []Used
	err := ix.read(ctx, func(t *tx) { used = slices.Collect(each(t, scanUsed, query, args...)) })
	return used, err
}

func scanUsed(r row, u *Used) error {
	v := &u.Usage
	return r.Scan(&u.Key, &u.Answered, &u.Failed, &u.Cut, &v.Calls, &v.InputTokens, &v.CachedTokens, &v.CacheWriteTokens,
		&v.OutputTokens, &v.ReasoningTokens, &v.ElapsedMS, &u.Unmeasured, &u.Cost, &u.Unpriced)
}

// stamp returns a time in the form of conversations, for comparisons.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Priced is the number of a model's calls with one source of prices.
type Priced struct {
	Model, Price string // Price is "" where none is known
	Calls        int
}

// Prices lists the sources of prices of the calls since a time.
func (ix *Index) Prices(ctx context.Context, since time.Time) (all []Priced, err error) {
	err = ix.read(ctx, func(t *tx) {
		all = slices.Collect(each(t, func(r row, p *Priced) error { return r.Scan(&p.Model, &p.Price, &p.Calls) },
			`SELECT model, price, count(*) FROM calls WHERE at >= ? AND result <> 'failed'
			GROUP BY model, price ORDER BY model, price`, stamp(since)))
	})
	return all, err
}

// Run is one run of a command that works on a session.
type Run struct {
	Run     int64             `json:"run"` // the entry of the ledger that announced it
	Session council.SessionID `json:"session"`
	Attempt int               `json:"attempt"` // of the session, from 1
	Command string            `json:"command"`
	By      string            `json:"by,omitempty"`
	Status  string            `json:"status,omitempty"` // "" where no end is recorded
	Error   string            `json:"error,omitempty"`
	Started string            `json:"started"`
	Ended   string            `json:"ended,omitempty"`
}

// Runs lists the latest runs, newest first, of one session, or of all where id is "", and how many there are; all of
// them where the limit is 0.
func (ix *Index) Runs(ctx context.Context, id council.SessionID, limit int) (runs []Run, all int, err error) {
	const some = ` FROM runs WHERE ? IN ('', session)`
	err = ix.read(ctx, func(t *tx) {
		all, _ = one(t, column[int], `SELECT count(*)`+some, string(id))
		runs = slices.Collect(each(t, func(o row, r *Run) error {
			return o.Scan(&r.Run, &r.Session, &r.Attempt, &r.Command, &r.By, &r.Status, &r.Error, &r.Started, &r.Ended)
		}, `SELECT run, session, attempt, command, by, coalesce(status, ''), coalesce(error, ''), started,
			coalesce(ended, '')`+some+` ORDER BY run DESC LIMIT ?`, string(id), cmp.Or(limit, all)))
	})
	return runs, all, err
}
