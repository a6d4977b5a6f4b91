package templates

import (
	"embed"
	"io/fs"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

// Prompts holds the wording of everything that a member is sent, as text/template files (*.tmpl) that package prompt
// parses once. Each file begins with a note on who reads it and what its fields mean.
func Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic(err) // only for a name that is not a path
	}
	return sub
}
