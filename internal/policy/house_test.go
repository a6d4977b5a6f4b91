package policy

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFileLines bounds a file. A package has no such bound: it is an idea.
const maxFileLines = 400

func filesStaySmall(tr *tree) []string {
	var findings []string
	for _, f := range tr.files {
		if n := strings.Count(tr.texts[f.path], "\n"); n > maxFileLines {
			findings = append(findings, fmt.Sprintf("%s has %d lines; at most %d", f.path, n, maxFileLines))
		}
	}
	return findings
}

// maxColumns bounds a line of Go, in characters. A tab counts as one.
const maxColumns = 120

// linesStayShort passes over lines that hold a raw string, which cannot be broken, and generated files.
func linesStayShort(tr *tree) []string {
	var findings []string
	for _, f := range tr.files {
		if ast.IsGenerated(f.ast) {
			continue
		}
		raw := map[int]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(l.Value, "`") {
				for line := tr.fset.Position(l.Pos()).Line; line <= tr.fset.Position(l.End()).Line; line++ {
					raw[line] = true
				}
			}
			return true
		})
		for i, line := range strings.Split(tr.texts[f.path], "\n") {
			if n := utf8.RuneCountInString(line); n > maxColumns && !raw[i+1] {
				findings = append(findings, fmt.Sprintf("%s:%d has %d columns; at most %d", f.path, i+1, n, maxColumns))
			}
		}
	}
	return findings
}

// reason is how a package comment says why the package is one, though only one other imports it.
var reason = regexp.MustCompile(`\bown (package )?because\b`)

// packagesSayWhy: a package with a single importer may belong into it.
func packagesSayWhy(tr *tree) []string {
	importers := map[string]map[string]bool{}
	for _, f := range tr.code() {
		for _, p := range f.imports() {
			if dir, ours := strings.CutPrefix(p, module+"/"); ours {
				if importers[dir] == nil {
					importers[dir] = map[string]bool{}
				}
				importers[dir][f.dir] = true
			}
		}
	}
	var findings []string
	for dir, files := range tr.packages() {
		said := slices.ContainsFunc(files, func(f *source) bool {
			return reason.MatchString(strings.Join(strings.Fields(f.ast.Doc.Text()), " "))
		})
		if len(importers[dir]) == 1 && !said && !under(dir, "cmd/") { // a noun of the command is a package
			by := slices.Collect(maps.Keys(importers[dir]))
			findings = append(findings, fmt.Sprintf("only %s imports %s, whose comment gives no reason for it "+
				"(… its own package because …)", by[0], dir))
		}
	}
	return findings
}

// emptyWords name the material or the use of a thing, and not the thing.
var emptyWords = []string{"util", "utils", "common", "helper", "helpers", "types", "data", "info", "manager", "handler",
	"handlers", "misc"}

func namesSaySomething(tr *tree) []string {
	var findings []string
	for _, f := range tr.files {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test")
		for _, name := range []string{f.ast.Name.Name, path.Base(f.dir), stem} {
			if slices.Contains(emptyWords, name) {
				findings = append(findings, fmt.Sprintf("%s: %q says nothing", f.path, name))
			}
		}
	}
	return findings
}

// thisMachine matches absolute paths below the folder in which this was written. The pattern is not one itself.
var thisMachine = regexp.MustCompile(`(^|[^\w.\-/])/wor` + `k/`)

func nothingNamesThisMachine(tr *tree) []string {
	var findings []string
	for _, name := range slices.Sorted(maps.Keys(tr.texts)) {
		if !strings.Contains(tr.texts[name], "/wor"+"k/") { // the expression is slow, and hardly any file has it
			continue
		}
		for i, line := range strings.Split(tr.texts[name], "\n") {
			if thisMachine.MatchString(line) {
				findings = append(findings, fmt.Sprintf("%s:%d names a path of one machine", name, i+1))
			}
		}
	}
	return findings
}

// testsDoNotSleep: a test that sleeps is slow, or wrong on a slow machine; testing/synctest is neither.
func testsDoNotSleep(tr *tree) []string {
	var findings []string
	for _, f := range tr.files {
		if f.test && len(f.uses("time", "Sleep")) > 0 {
			findings = append(findings, f.path+" sleeps; use testing/synctest")
		}
	}
	return findings
}

// importsStandInGroups: the standard library's first, then others', then ours, each kind in one group.
func importsStandInGroups(tr *tree) []string {
	var findings []string
	for _, f := range tr.files {
		last, line, first := "", 0, map[string]bool{}
		for _, spec := range f.ast.Imports {
			kind, at := "the standard library", tr.fset.Position(spec.Pos()).Line
			switch p := strings.Trim(spec.Path.Value, `"`); {
			case strings.HasPrefix(p, module+"/"):
				kind = "this module"
			case isThirdParty(p):
				kind = "others"
			}
			apart := at > line+1
			if last != "" && (kind == last) == apart || kind != last && first[kind] {
				findings = append(findings, fmt.Sprintf("%s: what is imported from %s is not in one group of its own",
					tr.fset.Position(spec.Pos()), kind))
				break
			}
			last, line, first[kind] = kind, at, true
		}
	}
	return findings
}
