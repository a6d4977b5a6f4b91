package citation

import (
	"path"
	"slices"
	"strings"
)

// extensions are those of texts and sources, in order. Endings of hosts that people write with a port are not among
// them, whatever else they are.
var extensions = strings.Fields(`
	adoc asm astro bash bat bazel c cc cfg clj cmake cnf conf cpp cs css csv cue cxx dart diff ejs el elm erl ex exs
	fs go gql gradle graphql h hbs hcl hpp hrl hs htm html hx ini ipynb java jl js json jsonc jsonl jsx kt kts less lisp
	log lua m mbox md mdx mjs ml mli mm nix patch php proto ps1 py pyi r rb rego rs rst sass scala scm scss sh
	sol sql styl svelte swift tcl tex tf tfvars toml ts tsx txt v vb vue xml yaml yml zig zsh`)

// bareNames are files that have no extension.
var bareNames = strings.Fields(
	"dockerfile gemfile jenkinsfile justfile license makefile procfile rakefile readme vagrantfile")

// fileLike reports whether a name can hardly be anything but that of a text file.
func fileLike(name string) bool {
	_, base := path.Split(strings.ToLower(name))
	ext := path.Ext(base)
	_, found := slices.BinarySearch(extensions, strings.TrimPrefix(ext, "."))
	return slices.Contains(bareNames, base) || found && base != ext
}
