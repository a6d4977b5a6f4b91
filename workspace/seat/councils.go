package seat

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/site"
)

// Usual returns the default council.
func Usual() string { return templates.Councils()[0] }

// Line is a council in a list, as --json prints it.
type Line struct {
	Name     string             `json:"name"`
	Path     string             `json:"path,omitempty"`  // absent: ready-made
	Hides    []string           `json:"hides,omitempty"` // other councils of the name
	Title    string             `json:"title,omitempty"`
	Purpose  string             `json:"purpose,omitempty"`
	Members  []council.MemberID `json:"members,omitempty"`
	Phases   []council.PhaseID  `json:"phases,omitempty"`
	Pace     council.Pace       `json:"pace,omitempty"`     // auto leaves the phase that decides
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
	l.Title, l.Purpose, l.Document, l.Pace = c.CouncilName, c.Purpose, DocumentWords(&c), c.Deliberation.Pace
	l.Phases = council.Map(c.Phases, func(p council.Phase) council.PhaseID { return p.ID })
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
			err = errors.New("no council can be called so: rename the file to 1 to 64 of a-z, 0-9, _ and -, beginning with a " +
				"letter or a digit, and .json")
		}
		all = append(all, Candidate{filepath.ToSlash(path), doc, err})
	}
	return all, err
}

// CouncilsFolder is the folder of councils in a workspace and in the user's settings.
const CouncilsFolder = "councils"

// Places are the folders where councils are found by name, the nearest first: of the workspace, and of the user.
type Places []string

// PlacesOf returns the places of a workspace; "" is the default one.
func PlacesOf(w *site.World, root string) Places {
	p := Places{filepath.Join(cmp.Or(root, site.Home()), CouncilsFolder)}
	if own := w.User().ConfigFolder(); own != "" {
		p = append(p, filepath.Join(own, CouncilsFolder))
	}
	return p
}

// Found is a council found by name.
type Found struct {
	Name  string
	Path  string   // of its file; empty for a ready-made one
	Hides []string // other councils of the name, in words
	Own   bool     // ready-made, or from the user's own folder: it did not come with a repository
	Doc   []byte   // its configuration
}

// From describes the source of a council.
func (c Found) From() string {
	if c.Path == "" {
		return "ready-made council " + c.Name
	}
	words := "council " + c.Name + " of " + filepath.ToSlash(c.Path)
	if len(c.Hides) > 0 {
		words += ", in place of " + strings.Join(c.Hides, " and ")
	}
	return words
}

// Of returns the name of its configuration for error messages.
func (c Found) Of() string {
	if c.Path == "" {
		return "council " + c.Name
	}
	return filepath.ToSlash(c.Path)
}

// PlainName matches the names that a council can have. None of them is a path.
var PlainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Find reads a council by name. No ready-made council replaces a user's file that cannot be read.
func (p Places) Find(name string) (Found, error) {
	if !PlainName.MatchString(name) {
		return Found{}, p.refuse(name)
	}
	c := Found{Name: name}
	for i, in := range p {
		path := filepath.Join(in, name+".json")
		if c.Path != "" {
			if _, err := os.Stat(path); err == nil {
				c.Hides = append(c.Hides, filepath.ToSlash(path))
			}
			continue
		}
		doc, err := site.ReadFile(path)
		if err == nil {
			c.Path, c.Doc, c.Own = path, doc, i > 0 && filepath.IsAbs(in)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return Found{}, err
		}
	}
	switch doc, ready := templates.Council(name); {
	case ready && c.Path != "":
		c.Hides = append(c.Hides, "the ready-made one")
	case ready:
		c.Doc, c.Own = doc, true
	case c.Path == "":
		return Found{}, p.refuse(name)
	}
	return c, nil
}

