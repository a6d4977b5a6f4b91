package policy

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// docLink matches a link to something exported: [Name], [Type.Method], [pkg.Name].
var docLink = regexp.MustCompile(`\[\*?(?:([a-z][a-z0-9]*)\.)?([A-Z]\w*)(?:\.(\w+))?\]`)

// linksLeadSomewhere holds every link in a comment to a name that is declared: a comment outlives what it speaks of,
// and nothing else says so. Links into packages that are not ours are not followed.
func linksLeadSomewhere(tr *tree) []string {
	declared := map[string]map[string]bool{}
	for _, f := range tr.files {
		if declared[f.dir] == nil {
			declared[f.dir] = map[string]bool{}
		}
		for _, name := range f.declares() {
			declared[f.dir][name] = true
		}
	}
	var findings []string
	packages := tr.packages()
	for _, f := range tr.code() {
		for _, group := range f.ast.Comments {
			for _, m := range docLink.FindAllStringSubmatch(group.Text(), -1) {
				dir, ours := f.dir, true
				if m[1] != "" {
					dir, ours = folder(packages[f.dir], m[1])
				}
				if ours && (!declared[dir][m[2]] || m[3] != "" && !declared[dir][m[3]]) {
					findings = append(findings, fmt.Sprintf("%s: %s leads nowhere", tr.fset.Position(group.Pos()), m[0]))
				}
			}
		}
	}
	return findings
}

// declares lists the declarations of a file, fields and methods by their names alone.
func (f *source) declares() []string {
	var names []string
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			names = append(names, fn.Name.Name)
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				names = append(names, n.Name.Name)
			case *ast.ValueSpec:
				names = append(names, identifiers(n.Names)...)
			case *ast.Field:
				names = append(names, identifiers(n.Names)...)
			}
			return true
		})
	}
	return names
}

func identifiers(ids []*ast.Ident) []string {
	var names []string
	for _, id := range ids {
		names = append(names, id.Name)
	}
	return names
}

// folder returns where the package is that any of a package's files imports under a name, as go doc looks for it. It
// is not ours when somebody else wrote it; a name that none of them imports is ours, and nowhere.
func folder(files []*source, name string) (dir string, ours bool) {
	for _, f := range files {
		for _, p := range f.imports() {
			if f.named(p) == name || path.Base(p) == name {
				return strings.CutPrefix(p, module+"/")
			}
		}
	}
	return "", true
}
