package policy

import (
	"go/ast"
	"go/token"
	"regexp"
)

// several matches the form of several things: a word that is put in, with an s behind it.
var several = regexp.MustCompile(`%[sv]s\b`)

// countsAreWrittenAtHome: so that thousands have commas everywhere, and nobody reads of "1 members". It sees how a
// second home begins: an s is put behind a word.
func countsAreWrittenAtHome(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		if f.dir == "internal/plural" {
			continue
		}
		found := func(at token.Pos) {
			findings = append(findings, tr.fset.Position(at).String()+" writes a plural, which internal/counted does")
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind == token.STRING && several.MatchString(n.Value) {
					found(n.Pos())
				}
			case *ast.BinaryExpr:
				if n.Op == token.ADD && isS(n.Y) {
					found(n.Y.Pos())
				}
			case *ast.AssignStmt:
				if isS(n.Rhs[0]) {
					found(n.Rhs[0].Pos())
				}
			}
			return true
		})
	}
	return findings
}

func isS(x ast.Expr) bool {
	word, ok := x.(*ast.BasicLit)
	return ok && (word.Value == `"s"` || word.Value == "`s`")
}
