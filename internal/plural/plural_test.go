package plural_test

import (
	"math"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/plural"
)

func TestCounted(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plural.Thousands(0), "0"},
		{plural.Thousands(999), "999"},
		{plural.Thousands(1000), "1,000"},
		{plural.Thousands(int64(1234567)), "1,234,567"},
		{plural.Thousands(-123), "-123"},
		{plural.Thousands(-1234), "-1,234"},
		{plural.Thousands(int64(math.MinInt64)), "-9,223,372,036,854,775,808"},
		{plural.Things(0, "member"), "0 members"},
		{plural.Things(1, "member"), "1 member"},
		{plural.Things(int64(2), "member"), "2 members"},
		{plural.Things(12345, "token"), "12,345 tokens"},
		{plural.Things(1, "reply", "replies"), "1 reply"},
		{plural.Things(1000, "reply", "replies"), "1,000 replies"},
		{plural.List([]string{"a", "b"}, 2), "a, b"},
		{plural.List([]string{"a", "b", "c", "d"}, 2), "a, b and 2 more"},
		{plural.Plain(1, "session"), "1 session"},
		{plural.Plain(1000, "session"), "1000 sessions"},
		{plural.Plain(2, "reply", "replies"), "2 replies"},
	} {
		check.Is(t, "it", c.want, c.got)
	}
}
