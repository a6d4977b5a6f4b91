// Package templates holds the ready-made councils, the skeletons of their documents, and the wording of prompts,
// reports and pages. Everything is embedded.
package templates

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
)

//go:embed councils/*.json
var councils embed.FS

// names lists the ready-made councils; the first is the one that the command takes by itself.
var names = []string{"general", "architecture", "security", "code-review", "product", "incident-review",
	"vendor-choice", "plan-review", "ethics", "naming"}

// Councils lists the names of the ready-made councils. The first serves every topic.
func Councils() []string { return slices.Clone(names) }

// Council returns the configuration of a ready-made council, in the form of council.config.json. Its members name the
// model provider "default": who convenes the council says which model speaks.
func Council(name string) ([]byte, bool) {
	if !slices.Contains(names, name) {
		return nil, false
	}
	doc, err := councils.ReadFile("councils/" + name + ".json")
	return doc, err == nil
}

//go:embed prompts/*.tmpl tellings/*.tmpl
var wording embed.FS

// Prompts holds the wording of everything that a member is sent but the record, as text/template files (*.tmpl). Each
// file begins with a note on its readers and the meaning of its fields.
func Prompts() fs.FS { return folder("prompts") }

// Tellings holds the wording of the events of a session, as text/template files: prompt.tmpl for the members,
// transcript.tmpl for the minutes, terminal.tmpl for the terminal. Each has one definition for each type of event, by
// its name, or names the type in its definition "silent". reports.tmpl holds the other reports, exports.tmpl those of
// council export, questions.tmpl the questions to a person at a terminal, outcome.tmpl the outcome there,
// agreement.tmpl and price.tmpl parts of it, pages.tmpl single things, such as a council or a record, and memory.tmpl
// the pages of memory.
func Tellings() fs.FS { return folder("tellings") }

func folder(name string) fs.FS {
	sub, _ := fs.Sub(wording, name) // which fails for a name that is not a path only
	return sub
}

//go:embed skeletons/*.md
var skeletons embed.FS

// Section is one section of a skeleton.
type Section struct {
	Heading string
	Says    string // its content, in one line
}

// Skeletons lists the names of the skeletons, sorted.
func Skeletons() []string {
	files, _ := fs.Glob(skeletons, "skeletons/*.md") // which fails for a bad pattern only
	for i, file := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(file, "skeletons/"), ".md")
	}
	return files
}

// Skeleton returns the title and the sections of a kind of document.
func Skeleton(name string) (title string, sections []Section, ok bool) {
	if !slices.Contains(Skeletons(), name) {
		return "", nil, false
	}
	doc, _ := skeletons.ReadFile("skeletons/" + name + ".md") // it is embedded
	parts := strings.Split(string(doc), "\n## ")
	for _, part := range parts[1:] {
		heading, says, _ := strings.Cut(part, "\n")
		sections = append(sections, Section{heading, strings.TrimSpace(says)})
	}
	return strings.TrimSpace(strings.TrimPrefix(parts[0], "# ")), sections, true
}

// Wording is a set of definitions that is parsed when it is first used.
type Wording func() *template.Template

// Has reports whether the set has a definition.
func (w Wording) Has(definition string) bool { return w().Lookup(definition) != nil }

// Tell executes a definition. It panics on a mistake in it: tests execute each.
func (w Wording) Tell(definition string, of any) string {
	var b strings.Builder
	if err := w().ExecuteTemplate(&b, definition, of); err != nil {
		panic(err)
	}
	return b.String()
}

// Once returns a set of definitions that is parsed when it is first used: files of a folder, with functions. Each value
// that an action of the set writes passes through the function guarding of the set first, as html/template does. So no
// template can write the words of a member as they are.
func Once(folder fs.FS, functions template.FuncMap, guarding string, files ...string) Wording {
	return sync.OnceValue(func() *template.Template {
		set := template.Must(template.New("").Funcs(functions).ParseFS(folder, files...))
		for _, t := range set.Templates() {
			if t.Tree != nil {
				guard(t.Root, guarding)
			}
		}
		return set
	})
}

func guard(n parse.Node, function string) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, inner := range n.Nodes {
			guard(inner, function)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 { // else it sets a variable and writes nothing
			call := parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos}
			call.Args = []parse.Node{parse.NewIdentifier(function).SetPos(n.Pos)}
			n.Pipe.Cmds = append(n.Pipe.Cmds, &call)
		}
	case *parse.IfNode:
		guard(n.List, function)
		guard(n.ElseList, function)
	case *parse.RangeNode:
		guard(n.List, function)
		guard(n.ElseList, function)
	case *parse.WithNode:
		guard(n.List, function)
		guard(n.ElseList, function)
	}
}
