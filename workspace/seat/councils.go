package seat

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/site"
)

// Usual returns the default council.
func Usual() string { return templates.Councils()[0] }

// Line is a council in a list, as --json prints it.
type Line struct {
	Name     string             `json:"name"`
	Path     string             `json:"path,omitempty"`  // absent: ready-made
	Hides    []string           `json:"hides,omitempty"` // what else has the name
	Title    string             `json:"title,omitempty"`
	Purpose  string             `json:"purpose,omitempty"`
	Members  []council.MemberID `json:"members,omitempty"`
	Phases   []council.PhaseID  `json:"phases,omitempty"`
	Document string             `json:"document,omitempty"` // its skeleton, or its sections; absent: it writes none
	Problem  string             `json:"problem,omitempty"`  // why it cannot be used
}

// Line reads a council by name. An error is part of the line, so that the other councils are still listed.
func (p Places) Line(name string) Line {
	found, err := p.Find(name)
	if err != nil {
		return Line{Name: name, Problem: err.Error()}
	}
	l := Line{Name: name, Path: filepath.ToSlash(found.Path), Hides: found.Hides}
	c, err := config.Parse(found.Doc)
	if err != nil {
		var more bool
		if l.Problem, _, more = strings.Cut(err.Error(), "\n"); more {
			l.Problem += " (and more)"
		}
		return l
	}
	l.Title, l.Purpose, l.Document = c.CouncilName, c.Purpose, DocumentWords(&c)
	for _, phase := range c.Phases {
		l.Phases = append(l.Phases, phase.ID)
	}
	l.Members = c.Seats()
	return l
}

// DocumentWords describes in a few words the document that a council writes.
func DocumentWords(c *council.Charter) string {
	review := c.DocumentationReview
	switch {
	case c.Output.Type != council.OutputDocumentation:
		return ""
	case review.Skeleton != "":
		return review.Skeleton
	case len(review.Sections) > 0:
		return strings.Join(review.Sections, ", ")
	}
	return "without given sections"
}

// errMisnamed: the name of a file among the councils cannot be the name of a council.
var errMisnamed = errors.New("no council can be called so: rename the file to 1 to 64 of a-z, 0-9, _ and -, " +
	"beginning with a letter or a digit, and .json")

// Candidate is a council to check, or the error of reading it.
type Candidate struct {
	From string
	Doc  []byte
	Err  error
}

// Named returns the councils that the command line names: a file, a council, or all that the user can change.
func (p Places) Named(args []string) ([]Candidate, error) {
	if len(args) == 0 {
		return p.Own()
	}
	name := args[0]
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json") {
		doc, err := site.ReadFile(name)
		return []Candidate{{filepath.ToSlash(name), doc, err}}, err
	}
	found, err := p.Find(name)
	return []Candidate{{found.From(), found.Doc, err}}, err
}

// Own returns the councils in the folders of the user and the workspace, and the configuration.
func (p Places) Own() ([]Candidate, error) {
	var all []Candidate
	doc, err := site.ReadFile(site.Config())
	if !errors.Is(err, fs.ErrNotExist) {
		all = append(all, Candidate{filepath.ToSlash(site.Config()), doc, err})
	}
	files, err := p.files()
	for _, path := range files {
		doc, err := site.ReadFile(path)
		if !PlainName.MatchString(strings.TrimSuffix(filepath.Base(path), ".json")) {
			err = errMisnamed
		}
		all = append(all, Candidate{filepath.ToSlash(path), doc, err})
	}
	return all, err
}
