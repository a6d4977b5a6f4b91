package templates

import (
	"text/template"
	"text/template/parse"
)

// Guard makes each value that an action of the set writes pass through the named function of the set first, as
// html/template does. So no template can write what a member wrote as it is. Call it once, when all is parsed.
func Guard(set *template.Template, function string) *template.Template {
	for _, t := range set.Templates() {
		if t.Tree != nil {
			guard(t.Root, function)
		}
	}
	return set
}

func guard(n parse.Node, function string) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, inner := range n.Nodes {
			guard(inner, function)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 { // else it sets a variable and writes nothing
			call := parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos}
			call.Args = []parse.Node{parse.NewIdentifier(function).SetPos(n.Pos)}
			n.Pipe.Cmds = append(n.Pipe.Cmds, &call)
		}
	case *parse.IfNode:
		guard(n.List, function)
		guard(n.ElseList, function)
	case *parse.RangeNode:
		guard(n.List, function)
		guard(n.ElseList, function)
	case *parse.WithNode:
		guard(n.List, function)
		guard(n.ElseList, function)
	}
}
