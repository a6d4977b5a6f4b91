package counted_test

import (
	"math"
	"testing"

	"github.com/council-engine/council/internal/counted"
)

func TestCounted(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{counted.Thousands(0), "0"},
		{counted.Thousands(999), "999"},
		{counted.Thousands(1000), "1,000"},
		{counted.Thousands(int64(1234567)), "1,234,567"},
		{counted.Thousands(-123), "-123"},
		{counted.Thousands(-1234), "-1,234"},
		{counted.Thousands(int64(math.MinInt64)), "-9,223,372,036,854,775,808"},
		{counted.Things(0, "member"), "0 members"},
		{counted.Things(1, "member"), "1 member"},
		{counted.Things(int64(2), "member"), "2 members"},
		{counted.Things(12345, "token"), "12,345 tokens"},
		{counted.Things(1, "reply", "replies"), "1 reply"},
		{counted.Things(1000, "reply", "replies"), "1,000 replies"},
		{counted.Plain(1, "session"), "1 session"},
		{counted.Plain(1000, "session"), "1000 sessions"},
		{counted.Plain(2, "reply", "replies"), "2 replies"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
