package artifact

import "time"

// Stamp is a time as the JSON artifacts hold it: UTC in RFC 3339 with milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
