package templates

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed skeletons/*.md
var skeletons embed.FS

// Section is one section of a skeleton.
type Section struct {
	Heading string
	Says    string // what belongs there: one line
}

// Skeletons lists the names of the skeletons, sorted.
func Skeletons() []string {
	files, err := fs.Glob(skeletons, "skeletons/*.md")
	if err != nil {
		panic(err) // only for a pattern that is none
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(file, "skeletons/"), ".md")
	}
	return files
}

// Skeleton returns what a kind of document is called, and its sections.
func Skeleton(name string) (title string, sections []Section, ok bool) {
	if !slices.Contains(Skeletons(), name) {
		return "", nil, false
	}
	doc, err := skeletons.ReadFile("skeletons/" + name + ".md")
	if err != nil {
		panic(err) // it is embedded
	}
	parts := strings.Split(string(doc), "\n## ")
	for _, part := range parts[1:] {
		heading, says, _ := strings.Cut(part, "\n")
		sections = append(sections, Section{heading, strings.TrimSpace(says)})
	}
	return strings.TrimSpace(strings.TrimPrefix(parts[0], "# ")), sections, true
}
