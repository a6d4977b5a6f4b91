// Package render writes every artifact of a session from its log: the transcript for people, and the files for other
// programs. It is a pure function of the log's entries. The same log gives the same bytes on any machine, whether the
// session is closed or not.
//
// It reads the minutes of the events and does not use the rules, so that a log of older rules stays readable. The words
// of members and charters go through package hostile: they cannot forge a heading, a speaker or a vote.
package render

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/wire"
)

// The names of the artifacts. Those of drafts and reviews have their version in them.
const (
	FileTranscript = "transcript.md"
	FileSession    = "session.json"
	FileSummary    = "leader-summary.md"
	FileMinority   = "minority-report.md"
	FileApproved   = "documentation.md"
	FileUnapproved = "documentation.unapproved.md"
	FileBlockers   = "documentation.unresolved-blockers.json"
	FileHandoff    = "execution-handoff.json"
)

var numbered = regexp.MustCompile(`^documentation\.(draft\.v\d+(\.refused-\d+\.[a-z0-9_-]+)?\.md|review\.v\d+\.json)$`)

// Derived reports whether some log renders to a file of that name. Only such files are ever removed.
func Derived(name string) bool {
	return numbered.MatchString(name) || slices.Contains([]string{FileTranscript, FileSession, FileSummary, FileMinority,
		FileApproved, FileUnapproved, FileBlockers, FileHandoff}, name)
}

// Sentinels of rendering.
var (
	// ErrEmpty: the log has no entry.
	ErrEmpty = errors.New("the log is empty")
	// ErrDigest: a draft's text does not match its SHA-256, so it may differ from the one that was voted on.
	ErrDigest = errors.New("the text does not match its SHA-256")
)

// Artifacts renders every file that a log yields, which may end anywhere: none of an erased draft. [ErrEmpty],
// [ErrDigest].
func Artifacts(entries []wire.Entry) (map[string][]byte, error) {
	return grown(entries).Artifacts()
}

// Artifacts is the function of that name for the entries so far.
func (t *Transcript) Artifacts() (map[string][]byte, error) {
	s := &t.session
	if len(s.Events) == 0 {
		return nil, ErrEmpty
	}
	out := map[string][]byte{FileTranscript: t.text()}
	for _, f := range s.Files() {
		if f.render == nil {
			continue
		}
		content, err := f.render()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out[f.Name] = content
	}
	return out, nil
}

type file struct {
	Name, What string
	render     func() ([]byte, error) // nil for the transcript, which grows entry by entry
}

// Files lists the artifacts that the log yields so far, in the best order for a reader.
func (s *session) Files() []file {
	out := []file{{FileTranscript, "these minutes", nil}, {FileSession, "the session in one piece, for programs",
		func() ([]byte, error) { return wire.IndentedJSON(s.sessionFile()) }}}
	add := func(name, what string, render func() ([]byte, error)) { out = append(out, file{name, what, render}) }
	if s.Summary != nil {
		add(FileSummary, "the leader's summary",
			func() ([]byte, error) { return []byte(s.telling(s.Summary.Event).write("leader-summary")), nil })
	}
	if len(s.Dissents) > 0 {
		add(FileMinority, "the dissenting opinions",
			func() ([]byte, error) { return []byte(s.telling(s.Dissents[0]).write("minority-report")), nil })
	}
	for _, d := range s.Minutes.Refused {
		if name := refusedName(d); name != "" {
			add(name, fmt.Sprintf("a reply that was refused as draft %d", d.Version),
				func() ([]byte, error) { return s.refusedDraft(d), nil })
		}
	}
	for _, d := range s.Drafts {
		if !d.Erased {
			add(s.FileOf(d).Name, fmt.Sprintf("draft %d", d.Version), func() ([]byte, error) { return s.document(d) })
		}
		if d.Failed() {
			add(fmt.Sprintf("documentation.review.v%d.json", d.Version), fmt.Sprintf("why draft %d was not approved", d.Version),
				func() ([]byte, error) { return wire.IndentedJSON(s.reviewFile(d)) })
		}
	}
	switch d := s.FinalDraft(); {
	case d == nil:
	case d.Approved() && d.Erased:
	case d.Approved():
		add(FileApproved, "the approved document", func() ([]byte, error) { return s.finalDocument(d) })
	case s.Outcome != nil && s.Outcome.Documentation == council.DocumentationUnapproved:
		if !d.Erased {
			add(FileUnapproved, "the last draft, not approved", func() ([]byte, error) { return s.finalDocument(d) })
		}
		add(FileBlockers, "what stood in the way", func() ([]byte, error) { return wire.IndentedJSON(s.blockersFile(d)) })
	}
	if s.Handoff.HandedOff() {
		add(FileHandoff, "what is to be carried out", func() ([]byte, error) { return wire.IndentedJSON(s.handoffFile()) })
	}
	return out
}

func (s *session) document(d *minutes.Draft) ([]byte, error) {
	if council.Digest(d.Markdown) != d.SHA256 {
		return nil, ErrDigest
	}
	return []byte(s.markdown(d)), nil
}

// refusedDraft returns the content of the file of a refused reply: the reason, and its words made harmless.
func (s *session) refusedDraft(d minutes.RefusedDraft) []byte {
	t := s.telling(council.Event{Seq: d.Seq, Actor: d.By, Payload: council.DraftWritten{
		Answered: council.Answered{Refused: []council.RefusedDraft{d.RefusedDraft}},
		DraftRef: council.DraftRef{Version: d.Version}}})
	return []byte(t.write("refused-draft") + "\n" + strings.TrimRight(hostile.Document(d.Text), "\n") + "\n")
}

// finalDocument returns the file of the last draft: the vote, the draft, and the events that it cites. [ErrDigest].
func (s *session) finalDocument(d *minutes.Draft) ([]byte, error) {
	text, err := s.document(d)
	t := s.telling(council.Event{Seq: d.Seq, Actor: d.By, Payload: d.DraftWritten})
	whole := t.write("front") + "\n" + strings.TrimSuffix(string(text), "\n") + "\n"
	if len(t.Cited()) > 0 {
		whole += "\n" + t.write("cited")
	}
	return []byte(whole), err
}

// dueEvents lists the events, besides rulings on the brief, after which the files are rendered.
var dueEvents = []council.EventType{council.TypeOf[council.DraftWritten](), council.TypeOf[council.SessionSuspended](),
	council.TypeOf[council.SessionClosed](), council.TypeOf[council.SessionAdjourned]()}

// ChangesFiles reports whether the files are rendered after an event; after others only the transcript grows.
func ChangesFiles(e council.Event) bool {
	return e.Type().RulesOnBrief() || slices.Contains(dueEvents, e.Type())
}

// MinutesOf returns the minutes of a log.
func MinutesOf(entries []wire.Entry) *minutes.Minutes {
	m := &minutes.Minutes{}
	for _, e := range entries {
		m.Take(e.Event, recordedOf(e))
	}
	return m
}

func recordedOf(e wire.Entry) minutes.Recorded {
	return minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten}
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
	words := make([]markdown, len(about))
	for i, a := range about {
		words[i] = hostile.Inlined(a)
	}
	subject := string(join(words, " "))
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
func ReceiptLine(r *minutes.Receipt) string {
	changed := map[minutes.Known]string{minutes.Yes: "a vote at once would have ended otherwise",
		minutes.No:      "a vote at once would have ended the same",
		minutes.Unknown: "it is unknown whether a vote at once would have ended the same"}[r.Changed]
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
