// Package policy holds what this repository asks of itself as tests: which package may import which, where programs are
// started and servers called, how long files and lines may be, and that every sentence of docs/protocol.md and every
// promise of docs/security.md has a test. A rule is a function from a tree of files to findings.
package policy

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// rules are the house rules, each with a small tree that breaks it once.
var rules = map[string]struct {
	find   func(*tree) []string
	broken map[string]string
}{
	"imports go one way": {importsGoOneWay, map[string]string{
		"council/x.go": "package council\nimport _ \"" + module + "/recorder\"\n"}},
	"the pure stay pure": {thePureStayPure, map[string]string{
		"council/x_windows.go": "package council\nimport _ \"os/exec\"\n"}},
	"uses stay at home": {usesStayAtHome, map[string]string{
		"recorder/x.go": "package recorder\nimport \"os/exec\"\nvar c = exec.Command(\"x\") // *http.Client\n"}},
	"nothing is made without a gate": {nothingIsMadeWithoutAGate, map[string]string{
		"cmd/x.go": "package main\nvar o, p = command.Options{Now: x{}}, command.Options{Now: x{}, Gate: y}\n"}},
	"files and lines stay short": {filesAndLinesStayShort, map[string]string{
		"council/x.go": "package council\n// " + strings.Repeat("ï", 118) + "\n"}},
	"every sentence has a test": {everySentenceHasATest, map[string]string{
		protocol:                  "1. A.\n2. B.\n",
		"council/rules/x_test.go": "package rules\nfunc TestX(t *testing.T) { cites(t, 1) }\n"}},
	"links lead to pages": {linksLeadToPages, map[string]string{"docs/x.md": "[a](y.md#z) [b](https://x.org/y.md)\n"}},
	"every promise names its test": {everyPromiseNamesItsTest, map[string]string{
		security: "\n## Promises\n| promise | shown by |\n| A. | `TestX` |\n"}},
}

func TestRepository_KeepsItsRules(t *testing.T) {
	tr := plant(t, os.DirFS("../.."))
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, finding := range rule.find(tr) {
				t.Error(finding)
			}
		})
	}
}

func TestRules_FindATreeThatBreaksThem(t *testing.T) {
	for name, rule := range rules {
		fsys := fstest.MapFS{}
		for path, text := range rule.broken {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if findings := rule.find(plant(t, fsys)); len(findings) != 1 {
			t.Errorf("%s: findings %q, want one", name, findings)
		}
	}
}

const (
	maxFileLines = 400
	maxColumns   = 120 // in characters; a tab counts as one
)

// filesAndLinesStayShort passes over the columns of generated files and of raw strings.
func filesAndLinesStayShort(tr *tree) []string {
	var findings []string
	for _, f := range tr.files {
		lines := strings.Split(f.text, "\n")
		if n := len(lines) - 1; n > maxFileLines {
			findings = append(findings, fmt.Sprintf("%s has %d lines; at most %d", f.path, n, maxFileLines))
		}
		raw := strings.HasPrefix(f.text, "// Code generated")
		for i, line := range lines {
			quotes := strings.Count(line, "`")
			if n := utf8.RuneCountInString(line); n > maxColumns && !raw && quotes == 0 {
				findings = append(findings, fmt.Sprintf("%s:%d has %d columns; at most %d", f.path, i+1, n, maxColumns))
			}
			raw = raw != (quotes%2 == 1)
		}
	}
	return findings
}
