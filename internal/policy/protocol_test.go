package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const protocol = "docs/protocol.md"

var sentence = regexp.MustCompile(`(?m)^(\d+)\. (.*)$`)

// sentences returns the numbered sentences of the protocol in order.
func sentences(tr *tree) (numbers []int, findings []string) {
	last := 0
	for _, m := range sentence.FindAllStringSubmatch(tr.texts[protocol], -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n <= last {
			findings = append(findings, fmt.Sprintf("%s: sentence %s comes after sentence %d", protocol, m[1], last))
		}
		if !strings.HasSuffix(m[2], ".") {
			findings = append(findings, fmt.Sprintf("%s: sentence %s has no end", protocol, m[1]))
		}
		last = max(last, n)
		numbers = append(numbers, n)
	}
	return numbers, findings
}

// citations maps each number that a test of package rules cites by a call of cites to where it does.
func citations(tr *tree) (cited map[int]string, findings []string) {
	cited = map[int]string{}
	for _, f := range tr.files {
		if !f.test || f.dir != "council/rules" {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "cites" {
					return true
				}
				where := tr.fset.Position(call.Pos()).String()
				if !strings.HasPrefix(fn.Name.Name, "Test") || fn.Recv != nil {
					findings = append(findings, where+": cites is called outside a test")
				}
				for _, arg := range call.Args[min(1, len(call.Args)):] {
					lit, ok := arg.(*ast.BasicLit)
					if !ok || lit.Kind != token.INT {
						findings = append(findings, where+": cites takes plain numbers, so that this test can read them")
						continue
					}
					if number, err := strconv.Atoi(lit.Value); err == nil {
						cited[number] = where
					}
				}
				return true
			})
		}
	}
	return cited, findings
}

func everySentenceHasATest(tr *tree) []string {
	numbers, findings := sentences(tr)
	cited, more := citations(tr)
	findings = append(findings, more...)
	if len(numbers) == 0 {
		findings = append(findings, protocol+" has no numbered sentence")
	}
	for _, n := range numbers {
		if cited[n] == "" {
			findings = append(findings, fmt.Sprintf("%s: no test cites sentence %d", protocol, n))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(cited)) {
		if !slices.Contains(numbers, n) {
			findings = append(findings, fmt.Sprintf("%s: there is no sentence %d", cited[n], n))
		}
	}
	return findings
}
