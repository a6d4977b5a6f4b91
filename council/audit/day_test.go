package audit_test

import (
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/check"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// day folds entries that were made an hour apart, the first at noon.
func day(entries ...audit.Entry) *audit.Day {
	d := new(audit.Day)
	for i, e := range entries {
		e.Seq, e.At = int64(i+1), noon.Add(time.Duration(i)*time.Hour)
		d.Take(e)
	}
	return d
}

func TestDay_CountsUsageOrElseTheEstimate(t *testing.T) {
	call := audit.Entry{Type: audit.TypeCall, Tokens: 1000, Cost: council.Dollar}
	settled := func(of, tokens int64, unknown bool) audit.Entry {
		return audit.Entry{Type: audit.TypeSettled, Of: of, Tokens: tokens, Cost: council.Dollar / 4, Unknown: unknown}
	}
	for name, c := range map[string]struct {
		day     *audit.Day
		calls   int
		unknown int
		tokens  int64
		cost    council.Money
	}{
		"nothing":            {day(), 0, 0, 0, 0},
		"a call under way":   {day(call), 1, 0, 1000, council.Dollar},
		"a settled one":      {day(call, settled(1, 200, false)), 1, 0, 200, council.Dollar / 4},
		"settled above it":   {day(call, settled(1, 5000, false)), 1, 0, 5000, council.Dollar / 4},
		"settled twice":      {day(call, settled(1, 200, true), settled(1, 300, false)), 1, 0, 300, council.Dollar / 4},
		"a lower bound":      {day(call, settled(1, 200, true)), 1, 1, 200, council.Dollar / 4},
		"one of two":         {day(call, call, settled(2, 1, false)), 2, 0, 1001, council.Dollar * 5 / 4},
		"what is no call":    {day(settled(7, 9, true), audit.Entry{Type: audit.TypeMemory, Tokens: 5}), 0, 0, 0, 0},
		"settled before now": {day(settled(2, 9, false), call), 1, 0, 1000, council.Dollar},
	} {
		if d := c.day; d.Calls != c.calls || d.Unknown != c.unknown || d.Tokens != c.tokens || d.Cost != c.cost {
			t.Errorf("%s: %d calls, %d unknown, %d tokens, %v", name, d.Calls, d.Unknown, d.Tokens, d.Cost)
		}
	}
}

func TestDay_EndsAfter24Hours(t *testing.T) {
	call := audit.Entry{Type: audit.TypeCall, Tokens: 1, Unknown: true}
	d := day(call, call, audit.Entry{Type: audit.TypeSettled, Of: 1, Tokens: 7})
	for after, want := range map[time.Duration]int64{-9000 * time.Hour: 8, 24*time.Hour - 1: 8} {
		if d.Advance(noon.Add(after)); d.Tokens != want {
			t.Errorf("%d tokens after %v, want %d", d.Tokens, after, want)
		}
	}
	d.Advance(noon.Add(24 * time.Hour))
	check.That(t, d.Tokens == 1 && d.Calls == 1 && d.Unknown == 1, "%+v", d)
	d.Take(audit.Entry{Seq: 4, Type: audit.TypeSettled, Of: 1, Tokens: 9, At: noon.Add(24 * time.Hour)})
	d.Advance(noon.Add(25 * time.Hour))
	check.That(t, d.Tokens == 0 && d.Calls == 0 && d.Unknown == 0 && d.Cost == 0, "%+v", d)
}
