package cli

import (
	"time"
)

// Day writes the day of a time.
func Day(t time.Time) string { return t.UTC().Format("2006-01-02") }
