package render

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/safehtml"
	"github.com/council-engine/council/recorder/wire"
)

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
		t, whole := &Transcript{}, &Transcript{session: session{account: account{*MinutesOf(entries)}}}
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
	t := &Transcript{}
	for _, e := range entries {
		t.grow(e)
	}
	return t, t.text()
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

// ExportFile is a session in one JSON document: its files by their names, those in JSON as objects and those in
// Markdown as strings.
type ExportFile struct {
	Header
	Files map[string]any `json:"files"`
}

// JSONExport returns a session as an [ExportFile]. Errors are those of [Artifacts].
func JSONExport(entries []wire.Entry) ([]byte, error) {
	t, _ := NewTranscript(entries)
	files, err := t.Artifacts()
	if err != nil {
		return nil, err
	}
	out := ExportFile{t.session.header(), map[string]any{}}
	for name, content := range files {
		if out.Files[name] = json.RawMessage(content); strings.HasSuffix(name, ".md") {
			out.Files[name] = string(content)
		}
	}
	return wire.IndentedJSON(out)
}

// FullMinutes returns the minutes of a session, with the document that it ended with behind them. Errors are those of
// [Artifacts].
func FullMinutes(entries []wire.Entry) ([]byte, error) {
	_, text, document, err := tellWhole(entries)
	if err != nil {
		return nil, err
	}
	if document != "" {
		text = append(text, "\n---\n\n"+document...)
	}
	return text, nil
}

// HTMLPage returns a session as one page of HTML that needs nothing beside it: the outcome, the votes, the dissents and
// the document. Errors are those of [Artifacts].
func HTMLPage(entries []wire.Entry) ([]byte, error) {
	t, _, document, err := tellWhole(entries)
	if err != nil {
		return nil, err
	}
	title := cmp.Or(firstLine(t.Started.Topic.Text), t.Started.Charter.CouncilName, "Council")
	return safehtml.Page(title, t.write("page"), document), nil
}

// DecisionRecord returns a session as an architectural decision record in the form of MADR, its title as plain text,
// and the sessions whose decisions it replaces: the one that it reopens, and those of remembered decisions that its
// resolutions name. Errors are those of [Artifacts].
func DecisionRecord(entries []wire.Entry) (text []byte, title string, replaces []council.SessionID, err error) {
	t, _, _, err := tellWhole(entries)
	if err != nil {
		return nil, "", nil, err
	}
	var named []string
	if t.Outcome != nil {
		for _, r := range t.Outcome.Resolutions {
			if moved := t.Motion(r.Motion); moved != nil {
				named = append(named, council.RecordsReplaced(moved.Title, moved.Text, moved.Decision)...)
			}
		}
		if again := t.Started.Topic.Reopens; again != nil && t.Outcome.Decided {
			replaces = append(replaces, again.Session)
		}
	}
	for _, of := range t.Started.Memory {
		for _, r := range of.Records {
			if slices.Contains(named, r.ID) && r.Session != "" {
				replaces = append(replaces, r.Session)
			}
		}
	}
	return []byte(t.write("adr")), firstLine(t.Started.Topic.Text), replaces, nil
}

// tellWhole returns the telling of a whole log, its transcript, and the introduced last document, or "".
func tellWhole(entries []wire.Entry) (t *telling, text []byte, document string, err error) {
	if len(entries) == 0 {
		return nil, nil, "", ErrEmpty
	}
	all, text := NewTranscript(entries)
	s := &all.session
	t = s.telling(s.Events[0])
	if d := s.FinalDraft(); d != nil && !d.Erased {
		words, err := s.document(d)
		if err != nil {
			return nil, nil, "", err
		}
		document = t.write("document introduced") + "\n" + string(words)
	}
	return t, text, document, nil
}
