package policy

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxFileLines bounds what is read at once. A package has no such bound: it stands for an idea.
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

// emptyWords name what a thing is made of or how it is used, not what it is.
var emptyWords = []string{"util", "utils", "common", "helper", "helpers", "types", "data", "info", "manager", "handler", "handlers", "misc"}

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
				findings = append(findings, fmt.Sprintf("%s: what is imported from %s is not in one group of its own", tr.fset.Position(spec.Pos()), kind))
				break
			}
			last, line, first[kind] = kind, at, true
		}
	}
	return findings
}
