// Package docs holds the pages of this folder, so that the command can print them. It is its own package because only
// files below it can be embedded.
package docs

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Topics lists the names of the pages, in order.
func Topics() []string {
	entries, _ := pages.ReadDir(".") // it is embedded
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	return names
}

// Page returns a page in Markdown; ok is false where there is none of that name.
func Page(topic string) (text []byte, ok bool) {
	text, err := pages.ReadFile(path.Base(topic) + ".md")
	return text, err == nil
}
