package cli

import (
	"strconv"
	"strings"
	"time"
)

// Span reads a length of time as people give it to a flag: 90m, 24h, or whole days such as 7d. Anything else is a usage
// error, and so is nothing.
func Span(flag, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return 0, Refuse("--"+flag+" is a length of time such as 90m, 24h or 7d, not "+Quote(text), "Nothing was done.")
	}
	return d, nil
}
