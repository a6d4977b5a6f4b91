// Package templates holds what is written once and used in every session: the ready-made councils, the skeletons of
// their documents, and the wording of what members are sent. Everything is embedded.
package templates

import (
	"embed"
	"slices"
)

//go:embed councils/*.json
var councils embed.FS

// names lists the ready-made councils; the first is the one that the command takes by itself.
var names = []string{
	"general", "architecture", "security", "code-review", "product", "incident-review", "vendor-choice", "plan-review",
	"ethics", "naming",
}

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
