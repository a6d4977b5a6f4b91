package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// receiptLimits is what a reader must know of every receipt.
const receiptLimits = "Stances are compared by their words: what is said anew in other words counts as another stance. " +
	"The record shows what a member cited when it moved, not why it moved, and not whether the outcome is right."

// receiptWords says a receipt in sentences of Markdown, one an item. name is what a member is called, in Markdown.
func receiptWords(r *minutes.Receipt, name func(council.MemberID) string) []string {
	out := []string{receiptBefore(r), receiptOutcome(r)}
	out = append(out, receiptMoved(r, name)...)
	if s := r.Split; s != nil {
		out = append(out, fmt.Sprintf("**The vote:** %d YES, %d NO, %d ABSTAIN, %d INVALID, %d ABSENT.", s.Yes, s.No, s.Abstain, s.Invalid, s.Absent))
	}
	out = append(out, fmt.Sprintf("**Dissents:** %d. **Answers that were unusable:** %d.", r.Dissents, r.Faults))
	for _, stop := range r.EarlyStops {
		why := "a round brought nothing new"
		if stop.Reason == council.EndUncontested {
			why = "nobody was of another mind"
		}
		out = append(out, fmt.Sprintf("**Ended early:** the debate of phase %s, because %s (%s).", hostile.Inline(string(stop.Phase)), why, stop.Event))
	}
	out = append(out, "**Spent after the sealed positions:** "+receiptAfter(r.After)+".", receiptModels(r))
	if len(r.Lookups) > 0 {
		out = append(out, "**Looked up:** "+calledTools(r.Lookups, name)+".")
	}
	if len(r.Cut) > 0 {
		out = append(out, "**Secrets that were cut out:** "+cutWords(r.Cut)+".")
	}
	if len(r.Hidden) > 0 {
		out = append(out, "**Hidden characters:** "+cutWords(r.Hidden)+".")
	}
	return out
}

// cutWords says how many of what kinds were in what was given, in replies, and in what was looked up.
func cutWords(kinds []minutes.CutKind) string {
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
	return strings.Join(words, "; ")
}

// ReceiptLine says the gist of a receipt on one line, in words of ours alone.
func ReceiptLine(r *minutes.Receipt) string {
	changed := map[minutes.Known]string{
		minutes.Yes:     "the outcome is another than the first plurality",
		minutes.No:      "the outcome is that of the first plurality",
		minutes.Unknown: "whether the outcome differs from the first plurality is not known",
	}[r.Changed]
	line := fmt.Sprintf("%d of %d moved; %s", r.Moved, len(r.Positions), changed)
	if r.Unknown > 0 {
		line = fmt.Sprintf("%d of %d moved, and perhaps %d more; %s", r.Moved, len(r.Positions), r.Unknown, changed)
	}
	if r.After.TokenShare != nil {
		line += fmt.Sprintf("; %s of the tokens came after the sealed positions", percent(r.After.TokenShare))
	}
	return line + "."
}

func receiptBefore(r *minutes.Receipt) string {
	words := fmt.Sprintf("**Before:** %s", plural.Things(len(r.Positions), "sealed position"))
	switch {
	case r.Stances == 0:
		return words + ", and none names a stance."
	case r.Plurality == nil:
		return words + fmt.Sprintf(", %s, and none of them ahead.", plural.Things(r.Stances, "stance"))
	}
	return words + fmt.Sprintf(", %s; most of them %s (%d of %d).", plural.Things(r.Stances, "stance"), quoted(r.Plurality.Stance, mostStance), r.Plurality.Votes, r.Plurality.Of)
}

func receiptOutcome(r *minutes.Receipt) string {
	switch {
	case r.Split == nil:
		return "**Outcome:** nothing was resolved."
	case r.Outcome == nil:
		return "**Outcome:** resolved; those who voted YES name no one stance for it, so whether it differs from the first plurality is not known."
	}
	words := fmt.Sprintf("**Outcome:** resolved; most who voted YES prefer %s (%d of %d)", quoted(r.Outcome.Stance, mostStance), r.Outcome.Votes, r.Outcome.Of)
	switch r.Changed {
	case minutes.Yes:
		return words + ". That is another answer than the first plurality."
	case minutes.No:
		return words + ". That was the first plurality too."
	}
	return words + ". There was no first plurality to compare it with."
}

func receiptMoved(r *minutes.Receipt, name func(council.MemberID) string) []string {
	var out, unknown []string
	for _, h := range r.Positions {
		switch h.Moved {
		case minutes.Yes:
			cited := "its reasons cite nothing"
			if len(h.Citing) > 0 {
				cited = "its reasons cite " + hostile.Inline(strings.Join(h.Citing, ", "))
			}
			out = append(out, fmt.Sprintf("**Moved:** %s, from %s (%s) to %s; first in its ballot %s, and %s.",
				name(h.Member), quoted(h.Stance, mostStance), h.Event, quoted(h.Last, mostStance), h.MovedIn, cited))
		case minutes.Unknown:
			unknown = append(unknown, name(h.Member))
		}
	}
	if len(out) == 0 {
		out = append(out, "**Moved:** nobody, as far as is known.")
	}
	if len(unknown) > 0 {
		out = append(out, "**Not known** whether moved, because no stance was named before or after: "+strings.Join(unknown, ", ")+".")
	}
	return out
}

func receiptAfter(a minutes.SpentAfter) string {
	words := plural.Things(a.Calls, "call")
	if a.TokenShare != nil {
		words += fmt.Sprintf(", %s tokens (%s of all)", plural.Thousands(a.Tokens), percent(a.TokenShare))
	}
	if a.USD != nil {
		words += ", " + council.Dollars(*a.USD).String()
		if a.USDShare != nil {
			words += fmt.Sprintf(" (%s of all)", percent(a.USDShare))
		}
	}
	return words
}

func receiptModels(r *minutes.Receipt) string {
	if r.Models == 0 {
		return "**Models:** none spoke, or none that has a name."
	}
	return fmt.Sprintf("**Models:** %d configured, of %s; %d as their providers name them.", r.Models, plural.Things(r.Families, "family", "families"), r.Reported)
}

func percent(share *float64) string { return fmt.Sprintf("%g %%", math.Round(*share*1000)/10) }

// mostStance is the number of characters that a stance may have.
const mostStance = 100

// calledTools says how often tools were called, by whom, and what came of it.
func calledTools(of []minutes.Lookups, name func(council.MemberID) string) string {
	var all minutes.Lookups
	var by []string
	for _, n := range of {
		all.Calls, all.Failed, all.Bytes = all.Calls+n.Calls, all.Failed+n.Failed, all.Bytes+n.Bytes
		by = append(by, fmt.Sprintf("%s %d", name(n.Member), n.Calls))
	}
	return fmt.Sprintf("%s of tools (%s), of which %d failed; %s bytes came back",
		plural.Things(all.Calls, "call"), strings.Join(by, ", "), all.Failed, plural.Thousands(all.Bytes))
}
