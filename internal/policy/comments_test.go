package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// knownMethods have the meaning that the standard library gives them.
var knownMethods = []string{
	"Error", "Unwrap", "Is", "As", "String", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "Len",
	"Less", "Swap",
}

func everyPackageSaysWhatItIs(tr *tree) []string {
	var findings []string
	for dir, files := range tr.packages() {
		if !slices.ContainsFunc(files, func(f *source) bool { return f.ast.Doc != nil }) {
			findings = append(findings, dir+" has no package comment")
		}
	}
	return findings
}

func everythingExportedSaysWhatItIs(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		if f.ast.Name.Name == "main" {
			continue
		}
		documented := map[string]bool{} // methods of which one in this file has a comment
		for _, d := range f.ast.Decls {
			for _, name := range bare(d, documented) {
				findings = append(findings, fmt.Sprintf("%s: %s has no comment", tr.fset.Position(d.Pos()), name))
			}
		}
	}
	return findings
}

// bare lists the exports of a declaration without a comment. One comment serves a group of constants or variables, and
// the methods of one name that follow it: they are one interface's.
func bare(d ast.Decl, documented map[string]bool) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && !ast.IsExported(receiver(d)) {
			return nil
		}
		if d.Doc != nil {
			documented[name] = d.Recv != nil
			return nil
		}
		known := d.Recv != nil && (slices.Contains(knownMethods, name) || documented[name])
		if ast.IsExported(name) && !known {
			return []string{name}
		}
	case *ast.GenDecl:
		var names []string
		for _, spec := range d.Specs {
			names = append(names, bareSpec(d, spec)...)
		}
		return names
	}
	return nil
}

func bareSpec(d *ast.GenDecl, spec ast.Spec) []string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		alone := d.Lparen == token.NoPos && d.Doc != nil
		if ast.IsExported(s.Name.Name) && s.Doc == nil && !alone {
			return []string{s.Name.Name}
		}
	case *ast.ValueSpec:
		if d.Doc != nil || s.Doc != nil || s.Comment != nil {
			return nil
		}
		var names []string
		for _, n := range s.Names {
			if ast.IsExported(n.Name) {
				names = append(names, n.Name)
			}
		}
		return names
	}
	return nil
}

func receiver(d *ast.FuncDecl) string {
	var name string
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// commentsAreWritten: a comment that only repeats the name says nothing.
func commentsAreWritten(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil {
				continue
			}
			words := strings.Fields(fn.Doc.Text())
			if len(words) < 3 {
				findings = append(findings,
					fmt.Sprintf("%s: the comment of %s says nothing", tr.fset.Position(d.Pos()), fn.Name.Name))
			}
		}
	}
	return findings
}
