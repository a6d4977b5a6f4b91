package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// quoted puts at most n runes of foreign words between quotation marks, in Markdown on one line.
func quoted(s string, n int) string { return hostile.Quoted(hostile.Shorten(hostile.Line(s), n)) }

// day formats a time to the minute.
func day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// lasted formats a span of time in its largest unit, rounded.
func lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return plural.Things(int64(d.Round(time.Second)/time.Second), "second")
	case d < 2*time.Hour:
		return plural.Things(int64(d.Round(time.Minute)/time.Minute), "minute")
	case d < 48*time.Hour:
		return plural.Things(int64(d.Round(time.Hour)/time.Hour), "hour")
	}
	return plural.Things(int64(d.Round(24*time.Hour)/(24*time.Hour)), "day")
}

// size formats a number of bytes.
func size(n int) string {
	switch {
	case n < 1000:
		return plural.Things(n, "byte")
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// verdict returns the sentence under the table of a vote. Won and lost are the words for its two results.
func verdict(d council.Decision, won, lost string, about ...any) markdown {
	words := make([]markdown, len(about))
	for i, a := range about {
		words[i] = inline(a)
	}
	subject := string(join(words, " "))
	valid, required := d.Count.Valid(), d.Rule.Required()
	cast := plural.Things(valid, "valid ballot was", "valid ballots were")
	if d.Result == quorum.NoQuorum {
		return markdown(fmt.Sprintf("**There was no quorum.** %s: %s cast and %d needed, so %s is neither %s nor %s.",
			d.Count.Words(), cast, required, subject, won, lost))
	}
	result, tie := lost, ""
	if d.Result == quorum.Carried {
		result = won
	} else if d.Count.Yes == d.Count.No {
		tie = " A tie fails."
	}
	heads := fmt.Sprintf("Quorum: %d of %s, and %s cast.", required, plural.Things(d.Rule.Members, "member"), cast)
	of := fmt.Sprintf("of the %s cast", plural.Things(d.Of, "YES and NO ballot"))
	switch d.Rule.CountOf {
	case quorum.Members:
		of = fmt.Sprintf("of all %s; whoever did not say YES counted against", plural.Things(d.Of, "member"))
	case quorum.Present:
		of = fmt.Sprintf("of the %s; whoever abstained counted against", plural.Things(d.Of, "valid ballot"))
	}
	return markdown(fmt.Sprintf("**%s is %s.** %s. Needed: %d YES (%s %s).%s %s",
		upper(subject), result, d.Count.Words(), d.Needed, inline(d.Rule.Threshold.Words()), of, tie, heads))
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
