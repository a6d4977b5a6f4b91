package policy

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// doors are functions that can cost or act, by their package, and the only places that may mention each: the gate, and
// those with a reason.
var doors = []struct {
	of     string
	names  []string
	places []string
}{
	{"net/http", []string{"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
		[]string{"council/gate"}},
	{"net", []string{"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "Dialer"}, []string{"council/gate"}},
	{"os/exec", []string{"Command", "CommandContext"}, []string{"internal/process",
		"council/member/tools",   // which starts it by internal/process, with a permit
		"council/documents",      // git, which may fetch nothing and run nothing of the repository's
		"cmd/council/terminal"}}, // the editor of the person at the keyboard
	{"os", []string{"StartProcess"}, nil},
	{"syscall", []string{"Exec", "ForkExec", "StartProcess"}, nil},
	{module + "/internal/process", []string{"Permitted"}, []string{"council/gate"}},
	{"crypto/tls", []string{"Dial", "DialWithDialer", "Dialer"}, nil},
}

// gated are the settings without which something would be sent or started that passes no gate: by the type that has
// them.
var gated = map[string][]string{
	"endpoint.Options":  {"Gate"},
	"command.Options":   {"Gate"},
	"tools.Options":     {"Gate"},
	"credential.Wallet": {"Gate"},
	"seat.Picker":       {"Client"},
	"probe.Prober":      {"Transport"},
	"doctor.Doctor":     {"Transport"},
}

// whatActsPassesTheGate: a client that the gate did not make would cost unseen. A client and a transport are made by
// council/gate alone; others hold pointers to them.
func whatActsPassesTheGate(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		if under(f.dir, append(harnesses, ".ci/")...) {
			continue
		}
		for _, d := range doors {
			if under(f.dir, d.places...) {
				continue
			}
			for _, name := range f.uses(d.of, d.names...) {
				findings = append(findings, fmt.Sprintf("%s uses %s, which passes no gate: see council/gate", f.path, name))
			}
		}
		findings = append(findings, f.ungated()...)
	}
	return findings
}

// ungated lists the clients and transports that a file makes, and values that it makes without the gate.
func (f *source) ungated() []string {
	var findings []string
	web := f.named("net/http")
	pointed := map[ast.Expr]bool{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr:
			pointed[n.X] = true
		case *ast.CompositeLit:
			findings = append(findings, f.lacks(n)...)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "new" && len(n.Args) == 1 {
				pointed[n.Args[0]] = false
			}
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "NewClient" && len(n.Args) == 1 {
				if id, ok := n.Args[0].(*ast.Ident); ok && id.Name == "nil" {
					findings = append(findings, f.path+" makes a client without a gate")
				}
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && web != "" && x.Name == web && (n.Sel.Name == "Client" || n.Sel.Name == "Transport") && !pointed[n] &&
				f.dir != "council/gate" {
				findings = append(findings, fmt.Sprintf("%s makes an http.%s, which passes no gate: see council/gate", f.path,
					n.Sel.Name))
			}
		}
		return true
	})
	return findings
}

// lacks returns the settings that a literal needs and does not have.
func (f *source) lacks(l *ast.CompositeLit) []string {
	s, ok := l.Type.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return nil
	}
	var findings []string
	for _, name := range gated[x.Name+"."+s.Sel.Name] {
		if !slices.ContainsFunc(l.Elts, func(e ast.Expr) bool {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				return false
			}
			id, ok := kv.Key.(*ast.Ident)
			return ok && id.Name == name
		}) {
			findings = append(findings, fmt.Sprintf("%s makes a %s.%s without its %s: what it sends or starts would pass no "+
				"gate", f.path, x.Name, s.Sel.Name, name))
		}
	}
	return findings
}

func goFile(imported, body string) string {
	name, at, _ := strings.Cut(imported, " ")
	return "package " + name + "\nimport \"" + at + "\"\n" + body + "\n"
}

func init() {
	broken["what acts passes the gate"] = trees{
		"a client":             {"recorder/x.go": goFile("recorder net/http", "var c = &http.Client{}")},
		"a client by new":      {"recorder/x.go": goFile("recorder net/http", "var c = new(http.Client)")},
		"a client as a value":  {"recorder/x.go": goFile("recorder net/http", "var c http.Client")},
		"a transport":          {"recorder/x.go": goFile("recorder net/http", "var t = &http.Transport{}")},
		"the library's client": {"recorder/x.go": goFile("recorder net/http", "var c = http.DefaultClient")},
		"the library's get":    {"recorder/x.go": goFile("recorder net/http", "var _, _ = http.Get(\"x\")")},
		"a connection":         {"recorder/x.go": goFile("recorder net", "var _, _ = net.Dial(\"tcp\", \"x\")")},
		"a program":            {"recorder/x.go": goFile("recorder os/exec", "var c = exec.Command(\"x\")")},
		"under another name":   {"recorder/x.go": "package recorder\nimport run \"os/exec\"\nvar c = run.Command(\"x\")\n"},
		"a permit of its own": {
			"recorder/x.go": goFile("recorder "+module+"/internal/process", "var p = process.Permitted()")},
		"a member without it": {
			"cmd/x.go": goFile("main "+module+"/council/member/command", "var o = command.Options{Now: nil}")},
		"a client without it": {
			"cmd/x.go": goFile("main "+module+"/council/member/endpoint", "var c = endpoint.NewClient(nil)")},
	}
	kept["what acts passes the gate"] = trees{
		"a pointer to a client": {"recorder/x.go": goFile("recorder net/http", "var c *http.Client")},
		"the gate itself":       {"council/gate/x.go": goFile("gate net/http", "var c = &http.Client{}")},
		"a test":                {"recorder/x_test.go": goFile("recorder net/http", "var c = &http.Client{}")},
		"a member with it": {
			"cmd/x.go": goFile("main "+module+"/council/member/command", "var o = command.Options{Gate: nil}")},
	}
}
