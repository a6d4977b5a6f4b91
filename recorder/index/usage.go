package index

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// groups are what calls can be summed up by.
var groups = []struct{ name, column, order string }{
	{"member", `c.member`, `total DESC, 1`},
	{"model", `c.model`, `total DESC, 1`},
	{"session", `c.session`, `1 DESC`},
	{"day", `substr(c.at, 1, 10)`, `1 DESC`},
	{"council", `coalesce(s.council, '')`, `total DESC, 1`},
}

// Groups lists what [Index.Usage] can sum up by.
func Groups() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// Used is what calls took together.
type Used struct {
	Key              string
	Answered, Failed int
	Cut              int           // cut off: they may have been billed
	Usage            council.Usage // Calls, tokens and the time that they took
	Unmeasured       int           // answered calls of which the tokens are not known, and those that were cut off
	Cost             council.Money
	Unpriced         int // calls of which the cost is not known: the cost is higher by an unknown amount
}

// Usage sums up the calls since a time, the zero time being the beginning, by one of [Groups]; by "" all together, with
// one row even where there are none. Where sessions are named, only their calls count.
func (ix *Index) Usage(ctx context.Context, by string, since time.Time, only ...council.SessionID) ([]Used, error) {
	key, order := `''`, `1`
	if i := slices.IndexFunc(groups, func(g struct{ name, column, order string }) bool { return g.name == by }); i >= 0 {
		key, order = groups[i].column, groups[i].order
	}
	query := `SELECT ` + key + ` AS key, coalesce(sum(result = 'answered'), 0), coalesce(sum(result = 'failed'), 0),
		coalesce(sum(result = 'cut off'), 0), coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0),
		coalesce(sum(cached_tokens), 0), coalesce(sum(cache_write_tokens), 0), coalesce(sum(output_tokens), 0),
		coalesce(sum(reasoning_tokens), 0), coalesce(sum(latency_ms), 0), coalesce(sum(NOT measured), 0), coalesce(sum(at_least_pico_usd), 0) AS total,
		count(*) - count(cost_pico_usd)
		FROM calls c LEFT JOIN sessions s ON s.session = c.session WHERE c.at >= ?`
	args := []any{stamp(since)}
	if len(only) > 0 {
		ids, _ := json.Marshal(only)
		query, args = query+` AND c.session IN (SELECT value FROM json_each(?))`, append(args, string(ids))
	}
	if by != "" {
		query += ` GROUP BY 1 ORDER BY ` + order
	}
	used, err := list(ctx, ix.db, func(r row) (u Used, err error) {
		v := &u.Usage
		err = r.Scan(&u.Key, &u.Answered, &u.Failed, &u.Cut, &v.Calls, &v.InputTokens, &v.CachedTokens, &v.CacheWriteTokens,
			&v.OutputTokens, &v.ReasoningTokens, &v.ElapsedMS, &u.Unmeasured, &u.Cost, &u.Unpriced)
		return u, err
	}, query, args...)
	return used, ix.damage(err)
}

// stamp returns a time as conversations have it, so that it can be compared.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Priced says of a model's calls by what their costs were reckoned.
type Priced struct {
	Model, Price string // Price is "" where none is known
	Calls        int
}

// Prices lists by what the costs of calls since a time were reckoned.
func (ix *Index) Prices(ctx context.Context, since time.Time) ([]Priced, error) {
	all, err := list(ctx, ix.db, func(r row) (p Priced, err error) {
		err = r.Scan(&p.Model, &p.Price, &p.Calls)
		return p, err
	}, `SELECT model, price, count(*) FROM calls WHERE at >= ? AND result <> 'failed'
		GROUP BY model, price ORDER BY model, price`, stamp(since))
	return all, ix.damage(err)
}

// Run is one sitting of a session: from the beginning of a command that works on it to its end.
type Run struct {
	Run     int64             `json:"run"` // the entry of the ledger that announced it
	Session council.SessionID `json:"session"`
	Attempt int               `json:"attempt"` // of the session, from 1
	Command string            `json:"command"`
	By      string            `json:"by,omitempty"`
	Status  string            `json:"status,omitempty"` // how it ended; "" where no end is recorded
	Error   string            `json:"error,omitempty"`
	Started string            `json:"started"`
	Ended   string            `json:"ended,omitempty"`
}

// Runs lists the latest runs, newest first: of one session, or of all where id is ""; all of them where the limit is 0.
// It returns how many there are.
func (ix *Index) Runs(ctx context.Context, id council.SessionID, limit int) (runs []Run, all int, err error) {
	const some = ` FROM runs WHERE ? IN ('', session)`
	if err := ix.db.QueryRowContext(ctx, `SELECT count(*)`+some, string(id)).Scan(&all); err != nil {
		return nil, 0, ix.damage(err)
	}
	if limit == 0 {
		limit = all
	}
	runs, err = list(ctx, ix.db, func(o row) (r Run, err error) {
		err = o.Scan(&r.Run, &r.Session, &r.Attempt, &r.Command, &r.By, &r.Status, &r.Error, &r.Started, &r.Ended)
		return r, err
	}, `SELECT run, session, attempt, command, by, coalesce(status, ''), coalesce(error, ''), started, coalesce(ended, '')`+
		some+` ORDER BY run DESC LIMIT ?`, string(id), limit)
	return runs, all, ix.damage(err)
}
