package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// cutWords counts, by kind, what was found in what was given, in replies, and in what was looked up.
func cutWords(kinds []minutes.CutKind) markdown {
	var words []string
	for _, side := range []struct {
		in string
		of func(minutes.CutKind) int
	}{
		{"in what was given", func(k minutes.CutKind) int { return k.Given }},
		{"in replies", func(k minutes.CutKind) int { return k.Replies }},
		{"in what was looked up", func(k minutes.CutKind) int { return k.Lookups }},
	} {
		n, of := 0, []string{}
		for _, k := range kinds {
			if count := side.of(k); count > 0 {
				n += count
				of = append(of, fmt.Sprintf("%s (%d)", hostile.Inline(k.Kind), count))
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s, %s", n, side.in, strings.Join(of, ", ")))
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
	if r.Unknown > 0 {
		line += fmt.Sprintf("%s named no stance before or after, so it is unknown whether they moved; ",
			plural.Things(r.Unknown, "member"))
	}
	line += changed
	if r.After.TokenShare != nil {
		line += fmt.Sprintf("; %s of the tokens came after the sealed positions", percent(r.After.TokenShare))
	}
	return line + "."
}

// percent formats a share from 0 to 1.
func percent(share *float64) string { return fmt.Sprintf("%g %%", math.Round(*share*1000)/10) }

// Called counts the calls of tools by member, the failed ones, and the bytes that came back.
func (s *session) Called(of []minutes.Lookups) markdown {
	var all minutes.Lookups
	var by []markdown
	for _, n := range of {
		all.Calls, all.Failed, all.Bytes = all.Calls+n.Calls, all.Failed+n.Failed, all.Bytes+n.Bytes
		by = append(by, s.Name(n.Member)+markdown(fmt.Sprintf(" %d", n.Calls)))
	}
	return markdown(fmt.Sprintf("%s of tools (%s), of which %d failed; %s bytes came back",
		plural.Things(all.Calls, "call"), join(by, ", "), all.Failed, plural.Thousands(all.Bytes)))
}
