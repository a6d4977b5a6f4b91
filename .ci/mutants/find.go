package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// mutant is one small change to a file: the bytes from start to end are replaced.
type mutant struct {
	path       string
	line       int
	start, end int
	with       string
	what       string // the change in words
}

// String returns the mutant's line in the list of survivors.
func (m mutant) String() string {
	return filepath.ToSlash(m.path) + ":" + strconv.Itoa(m.line) + ": " + strings.Join(strings.Fields(m.what), " ")
}

// opposite is what replaces an operator. A comparison for order changes only what happens at equality: whoever notices
// that notices the reverse too.
var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
	token.GEQ:  token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
}

// find returns the mutants of a file, always in the same order. Some of them do not compile.
func find(path string, src []byte) ([]mutant, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []mutant
	replace := func(from, to token.Pos, with, what string) {
		p := set.Position(from)
		found = append(found, mutant{path, p.Line, p.Offset, set.Position(to).Offset, with, what})
	}
	text := func(n ast.Node) string { return string(src[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset]) }
	condition := func(e ast.Expr) {
		replace(e.Pos(), e.End(), "("+text(e)+") && false", "never "+text(e))
		replace(e.Pos(), e.End(), "("+text(e)+") || true", "always "+text(e))
	}
	drop := func(n ast.Stmt) { replace(n.Pos(), n.End(), "", "without "+text(n)) }
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.IfStmt:
			condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				replace(n.Cond.Pos(), n.Cond.End(), "("+text(n.Cond)+") && false", "never "+text(n.Cond))
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				for _, clause := range n.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						condition(e)
					}
				}
			}
		case *ast.BinaryExpr:
			if with, ok := opposite[n.Op]; ok && !isText(n.X) && !isText(n.Y) {
				replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with.String(),
					with.String()+" for "+n.Op.String()+" in "+text(n))
			}
		case *ast.BlockStmt:
			droppable(n.List, drop)
		case *ast.CaseClause:
			droppable(n.Body, drop)
		}
		return true
	})
	return found, nil
}

// droppable calls drop for the statements that only have an effect: assignments to what exists, and calls.
func droppable(list []ast.Stmt, drop func(ast.Stmt)) {
	for _, stmt := range list {
		switch s := stmt.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				drop(s)
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt:
			drop(s)
		}
	}
}

func isText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && len(lit.Value) > 2
}