// refuse returns the error for a name that no council has.
func (p Places) refuse(name string) error {
	known, err := p.Names()
	if err != nil {
		return err
	}
	hint := site.DidYouMean(name, known, "There are: "+strings.Join(known, ", ")+".")
	if strings.ContainsAny(name, `./\`) {
		hint = "A council is named without its folder and without .json; a file is named with --config. " + hint
	}
	return site.Refuse("there is no council "+site.Quote(name), hint)
}

// Names lists the councils: the ready-made, then the user's own in the order of their names.
func (p Places) Names() ([]string, error) {
	all := templates.Councils()
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	var own []string
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if PlainName.MatchString(name) && !slices.Contains(all, name) && !slices.Contains(own, name) {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	return append(all, own...), nil
}

// files returns the files in the folders of councils, also those whose names no council can have.
func (p Places) files() ([]string, error) {
	var all []string
	for _, in := range p {
		entries, err := os.ReadDir(in)
		if err != nil && !site.NoSuchPath(err) {
			return nil, fmt.Errorf("the councils in %s cannot be listed: %w", filepath.ToSlash(in), atomicfile.Explain(err))
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".json") {
				all = append(all, filepath.Join(in, e.Name()))
			}
		}
	}
	return all, nil
}

// ErrNoConfigFolder: the environment names no folder for the user's own files.
var ErrNoConfigFolder = errors.New("there is no folder for it: neither XDG_CONFIG_HOME nor HOME names one")

// Make copies the council from to a file for another name, in the workspace or, if own is true, in the user's folder of
// configurations. It returns the path of the file, and the original.
func (p Places) Make(world *site.World, name, from string, own bool) (path string, origin Found, err error) {
	if !PlainName.MatchString(name) {
		return "", origin, site.Refuse("a council cannot be called "+site.Quote(name),
			"Use 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit.")
	}
	if origin, err = p.Find(from); err != nil {
		return "", origin, err
	}
	doc := Retitled(origin.Doc, name)
	if _, err := config.Parse(doc); err != nil {
		return "", origin, fmt.Errorf("%s is not a council to start from: %w", origin.Of(), err)
	}
	folder := p[0]
	switch {
	case own && len(p) < 2:
		err = ErrNoConfigFolder
	case own:
		folder = p[1]
		err = os.MkdirAll(folder, 0o700)
	default: // else it would not be a workspace
		err = world.InNewRecord(filepath.Dir(folder), func(root *recorder.Root) error {
			return atomicfile.EnsureFolder(root.Files(), CouncilsFolder)
		})
	}
	if err != nil {
		return "", origin, err
	}
	path = filepath.Join(folder, name+".json")
	return path, origin, atomicfile.CreateFile(path, doc)
}

// councilName matches the field of the name with its value.
var councilName = regexp.MustCompile(`("councilName"\s*:\s*)"(?:[^"\\]|\\.)*"`)

// Retitled sets the title in a configuration to the words of the council's new name.
func Retitled(doc []byte, name string) []byte {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	title, _ := json.Marshal(strings.Join(words, " "))
	at := councilName.FindSubmatchIndex(doc)
	if at == nil || len(words) == 0 {
		return doc
	}
	return append(append(append([]byte{}, doc[:at[3]]...), title...), doc[at[1]:]...)
}

// Commented returns the configuration of a ready-made council with notes for its editors.
func Commented(doc []byte) []byte {
	notes := []string{
		`  "phases": [`, `  // The phases of the debate, and how each is decided: council help protocol`,
		`  "members": [`, `  // Who sits on the council, in the order of their turns: council help members`,
		`      "model": `, `      // The model of this member; default is the first that is at hand. One by name, for example:
      // "model": { "provider": "anthropic", "model": "claude-sonnet-5-5" }  or "openai", "gemini", "ollama" and others.
      // Members with different models find more of each other's mistakes. Keys: council login`,
	}
	text := "// A council as council convene finds it in this folder. Lines that begin with // are notes.\n" +
		"// What each field means: council help councils.md, council schema config. Check it: council doctor --offline\n" +
		string(doc)
	for i := 0; i < len(notes); i += 2 {
		text = strings.Replace(text, "\n"+notes[i], "\n"+notes[i+1]+"\n"+notes[i], 1)
	}
	return []byte(text)
}
