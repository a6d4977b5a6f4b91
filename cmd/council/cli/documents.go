package cli

import (
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
)

// The bounds of the summary; the record has more. maxDocuments is how many documents it lists, maxLeft how many files
// left out for one reason.
const (
	maxDocuments = 12
	maxLeft      = 12
)

// givenPage is the data of the templates "given" and "left": the members' documents, and those left out.
type givenPage struct {
	Listed   []council.Document // told one by one
	More     int                // of which only the number is told
	Bytes    int64              // of those
	Left     []leftOut
	Crowding bool
}

// leftOut is the names left out for one reason: the first of them, and the number of the rest.
type leftOut struct {
	council.Skipped
	More int
}

// Secret reports whether a document is named like a file of keys.
func (givenPage) Secret(name string) bool { return documents.Secret(name) }

// ContextWords lists the members' documents and the notes left out, one sentence each.
func ContextWords(t council.Topic) []string {
	p := leftPage(t, true)
	for i, d := range t.Documents {
		if i >= maxDocuments && len(t.Documents) > maxDocuments+1 && !documents.Secret(d.Name) {
			p.More, p.Bytes = p.More+1, p.Bytes+int64(len(d.Text))
		} else {
			p.Listed = append(p.Listed, d)
		}
	}
	return strings.Split(strings.TrimSpace(terminal.Tell("given", p)), "\n")
}

// LeftWords lists the files that were named, or changed, and that members are not shown, one sentence for each reason.
func LeftWords(t council.Topic) []string {
	p := leftPage(t, false)
	if len(p.Left) == 0 {
		return nil
	}
	p.Crowding = slices.ContainsFunc(t.Skipped, documents.IsCrowdedOut)
	return strings.Split(strings.TrimSpace(terminal.Tell("left", p)), "\n")
}

func leftPage(t council.Topic, notes bool) (p givenPage) {
	for _, s := range t.Skipped {
		if s.Notes == notes {
			s.Files = s.Files[:min(len(s.Files), maxLeft)]
			p.Left = append(p.Left, leftOut{s, s.Count - len(s.Files)})
		}
	}
	return p
}
