// Package render writes every artifact of a session from its log: the transcript for people, and the files for other
// programs. It is a pure function of the log's entries. The same log gives the same bytes on any machine, whether the
// session is closed or not.
//
// It reads the minutes of the events and does not use the rules, so that a log of older rules stays readable. The words
// of members and charters go through package hostile: they cannot forge a heading, a speaker or a vote.
package render

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
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

// Artifacts renders every file that the log yields, by name. The log may end anywhere. An erased draft has no file.
// Errors: [ErrEmpty], [ErrDigest].
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
	out := []file{
		{FileTranscript, "these minutes", nil},
		{FileSession, "the session in one piece, for programs",
			func() ([]byte, error) { return wire.IndentedJSON(s.sessionFile()) }},
	}
	add := func(name, what string, render func() ([]byte, error)) { out = append(out, file{name, what, render}) }
	if s.Summary != nil {
		add(FileSummary, "the leader's summary",
			func() ([]byte, error) { return s.report("leader-summary", s.Summary.Event), nil })
	}
	if len(s.Dissents) > 0 {
		add(FileMinority, "the dissenting opinions",
			func() ([]byte, error) { return s.report("minority-report", s.Dissents[0]), nil })
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

// refusedDraft returns the content of the file of a refused reply: the reason, and its words, with nothing active in
// them.
func (s *session) refusedDraft(d minutes.RefusedDraft) []byte {
	t := s.telling(council.Event{Seq: d.Seq, Actor: d.By, Payload: council.DraftWritten{
		Answered: council.Answered{Refused: []council.RefusedDraft{d.RefusedDraft}},
		DraftRef: council.DraftRef{Version: d.Version}}})
	return []byte(t.write("refused-draft") + "\n" + strings.TrimRight(hostile.Document(d.Text), "\n") + "\n")
}

// finalDocument returns the content of the file of the last draft: the vote, the draft as in its own file, and the
// events that it cites. [ErrDigest].
func (s *session) finalDocument(d *minutes.Draft) ([]byte, error) {
	text, err := s.document(d)
	t := s.telling(council.Event{Seq: d.Seq, Actor: d.By, Payload: d.DraftWritten})
	whole := t.write("front") + "\n" + strings.TrimSuffix(string(text), "\n") + "\n"
	if len(t.Cited()) > 0 {
		whole += "\n" + t.write("cited")
	}
	return []byte(whole), err
}

// report writes a report by its definition; e is its first event.
func (s *session) report(name string, e council.Event) []byte {
	return []byte(s.telling(e).write(name))
}

// dueEvents lists the events, besides rulings on the brief, after which the files are rendered.
var dueEvents = []council.EventType{council.TypeOf[council.DraftWritten](),
	council.TypeOf[council.SessionSuspended](), council.TypeOf[council.SessionClosed](),
	council.TypeOf[council.SessionAdjourned]()}

// ChangesFiles reports whether the files are to be rendered after an event: it is a draft, or the session pauses or
// ends. In between only the transcript grows.
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

// Transcript grows transcript.md with the log. It belongs to one goroutine.
//
// Every heading, table and result in it is ours. A member's words are under the member's heading, in a quotation or in
// a cell, and hold no heading or table. The texts are in templates/tellings/transcript.tmpl.
type Transcript struct {
	session session
	body    []byte // the text of the entries so far
}

// Stream returns transcript.md of a log piece by piece, each of whole blocks. It begins with the outcome, at once,
// however long the log is; for an open session with words that do not change until it closes.
func Stream(entries []wire.Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(entries) == 0 {
			return
		}
		t, whole := &Transcript{}, &Transcript{session: session{Minutes: *MinutesOf(entries)}}
		whole.session.Head = entries[len(entries)-1].Sum
		more := yield(whole.head())
		for i := 0; i < len(entries) && more; i++ {
			if piece := t.grow(entries[i]); piece != "" {
				more = yield(piece)
			}
		}
	}
}

// NewTranscript returns transcript.md of a log, as [Stream] does, and the transcript that continues it.
func NewTranscript(entries []wire.Entry) (*Transcript, []byte) {
	t := grown(entries)
	return t, t.text()
}

func grown(entries []wire.Entry) *Transcript {
	t := &Transcript{}
	for _, e := range entries {
		t.grow(e)
	}
	return t
}

func (t *Transcript) text() []byte {
	if len(t.session.Events) == 0 {
		return nil
	}
	return append([]byte(t.head()), t.body...)
}

// Add adds the next entry of the log and returns its part of the transcript, which may be empty: ballots and other
// answers given unseen are shown together when they are counted. Grows is false where the session is closed, which
// changes the beginning too: the transcript is then the result of [NewTranscript].
func (t *Transcript) Add(e wire.Entry) (more string, grows bool) {
	more = t.grow(e)
	if len(t.session.Events) == 1 {
		more = t.head() + more
	}
	return more, t.session.Outcome == nil
}

// Minutes returns the minutes of the entries so far. They must not be changed.
func (t *Transcript) Minutes() *minutes.Minutes { return &t.session.Minutes }

// TranscriptOf returns the parts of the transcript for the events of a log that are asked for.
func TranscriptOf(entries []wire.Entry, asked func(council.Event) bool) string {
	t := &Transcript{}
	var text strings.Builder
	for _, e := range entries {
		if t.session.take(e); asked(e.Event) {
			text.WriteString(t.part(e))
		}
	}
	return strings.TrimPrefix(text.String(), "\n")
}

// Votes returns the parts of the transcript for every vote of a log: each ballot with its reason, and the count with
// the threshold.
func Votes(entries []wire.Entry) string {
	return TranscriptOf(entries, func(e council.Event) bool {
		switch e.Payload.(type) {
		case council.LeaderElected, council.AmendmentDecided, council.MotionDecided, council.DraftDecided:
			return true
		}
		return false
	})
}

func (t *Transcript) head() string { return t.session.telling(t.session.Events[0]).write("head") }

func (t *Transcript) grow(e wire.Entry) string {
	t.session.take(e)
	more := t.part(e)
	t.body = append(t.body, more...)
	return more
}

// part returns the part of the entry that was added last.
func (t *Transcript) part(e wire.Entry) string {
	one := t.session.telling(e.Event)
	one.At, one.Forgotten, one.transcript = e.Time, e.Forgotten, true
	text := one.write(one.definitions()...)
	if text != "" {
		text = "\n" + text
	}
	return text
}

// Pseudonyms lists the names by which prompts call the members, in seat order, or nothing.
func (t *telling) Pseudonyms() (names []string) {
	c := &t.Started.Charter
	letters := c.Pseudonyms(t.Started.Session)
	for _, id := range c.Seats() {
		if letters != nil {
			names = append(names, "Member "+letters[id])
		}
	}
	return names
}

// Number returns the number by which prompts name the position that the event sealed, or 0.
func (t *telling) Number() int {
	of := t.Started.Charter.NumberedPositions(t.Started.Session, t.Events)
	return 1 + slices.IndexFunc(of, func(e council.Event) bool { return e.Seq == t.event.Seq })
}
