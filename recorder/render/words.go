package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/wire"
)

// account is the minutes of a session in the words of its files.
type account struct{ minutes.Minutes }

type session struct {
	account
	tree  anchor.Tree // over the events so far
	Head  string      // the sum of the last of them, which covers the whole log
	shown map[*minutes.Draft]string

	section string       // of the transcript that is under way, so that its heading is written once
	written bytes.Buffer // the text of the present event
}

// RehearsalNote returns the note in every artifact of a session in which the rehearsal has a seat; "" in others.
func (s *account) RehearsalNote() markdown {
	who := "Every member"
	switch n, of := s.Started.Charter.Rehearsing(), len(s.Started.Charter.Members); {
	case n == 0:
		return ""
	case n < of:
		who = fmt.Sprintf("%d of %d members", n, of)
	default:
		who = "No model was asked. " + who
	}
	return markdown(who + " was the built-in rehearsal, which speaks from the topic and the documents by fixed rules.")
}

// Name returns a member's name, or its id where it has none that can be shown.
func (s *account) Name(id council.MemberID) markdown {
	if m := s.Started.Charter.Asked(id); m != nil {
		if name := hostile.Inlined(m.Name); name != "" {
			return name
		}
	}
	return hostile.Inlined(id)
}

// Voter returns a member's name where its votes are shown, with the mark of one that is scripted.
func (s *account) Voter(id council.MemberID) markdown {
	return s.Name(id) + markdown(s.Started.Charter.VoterMark(id))
}

// CouncilName returns the name of the council, or "Council".
func (s *account) CouncilName() markdown {
	return cmp.Or(hostile.Inlined(s.Started.Charter.CouncilName), "Council")
}

// MotionTitle returns the title of a motion between quotation marks.
func (s *account) MotionTitle(id council.MotionID) markdown {
	if m := s.Motion(id); m != nil {
		return markdown(quoted(m.Title, 160))
	}
	return "motion " + hostile.Inlined(id)
}

// Titles returns the titles of motions, each between quotation marks.
func (s *account) Titles(ids []council.MotionID) markdown {
	return join(council.Map(ids, s.MotionTitle), ", ")
}

func (s *session) take(e wire.Entry) {
	s.Take(e.Event, recordedOf(e))
	s.tree.Add(e)
	s.Head = e.Sum
}

func (s *session) header() Header {
	h := Header{Format: Format, SessionID: s.Session, Rehearsal: s.Rehearsed()}
	if h.Rehearsal {
		h.Note = string(s.RehearsalNote())
	}
	return h
}

// markdown returns the content of the draft's file: the words that were voted on, with nothing active in them.
func (s *session) markdown(d *minutes.Draft) string {
	text, ok := s.shown[d]
	if !ok {
		if s.shown == nil {
			s.shown = map[*minutes.Draft]string{}
		}
		text = hostile.Document(d.Markdown)
		s.shown[d] = text
	}
	return text
}

// refusedName returns the name of the file of a refused reply. It is empty where the words were forgotten, and where
// the log names no member.
func refusedName(d minutes.RefusedDraft) string {
	if !d.By.Valid() || d.Text == council.ForgottenMark {
		return ""
	}
	return fmt.Sprintf("documentation.draft.v%d.refused-%d.%s.md", d.Version, d.Try, d.By)
}

type draftShown struct {
	Name, SHA256 string
	Altered      bool // it differs from the words that were voted on: HTML, images and links are shown as text
}

// FileOf describes the file of a draft. There is none when its words were forgotten.
func (s *session) FileOf(d *minutes.Draft) draftShown {
	if d.Erased {
		return draftShown{}
	}
	text := s.markdown(d)
	return draftShown{fmt.Sprintf("documentation.draft.v%d.md", d.Version), council.Digest(text), text != d.Markdown}
}

const (
	mostUses  = 20  // shown of one reply
	mostWords = 160 // characters of the arguments of one, and of why it failed
)

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

func (s *account) lookups(e council.Event) []lookup {
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
