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
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/wire"
)

// session is the minutes of a session in the words of its files.
type session struct {
	minutes.Minutes
	tree  anchor.Tree // over the events so far
	Head  string      // the sum of the last of them, which covers the whole log
	shown map[*minutes.Draft]string

	section string // of the transcript that is under way, so that its heading is written once
}

// RehearsalNote returns the note in every artifact of a session in which the rehearsal has a seat; "" in others.
func (s *session) RehearsalNote() markdown {
	n, of := s.Started.Charter.Rehearsing(), len(s.Started.Charter.Members)
	if n == 0 {
		return ""
	}
	who := "No model was asked. Every member"
	if n < of {
		who = fmt.Sprintf("%d of %d members", n, of)
	}
	return markdown(who + " was the built-in rehearsal, which speaks from the topic and the documents by fixed rules.")
}

// Name returns a member's name, or its id where it has none that can be shown.
func (s *session) Name(id council.MemberID) markdown {
	if m := s.Started.Charter.Asked(id); m != nil {
		if name := hostile.Inlined(m.Name); name != "" {
			return name
		}
	}
	return hostile.Inlined(id)
}

// Voter returns a member's name where its votes are shown, with the mark of one that is scripted.
func (s *session) Voter(id council.MemberID) markdown {
	return s.Name(id) + markdown(s.Started.Charter.VoterMark(id))
}

// CouncilName returns the name of the council, or "Council".
func (s *session) CouncilName() markdown {
	return cmp.Or(hostile.Inlined(s.Started.Charter.CouncilName), "Council")
}

// MotionTitle returns the title of a motion between quotation marks.
func (s *session) MotionTitle(id council.MotionID) markdown {
	if m := s.Motion(id); m != nil {
		return markdown(quoted(m.Title, 160))
	}
	return "motion " + hostile.Inlined(id)
}

// Titles returns the titles of motions, each between quotation marks and, where options were ranked, with the winner.
func (s *session) Titles(ids []council.MotionID) markdown {
	return join(council.Map(ids, func(id council.MotionID) markdown {
		if m := s.Motion(id); m != nil && m.Choice != nil && m.Of == nil {
			return s.MotionTitle(id) + ": " + markdown(quoted(m.Decision, 160))
		}
		return s.MotionTitle(id)
	}), ", ")
}

func (s *session) take(e wire.Entry) {
	s.Take(e.Event, recordedOf(e))
	s.tree.Add(e)
	s.Head = e.Sum
}

func (s *session) header() Header {
	return Header{Format: Format, SessionID: s.Session, Rehearsal: s.Rehearsed(), Note: string(s.RehearsalNote())}
}

// The most uses that are shown of one reply, and the most characters of the arguments of one and of why it failed.
const mostUses, mostWords = 20, 160

// lookup is one use of a tool, or how many more there were.
type lookup struct {
	Event      string
	Who        markdown
	Did, Shown markdown
}

// LookedUp returns the uses of tools that the transcript shows with the event: the tool, its arguments, and the lines
// of files that it showed. The uses for a blind answer are shown when the answers are opened.
func (t *telling) LookedUp() []lookup {
	var all []lookup
	switch {
	case t.event.Sealed():
		return nil
	case t.event.Opens():
		for _, heard := range t.Heard {
			all = append(all, t.lookups(heard)...)
		}
	}
	return append(all, t.lookups(t.event)...)
}

func (s *session) lookups(e council.Event) []lookup {
	a, _ := e.Answered()
	all := council.Map(a.Tools[:min(len(a.Tools), mostUses)], func(u council.ToolUse) lookup {
		return lookup{e.Seq.ID(), s.Name(e.Actor), markdown(describeUse(u)), markdown(describeResult(u))}
	})
	if more := len(a.Tools) - mostUses; more > 0 {
		all = append(all, lookup{e.Seq.ID(), s.Name(e.Actor), markdown(plural.Things(more, "call") + " more"), ""})
	}
	return all
}

func describeResult(u council.ToolUse) string {
	size := plural.Things(len(u.Result), "byte")
	switch {
	case u.Failed && failureOf(u) == "":
		return "it failed"
	case u.Failed:
		return "it failed: " + clipped(failureOf(u))
	case len(u.Given) > 0:
		return hostile.Inline(lines(u.Given))
	case u.Cut:
		return "the first " + size
	}
	return size
}

// failureOf returns the message of a failed use without the full stop, and without a leading name that the next column
// shows.
func failureOf(u council.ToolUse) string {
	said := strings.TrimRight(u.Result, ". \n")
	name, rest, found := strings.Cut(said, ": ")
	if found && strings.HasPrefix(u.Tool, council.WorkspaceTools) &&
		strings.Contains(u.Arguments, council.CompactJSON(name)) {
		return rest
	}
	return said
}

// describeUse describes the member's request. Arguments of tools that are not council's are shown as they are.
func describeUse(u council.ToolUse) string {
	var a struct {
		Path, Query, Tool string
		Regexp            bool
	}
	plain := json.Unmarshal([]byte(u.Arguments), &a) == nil
	switch {
	case plain && u.Tool == council.ToolList:
		return "listed " + in(a.Path)
	case plain && u.Tool == council.ToolRead && a.Path != "":
		return "read in " + clipped(a.Path)
	case plain && u.Tool == council.ToolSearch && a.Regexp:
		return "searched " + in(a.Path) + " for what matches " + quoted(a.Query, mostWords)
	case plain && u.Tool == council.ToolSearch:
		return "searched " + in(a.Path) + " for " + quoted(a.Query, mostWords)
	case plain && u.Tool == council.ToolDescribe:
		return "asked what " + clipped(a.Tool) + " takes"
	}
	if u.Arguments == "" || u.Arguments == "{}" {
		return "called " + hostile.Inline(u.Tool)
	}
	return "called " + hostile.Inline(u.Tool) + " with " + clipped(u.Arguments)
}

func in(path string) string {
	if path = strings.TrimSpace(path); path == "" || path == "." {
		return "the workspace"
	}
	return clipped(path)
}

func clipped(s string) string { return hostile.Inline(hostile.Shorten(hostile.Line(s), mostWords)) }

const mostPlaces = 8

func lines(given []council.FileLines) string {
	var places []string
	for _, l := range given[:min(len(given), mostPlaces)] {
		place := fmt.Sprintf("%s:%d", l.File, l.From)
		if l.To > l.From {
			place = fmt.Sprintf("%s-%d", place, l.To)
		}
		places = append(places, place)
	}
	if more := len(given) - mostPlaces; more > 0 {
		places = append(places, fmt.Sprintf("and %d more places", more))
	}
	return strings.Join(places, ", ")
}

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
func (s *session) CostRows() []costRow {
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
func (s *session) Money() markdown {
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
func ReceiptLine(r *minutes.Receipt) string { return wording.Tell("receipt line", r) }

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
