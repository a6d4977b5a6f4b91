package audit

import (
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// Day is what was spent within the last 24 hours: a fold of entries. A call counts from its own entry on, with its
// estimate until an entry settles it. The zero Day is ready for use.
//
// Time does not run backwards in it: the 24 hours end at the latest time that it was told, so a clock that is set back
// makes nothing leave early, and what is spent meanwhile is added.
type Day struct {
	Calls   int           // that are counted
	Unknown int           // how many of them may have taken more than they are counted with
	Tokens  int64         // taken, or estimated
	Cost    council.Money // likewise

	latest time.Time
	calls  []spent // in the order of the ledger
}

// Span is the time that a [Day] looks back.
const Span = 24 * time.Hour

// spent is what a call counts for.
type spent struct {
	seq     int64
	at      time.Time
	tokens  int64
	cost    council.Money
	unknown bool
}

// Take folds the next entry of the ledger in.
func (d *Day) Take(e Entry) {
	s := spent{e.Seq, e.Effective(), e.Tokens, e.Cost, e.Unknown}
	switch e.Type {
	case TypeCall:
		d.calls = append(d.calls, s)
		d.count(s, 1)
	case TypeSettled:
		at, found := slices.BinarySearchFunc(d.calls, e.Of, func(s spent, seq int64) int { return int(s.seq - seq) })
		if !found {
			break // its call was made more than a day ago
		}
		call := &d.calls[at]
		d.count(*call, -1)
		call.tokens, call.cost, call.unknown = s.tokens, s.cost, s.unknown
		d.count(*call, 1)
	}
	d.Advance(s.at)
}

// Advance drops what was spent more than 24 hours before now.
func (d *Day) Advance(now time.Time) {
	if now.After(d.latest) {
		d.latest = now
	}
	for len(d.calls) > 0 && d.latest.Sub(d.calls[0].at) >= Span {
		d.count(d.calls[0], -1)
		d.calls = d.calls[1:]
	}
}

// count adds a call, or takes it away.
func (d *Day) count(s spent, sign int) {
	d.Calls += sign
	d.Tokens += int64(sign) * s.tokens
	d.Cost += council.Money(sign) * s.cost
	if s.unknown {
		d.Unknown += sign
	}
}
