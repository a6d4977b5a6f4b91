package policy

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "github.com/council-engine/council"

// tree is the repository, or a small stand-in for it.
type tree struct {
	fset  *token.FileSet
	texts map[string]string // every text file by its path
	files []*source         // the Go files, in order of their paths
}

// source is one Go file.
type source struct {
	path string
	dir  string
	test bool
	ast  *ast.File
}

// left are the folders into which a tree does not descend: nothing of ours is there.
var left = []string{".git", ".council", "node_modules", "bin"}

// plant reads and parses a tree.
func plant(t *testing.T, fsys fs.FS) *tree {
	t.Helper()
	tr := &tree{fset: token.NewFileSet(), texts: map[string]string{}}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains(left, e.Name()):
			return fs.SkipDir
		case !e.Type().IsRegular() || slices.Contains(left, e.Name()): // in a second worktree .git is a file
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if path.Ext(name) == ".png" {
			text = nil // a page may show it
		}
		if err != nil || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		tr.texts[name] = string(text)
		if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
			return nil
		}
		parsed, err := parser.ParseFile(tr.fset, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		tr.files = append(tr.files, &source{
			path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), ast: parsed,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// code lists the files that are no tests.
func (tr *tree) code() []*source {
	return slices.DeleteFunc(slices.Clone(tr.files), func(f *source) bool { return f.test })
}

// packages maps each folder to its files that are no tests.
func (tr *tree) packages() map[string][]*source {
	packages := map[string][]*source{}
	for _, f := range tr.code() {
		packages[f.dir] = append(packages[f.dir], f)
	}
	return packages
}

// imports lists the imports of a file.
func (f *source) imports() []string {
	var paths []string
	for _, spec := range f.ast.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// named returns the name under which a file knows an import, or "".
func (f *source) named(imported string) string {
	for _, spec := range f.ast.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// uses lists which of the given names of an imported package a file mentions.
func (f *source) uses(imported string, names ...string) []string {
	local, found := f.named(imported), map[string]bool{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && local != "" && x.Name == local && slices.Contains(names, s.Sel.Name) {
				found[imported+"."+s.Sel.Name] = true
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(found))
}

// under reports whether a slashed path is one of the given ones, or below one that ends in "/".
func under(p string, places ...string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return p == place || strings.HasSuffix(place, "/") && strings.HasPrefix(p, place)
	})
}
