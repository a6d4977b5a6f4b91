// Package templates holds what is written once and used in every session: the ready-made councils, the skeletons of
// their documents, and the wording of what members are sent. Everything is embedded.
package templates

import (
	"embed"
	"strings"
	"sync"
)

//go:embed councils/*.json councils/*.md
var councils embed.FS

// names lists the ready-made councils; the first is the one that the command takes by itself.
var names = []string{"general", "architecture", "security"}

// Councils lists the names of the ready-made councils. The first serves every topic.
func Councils() []string { return append([]string(nil), names...) }

// Council returns the configuration of a ready-made council, in the form of council.config.json. Its members name the
// model provider "default": who convenes the council says which model speaks.
func Council(name string) ([]byte, bool) {
	for _, known := range names {
		if name == known {
			doc, err := councils.ReadFile("councils/" + name + ".json")
			return doc, err == nil
		}
	}
	return nil, false
}

// Skeleton returns a document that has the given sections, each with a sentence that says what belongs there. A section
// that no ready-made document has is left empty.
func Skeleton(sections []string) string {
	var b strings.Builder
	for i, section := range sections {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("## " + section + "\n")
		if says := guidance()[strings.ToLower(section)]; says != "" {
			b.WriteString("\n" + says + "\n")
		}
	}
	return b.String()
}

// guidance is what belongs in a section, by its heading in lower case. Where two documents have a section of the same
// name they agree on what it is for; the first is taken.
var guidance = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, name := range names {
		doc, err := councils.ReadFile("councils/" + name + ".md")
		if err != nil {
			panic(err) // it is embedded
		}
		for _, part := range strings.Split(string(doc), "\n## ")[1:] {
			heading, says, _ := strings.Cut(part, "\n")
			if key := strings.ToLower(heading); all[key] == "" {
				all[key] = strings.TrimSpace(says)
			}
		}
	}
	return all
})
