package render

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
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

//go:embed words.json
var embedded []byte

// wordsOf holds the words for every kind of fault, what went wrong and what a person can do about it, and for what every kind
// of ask asks for.
var wordsOf = sync.OnceValue(func() (words struct {
	Faults map[council.FaultKind]struct{ What, Helps string }
	Asks   map[council.AskKind]string
}) {
	if err := json.Unmarshal(embedded, &words); err != nil {
		panic(err) // a test reads all of it
	}
	return words
})

// Remedy returns what a person can do about a fault of the kind, or "" for an unknown kind.
func Remedy(k council.FaultKind) string { return wordsOf().Faults[k].Helps }

// faultWords describes a fault, and quotes its message.
func faultWords(f council.Fault) string {
	words := cmp.Or(wordsOf().Faults[f.Kind].What, hostile.Inline(string(f.Kind)))
	if hostile.Line(f.Message) != "" {
		words += " (" + quoted(f.Message, 300) + ")"
	}
	return words
}

// WhatIsAsked names what an ask of the kind asks for, as in "asked for its ballot".
func WhatIsAsked(k council.AskKind) string { return cmp.Or(wordsOf().Asks[k], "an answer") }
