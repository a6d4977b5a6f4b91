package templates

import (
	"embed"
	"io/fs"
)

//go:embed prompts/*.tmpl tellings/*.tmpl
var wording embed.FS

// Prompts holds the wording of everything that a member is sent but the record, as text/template files (*.tmpl). Each
// file begins with a note on who reads it and what its fields mean.
func Prompts() fs.FS { return folder("prompts") }

// Tellings holds the wording of the events of a session, as text/template files: prompt.tmpl for the members,
// transcript.tmpl for the minutes, terminal.tmpl for whoever watches. Each has one definition for each type of event,
// by its name, or names the type in its definition "silent". reports.tmpl holds the other reports,
// and exports.tmpl those of council export.
func Tellings() fs.FS { return folder("tellings") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(wording, name)
	if err != nil {
		panic(err) // only for a name that is not a path
	}
	return sub
}
