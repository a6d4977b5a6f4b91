package render

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// quoted returns at most n runes of foreign words between quotation marks, in Markdown on one line.
func quoted(s string, n int) string { return hostile.Quoted(hostile.Shorten(hostile.Line(s), n)) }

func day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

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
	subject := string(join(council.Map(about, hostile.Inlined), " "))
	valid, required := d.Count.Valid(), d.Rule.Required()
	cast := plural.Things(valid, "valid ballot was", "valid ballots were")
	if valid == 0 {
		cast = "no valid ballot was"
	}
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
	if d.Of == 0 {
		of = "of the YES and NO ballots, of which none was cast"
	}
	switch d.Rule.CountOf {
	case quorum.Members:
		of = fmt.Sprintf("of all %s; whoever did not say YES counted against", plural.Things(d.Of, "member"))
	case quorum.Present:
		of = fmt.Sprintf("of the %s; whoever abstained counted against", plural.Things(d.Of, "valid ballot"))
	}
	return markdown(fmt.Sprintf("**%s is %s.** %s. Needed: %d YES (%s %s).%s %s",
		upper(subject), result, d.Count.Words(), d.Needed, hostile.Inlined(d.Rule.Threshold.Words()), of, tie, heads))
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

//go:embed words.json
var embedded []byte

// wordTable holds the words for every kind of fault, with advice, and for every kind of ask.
var wordTable = sync.OnceValue(func() (words struct {
	Faults map[council.FaultKind]struct{ What, Helps string }
	Asks   map[council.AskKind]string
}) {
	if err := json.Unmarshal(embedded, &words); err != nil {
		panic(err) // a test reads all of it
	}
	return words
})

// Remedy returns advice on a fault of the kind, or "" for an unknown kind.
func Remedy(k council.FaultKind) string { return wordTable().Faults[k].Helps }

func faultWords(f council.Fault) string {
	words := cmp.Or(wordTable().Faults[f.Kind].What, hostile.Inline(string(f.Kind)))
	if hostile.Line(f.Message) != "" {
		words += " (" + quoted(f.Message, 1_000) + ")"
	}
	return words
}

// AskWords names the answer to an ask of the kind, as in "asked for its ballot".
func AskWords(k council.AskKind) string { return cmp.Or(wordTable().Asks[k], "an answer") }

type costRow struct {
	Who markdown
	minutes.Usage
	Seconds float64
	Cost    string
}

// CostRows returns the usage and the cost of each member, then of all.
func (s *account) CostRows() []costRow {
	usage := s.Replies().Usage()
	var rows []costRow
	add := func(who markdown, u minutes.Usage, cost *float64) {
		rows = append(rows, costRow{who, u, float64(u.ElapsedMS) / 1000, USD(cost)})
	}
	var total *float64
	for i, m := range usage.Members {
		var cost *float64
		if usage.Cost != nil {
			cost, total = usage.Cost.Members[i].Cost, usage.Cost.Total
		}
		add(s.Name(m.Member), m.Usage, cost)
	}
	add("**All**", usage.Total, total)
	return rows
}

// USD writes an amount of US dollars; nil is an unknown one.
func USD(amount *float64) string {
	if amount == nil {
		return "unknown"
	}
	return council.Dollars(*amount).String()
}

// Money returns a sentence with the cost of the session and its prices, or "" if no prices are known.
func (s *account) Money() markdown {
	r := s.Replies().Usage().Cost
	if r == nil {
		return ""
	}
	r.PricesAsOf = string(hostile.Inlined(r.PricesAsOf))
	return markdown("In money: " + r.Words(func(m council.MemberID) string { return string(s.Name(m)) }) + ".")
}

// cutWords counts, by kind, the findings in given texts, in replies, and in lookups.
func cutWords(kinds []minutes.CutKind) markdown {
	var words []string
	for i, where := range []string{"in what was given", "in replies", "in what was looked up"} {
		n, of := 0, []string{}
		for _, k := range kinds {
			if count := []int{k.Given, k.Replies, k.Lookups}[i]; count > 0 {
				n += count
				of = append(of, fmt.Sprintf("%s (%d)", hostile.Inline(k.Kind), count))
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s, %s", n, where, strings.Join(of, ", ")))
		}
	}
	return markdown(strings.Join(words, "; "))
}

// ReceiptLine sums a receipt up in one line, without words of members.
func ReceiptLine(r *minutes.Receipt) string {
	changed := map[minutes.Known]string{
		minutes.Yes:     "a vote at once would have ended otherwise",
		minutes.No:      "a vote at once would have ended the same",
		minutes.Unknown: "it is unknown whether a vote at once would have ended the same",
	}[r.Changed]
	line := fmt.Sprintf("%d of %d moved; ", r.Moved, len(r.Positions))
	if r.Unknown >= len(r.Positions) {
		line = "it is unknown who moved, because no member named a stance before and after; "
	} else if r.Unknown > 0 {
		line += fmt.Sprintf("%s named no stance before or after, so it is unknown whether they moved; ",
			plural.Things(r.Unknown, "member"))
	}
	line += changed
	if r.After.TokenShare != nil {
		line += fmt.Sprintf("; %s of the tokens came after the sealed positions", percent(r.After.TokenShare))
	}
	return line + "."
}

func percent(share *float64) string { return fmt.Sprintf("%g %%", math.Round(*share*1000)/10) }

// Called counts the calls of tools by member, the failed ones, and the bytes that came back.
func (s *account) Called(of []minutes.Lookups) markdown {
	var all minutes.Lookups
	var by []markdown
	for _, n := range of {
		all.Calls, all.Failed, all.Bytes = all.Calls+n.Calls, all.Failed+n.Failed, all.Bytes+n.Bytes
		by = append(by, s.Name(n.Member)+markdown(fmt.Sprintf(" %d", n.Calls)))
	}
	return markdown(fmt.Sprintf("%s of tools (%s), of which %d failed; %s bytes came back",
		plural.Things(all.Calls, "call"), join(by, ", "), all.Failed, plural.Thousands(all.Bytes)))
}
