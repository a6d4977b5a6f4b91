package policy

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

const module = "github.com/council-engine/council"

// tree is the repository, or a small substitute for it.
type tree struct {
	pages map[string]string // Markdown by its path
	files []source          // the Go files, in order of their paths
}

// source is one Go file.
type source struct {
	path, dir, text string
	test            bool
	imports         map[string]string // names given to them by the path
}

func plant(t *testing.T, fsys fs.FS) *tree {
	t.Helper()
	tr := &tree{pages: map[string]string{}}
	check.OK(t, fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains([]string{".git", ".council", "node_modules", "bin", "testdata"}, e.Name()):
			return fs.SkipDir
		case !e.Type().IsRegular() || path.Ext(name) != ".go" && path.Ext(name) != ".md":
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil || path.Ext(name) == ".md" {
			tr.pages[name] = string(text)
			return err
		}
		f := source{name, path.Dir(name), string(text), strings.HasSuffix(name, "_test.go"), map[string]string{}}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if f.imports[p] = ""; spec.Name != nil {
				f.imports[p] = spec.Name.Name
			}
		}
		tr.files = append(tr.files, f)
		return nil
	}))
	return tr
}

// code lists the files that are no tests and no part of CI.
func (tr *tree) code() []source {
	return slices.DeleteFunc(slices.Clone(tr.files), func(f source) bool { return f.test || under(f.dir, ".ci/") })
}

// under reports whether a slashed path is one of the given ones, or below one that ends in "/".
func under(p string, places ...string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return p == place || strings.HasSuffix(place, "/") && strings.HasPrefix(p, place)
	})
}
