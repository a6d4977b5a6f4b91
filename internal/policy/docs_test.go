package policy

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// guides lead newcomers through the tree; other pages speak of files of a workspace too, which is not here.
var guides = []string{"AGENTS.md", "docs/architecture.md", "docs/testing.md"}

var (
	namedPlace = regexp.MustCompile("`([\\w.*-]+(?:/[\\w.*-]+)*/?)`")
	mdLink     = regexp.MustCompile(`\]\(([^)#\s:]+)(?:#[^)\s]*)?\)`)
	goTest     = regexp.MustCompile(`go test (\./[\w/]+)([^\x60\n#]*)`)
	printed    = regexp.MustCompile("(?s)```(?:console|text)\n.*?```") // by commands
	chosen     = regexp.MustCompile(`-(run|fuzz) +'?([^\s']+)`)
)

// theDocsNameWhatExists holds the places that guides name, the links of every page and the tests that commands choose
// to existing files.
func theDocsNameWhatExists(tr *tree) []string {
	var findings []string
	for _, page := range slices.Sorted(maps.Keys(tr.texts)) {
		if path.Ext(page) != ".md" || strings.Contains(page, "testdata/") || !under(page, "AGENTS.md", "README.md", "docs/") {
			continue
		}
		find := func(format string, args ...any) {
			findings = append(findings, page+": "+fmt.Sprintf(format, args...))
		}
		text := tr.texts[page]
		for _, m := range mdLink.FindAllStringSubmatch(printed.ReplaceAllString(text, ""), -1) {
			if !tr.has(path.Join(path.Dir(page), m[1])) {
				find("there is no %s", m[1])
			}
		}
		for _, m := range goTest.FindAllStringSubmatch(text, -1) {
			for _, wrong := range tr.idleCommand(path.Clean(m[1]), m[2]) {
				find("%s", wrong)
			}
		}
		if !slices.Contains(guides, page) {
			continue
		}
		for _, m := range namedPlace.FindAllStringSubmatch(text, -1) {
			if top, _, deep := strings.Cut(m[1], "/"); deep && tr.has(top) && !tr.has(strings.TrimSuffix(m[1], "/...")) {
				find("there is no %s", m[1])
			}
		}
	}
	return findings
}

// has reports whether there is a file or a folder of that name; a star is any part of a name.
func (tr *tree) has(place string) bool {
	place = path.Clean(place)
	steps := strings.Count(place, "/") + 1
	for name := range tr.texts {
		parts := strings.Split(name, "/")
		if len(parts) < steps {
			continue
		}
		if ok, err := path.Match(place, strings.Join(parts[:steps], "/")); ok && err == nil {
			return true
		}
	}
	return false
}

// idleCommand returns why a go test of a package would do nothing: no such package, or flags that choose no test
// of it; one target is fuzzed at a time.
func (tr *tree) idleCommand(dir, flags string) []string {
	if !tr.has(dir) {
		return []string{"there is no package " + dir}
	}
	var wrong []string
	for _, m := range chosen.FindAllStringSubmatch(flags, -1) {
		if m[2] == "xxx" || m[2] == "^$" { // no test at all
			continue
		}
		choice, err := regexp.Compile(m[2])
		n := 0
		for _, name := range tr.tests(dir, map[string]string{"run": "Test", "fuzz": "Fuzz"}[m[1]]) {
			if err == nil && choice.MatchString(name) {
				n++
			}
		}
		if n == 0 || n > 1 && m[1] == "fuzz" {
			wrong = append(wrong, fmt.Sprintf("-%s %s chooses %d tests of %s", m[1], m[2], n, dir))
		}
	}
	return wrong
}

// tests lists the functions of a package's tests that begin with a word.
func (tr *tree) tests(dir, begin string) []string {
	var names []string
	for _, f := range tr.files {
		if !f.test || f.dir != dir {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, begin) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}
