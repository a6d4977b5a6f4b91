package render

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// clip shortens s to at most n runes and says so.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n-1])) + "…"
}

// quoted puts at most n runes of what somebody else wrote between quotation marks, in Markdown on one line.
func quoted(s string, n int) string { return hostile.Quoted(clip(hostile.Line(s), n)) }

// day is a time as people read it.
func day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// lasted is a span of time as people say it.
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

// size is a number of bytes as people say it.
func size(n int) string {
	switch {
	case n < 1000:
		return plural.Things(n, "byte")
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// shortDigest is the beginning of a digest, enough to tell two apart.
func shortDigest(sha string) string { return hostile.Inline(clip(hostile.Line(sha), 13)) }

// counted says how the ballots fell: "2 YES, 1 NO, 1 ABSENT".
func counted(c quorum.Count) string {
	parts := []string{fmt.Sprintf("%d YES", c.Yes), fmt.Sprintf("%d NO", c.No)}
	for _, rest := range []struct {
		n    int
		what string
	}{{c.Abstain, "ABSTAIN"}, {c.Invalid, "INVALID"}, {c.Absent, "ABSENT"}} {
		if rest.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", rest.n, rest.what))
		}
	}
	return strings.Join(parts, ", ")
}

// verdict is the sentence under the table of a vote. Won and lost say what the result means for its subject.
func verdict(d council.Decision, subject, won, lost string) string {
	valid, required := d.Count.Valid(), d.Rule.Required()
	if d.Result == quorum.NoQuorum {
		return fmt.Sprintf("**There was no quorum.** %s: %s cast and %d needed, so %s is neither %s nor %s.",
			counted(d.Count), plural.Things(valid, "valid ballot was", "valid ballots were"), required, subject, won, lost)
	}
	result, tie := lost, ""
	if d.Result == quorum.Carried {
		result = won
	} else if d.Count.Yes == d.Count.No {
		tie = " A tie fails."
	}
	heads := fmt.Sprintf("Quorum: %d of %s, and %s cast.", required, plural.Things(d.Rule.Members, "member"), plural.Things(valid, "valid ballot was", "valid ballots were"))
	of := fmt.Sprintf("of the %s cast", plural.Things(d.Of, "YES and NO ballot"))
	switch d.Rule.CountOf {
	case quorum.Members:
		of = fmt.Sprintf("of all %s; whoever did not say YES counted against", plural.Things(d.Of, "member"))
	case quorum.Present:
		of = fmt.Sprintf("of the %s; whoever abstained counted against", plural.Things(d.Of, "valid ballot"))
	}
	return fmt.Sprintf("**%s is %s.** %s. Needed: %d YES (%s %s).%s %s",
		upper(subject), result, counted(d.Count), d.Needed, d.Rule.Threshold.Words(), of, tie, heads)
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// budgetWords says what a session may spend: "at most 1,000 tokens, no limit on time".
func budgetWords(b council.Budget) string {
	tokens, minutes := "no limit on tokens", "no limit on time"
	if b.Tokens > 0 {
		tokens = "at most " + plural.Things(b.Tokens, "token")
	}
	if b.Minutes > 0 {
		minutes = fmt.Sprintf("at most %g minutes of waiting for members", b.Minutes)
	}
	if b.USD > 0 {
		return tokens + ", at most " + council.Dollars(b.USD).String() + ", " + minutes
	}
	return tokens + ", " + minutes
}

// debateEnded is the sentence on why a debate ended.
func debateEnded(reason council.DebateEnd) string {
	return map[council.DebateEnd]string{
		council.EndMajorityVote: "The debate ended because a motion was carried.",
		council.EndRoundLimit:   "The debate ended because its rounds were used up.",
		council.EndAllPassed:    "The debate ended because everybody passed.",
		council.EndUncontested:  "The debate ended early: the sealed positions agreed, and what the leader moved at once carried with every vote.",
		council.EndUnanswered:   "The debate ended because nobody answered in a whole round.",
		council.EndNothingNew:   "The debate ended early: in a whole round nobody moved, and nothing was cited that had not been cited before.",
	}[reason]
}
