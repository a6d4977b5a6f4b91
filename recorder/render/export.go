package render

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/safehtml"
	"github.com/council-engine/council/recorder/wire"
)

// ExportFile is a session in one JSON document: its files by their names, those in JSON as objects and those in
// Markdown as strings.
type ExportFile struct {
	Header
	Files map[string]any `json:"files"`
}

// Object returns a session as an [ExportFile]. Errors are those of [Artifacts].
func Object(entries []wire.Entry) ([]byte, error) {
	files, err := Artifacts(entries)
	if err != nil {
		return nil, err
	}
	t, _ := Tell(entries)
	out := ExportFile{t.session.header(), map[string]any{}}
	for name, content := range files {
		if out.Files[name] = json.RawMessage(content); strings.HasSuffix(name, ".md") {
			out.Files[name] = string(content)
		}
	}
	return encode(out)
}

// Whole returns the minutes of a session, with the document that it ended with behind them. Errors are those of
// [Artifacts].
func Whole(entries []wire.Entry) ([]byte, error) {
	_, document, err := told(entries)
	if err != nil {
		return nil, err
	}
	_, text := Tell(entries)
	if document != "" {
		text = append(text, "\n---\n\n"+document...)
	}
	return text, nil
}

// Page returns a session as one page of HTML that needs nothing beside it: the outcome, the votes, the dissents and the
// document. Errors are those of [Artifacts].
func Page(entries []wire.Entry) ([]byte, error) {
	t, document, err := told(entries)
	if err != nil {
		return nil, err
	}
	title := cmp.Or(firstLine(t.Started.Topic.Text), t.Started.Charter.CouncilName, "Council")
	return safehtml.Page(title, t.write("page"), document), nil
}

// Record returns a session as an architectural decision record in the form of MADR, its title as plain text, and the
// sessions whose decisions it replaces, as far as memory had reminded the council of them. Errors are those of
// [Artifacts].
func Record(entries []wire.Entry) (text []byte, title string, replaces []council.SessionID, err error) {
	t, _, err := told(entries)
	if err != nil {
		return nil, "", nil, err
	}
	settled := map[string]bool{}
	if t.Summary != nil {
		for _, s := range t.Started.Settled(t.Summary.Event.Actor, t.Summary.Summary) {
			settled[s.Record] = s.How == council.SettledSuperseded
		}
	}
	for _, of := range t.Started.Memory {
		for _, r := range of.Records {
			if settled[r.ID] && r.Session != "" {
				replaces = append(replaces, r.Session)
			}
		}
	}
	return []byte(t.write("adr")), firstLine(t.Started.Topic.Text), replaces, nil
}

// told returns the telling of a whole log, and the document that the session ended with, introduced, or "".
func told(entries []wire.Entry) (t *telling, document string, err error) {
	if len(entries) == 0 {
		return nil, "", ErrEmpty
	}
	all, _ := Tell(entries)
	s := &all.session
	t = s.telling(s.Events[0])
	if d := s.FinalDraft(); d != nil && !d.Erased {
		text, err := s.document(d)
		if err != nil {
			return nil, "", err
		}
		document = t.write("document introduced") + "\n" + string(text)
	}
	return t, document, nil
}
