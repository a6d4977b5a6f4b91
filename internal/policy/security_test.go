package policy

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

const security = "docs/security.md"

var (
	namedTest = regexp.MustCompile("`(Test[A-Za-z0-9_]*)`")
	tableRow  = regexp.MustCompile(`^\|.*\|$`)
)

// everyPromiseNamesItsTest holds each row of the promises of docs/security.md to a test that exists, and so every test
// that the page names.
func everyPromiseNamesItsTest(tr *tree) []string {
	tests := map[string]bool{}
	for _, f := range tr.files {
		if !f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				tests[fn.Name.Name] = true
			}
		}
	}
	var findings []string
	promising, rows := false, 0
	for i, line := range strings.Split(tr.texts[security], "\n") {
		at := fmt.Sprintf("%s:%d", security, i+1)
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			promising = heading == "Promises"
		}
		named := namedTest.FindAllStringSubmatch(line, -1)
		for _, m := range named {
			if !tests[m[1]] {
				findings = append(findings, at+": there is no test "+m[1])
			}
		}
		if promising && tableRow.MatchString(line) && !strings.HasPrefix(line, "|---") &&
			!strings.HasPrefix(line, "| promise ") {
			if rows++; len(named) == 0 {
				findings = append(findings, at+": a promise names no test")
			}
		}
	}
	if rows == 0 {
		findings = append(findings, security+" promises nothing")
	}
	return findings
}
