package policy

import "strings"

// trees are small repositories by what they show: files by path.
type trees map[string]map[string]string

func imports(name string, paths ...string) string {
	return "package " + name + "\nimport (\n\t\"" + strings.Join(paths, "\"\n\t\"") + "\"\n)\n"
}

// broken has, for each rule, trees that break it once.
var broken = map[string]trees{
	"imports go one way": {
		"the core imports a file layer":      {"council/x.go": imports("council", module+"/internal/atomicfile")},
		"counting imports the core":          {"council/quorum/x.go": imports("quorum", module+"/council")},
		"prompts import the recorder":        {"council/prompt/x.go": imports("prompt", module+"/recorder")},
		"the engine imports a member":        {"council/engine/x.go": imports("engine", module+"/council/member")},
		"the recorder imports the engine":    {"recorder/x.go": imports("recorder", module+"/council/engine")},
		"a part of it imports a member":      {"recorder/wire/x.go": imports("wire", module+"/council/member/openai")},
		"a member imports the engine":        {"council/member/openai/x.go": imports("openai", module+"/council/engine")},
		"the ground floor imports the core":  {"internal/hostile/x.go": imports("hostile", module+"/council")},
		"a library imports the command":      {"schemas/x.go": imports("schemas", module+"/cmd/council")},
		"the command imports the harness":    {"cmd/council/x.go": imports("main", module+"/internal/counciltest")},
		"a package nobody has thought about": {"surprise/x.go": "package surprise\n"},
	},
	"the pure stay pure": {
		"the core reads a file":   {"council/x.go": imports("council", "os")},
		"the core reads by io/fs": {"council/x.go": imports("council", "io/fs")},
		"the core asks the clock": {"council/x.go": imports("council", "time")},
		"the core throws dice":    {"council/x.go": imports("council", "math/rand/v2")},
		"the core has goroutines": {"council/x.go": imports("council", "sync/atomic")},
		"the core uses a library": {"council/x.go": imports("council", "golang.org/x/text/cases")},
		"counting logs":           {"council/quorum/x.go": imports("quorum", "log/slog")},
		"prompts know a URL":      {"council/prompt/x.go": imports("prompt", "net/url")},
		"an alias hides nothing":  {"council/x.go": "package council\nimport quiet \"context\"\nvar _ quiet.Context\n"},
		"a second file is looked at": {"council/a.go": imports("council", "strings"),
			"council/b.go": imports("council", "net")},
		"a blank import is an import":  {"council/x.go": "package council\nimport _ \"os/exec\"\n"},
		"a file for another system is": {"council/x_windows.go": imports("council", "os")},
	},
	"libraries stay at home": {
		"cobra in the recorder": {"recorder/x.go": imports("recorder", "github.com/spf13/cobra")},
		"a provider's library in another": {
			"council/member/command/x.go": imports("command", "github.com/modelcontextprotocol/go-sdk/mcp")},
		"a provider's library at the root": {"council/member/x.go": imports("member", "github.com/zalando/go-keyring")},
		"schemas made by the product":      {"schemas/x.go": imports("schemas", "github.com/invopop/jsonschema")},
		"schemas checked elsewhere": {
			"council/prompt/x.go": imports("prompt", "github.com/santhosh-tekuri/jsonschema/v5")},
		"Markdown parsed by a prompt": {"council/prompt/x.go": imports("prompt", "github.com/yuin/goldmark/ast")},
	},
	"only the command touches the process": {
		"the environment":      {"recorder/x.go": "package recorder\nimport \"os\"\nvar home = os.Getenv(\"HOME\")\n"},
		"a stream":             {"recorder/x.go": "package recorder\nimport \"os\"\nvar out = os.Stdout\n"},
		"under another name":   {"schemas/x.go": "package schemas\nimport system \"os\"\nvar out = system.Stderr\n"},
		"printing":             {"schemas/x.go": "package schemas\nimport \"fmt\"\nfunc f() { fmt.Println(1) }\n"},
		"leaving":              {"schemas/x.go": "package schemas\nimport \"os\"\nfunc f() { os.Exit(1) }\n"},
		"leaving with a word":  {"schemas/x.go": "package schemas\nimport \"log\"\nfunc f() { log.Fatal(1) }\n"},
		"once a file and name": {"schemas/x.go": "package schemas\nimport \"os\"\nvar a, b = os.Stdin, os.Stdin\n"},
	},
	"files stay small": {
		"a long file": {"council/x.go": "package council\n" + strings.Repeat("\n", 400)},
		"a long test": {"council/x_test.go": "package council\n" + strings.Repeat("\n", 400)},
	},
	"lines stay short": {
		"code":      {"council/x.go": "package council\n\nvar x = \"" + strings.Repeat("x", 120) + "\"\n"},
		"a comment": {"council/x.go": "package council\n\n// " + strings.Repeat("ï", 118) + "\n"},
		"a test":    {"council/x_test.go": "package council\n\n// " + strings.Repeat("x", 118) + "\n"},
	},
	"a package with one importer says why": {
		"without a reason": {
			"council/x.go":   "// Package council has words.\npackage council\n",
			"council/a/a.go": imports("a", module+"/council"),
		},
	},
	"names say something": {
		"a package": {"council/x.go": "package common\n"},
		"a folder":  {"council/helpers/x.go": "package council\n"},
		"a file":    {"council/types.go": "package council\n"},
		"a test":    {"council/util_test.go": "package council\n"},
	},
	"nothing names this machine": {
		"in code":      {"council/x.go": "package council\n\n// See /wor" + "k/shared.\n"},
		"in a script":  {".ci/run": "cd /wor" + "k/main\n"},
		"in a string":  {"x.json": `{"a":"/wor` + `k/x"}`},
		"in testdata":  {"council/testdata/x.go": "package x // (/wor" + "k/x)\n"},
		"in this file": {"a/b/c.md": "x\n/wor" + "k/\n"},
	},
	"tests do not sleep": {
		"a test that sleeps": {"council/x_test.go": "package council\nimport \"time\"\nfunc f() { time.Sleep(1) }\n"},
	},
	"counts are written at home": {
		"an s is added":    {"memory/x.go": "package memory\nfunc f(thing string) string { return thing + \"s\" }\n"},
		"to what there is": {"memory/x.go": "package memory\nfunc f(thing string) string { thing += \"s\"; return thing }\n"},
		"an s, or none": {
			"memory/x.go": "package memory\nfunc f(n int) string {\n\tend := \"s\"\n\tif n == 1 {\n\t\tend = " +
				"\"\"\n\t}\n\treturn end\n}\n"},
		"in a format": {
			"memory/x.go": "package memory\nimport \"fmt\"\nfunc f(n int, thing string) string { return fmt.Sprintf(\"%d " +
				"%ss\", n, thing) }\n"},
	},
	"every package says what it is": {
		"no comment": {"council/x.go": "package council\n"},
		"a comment in tests": {"council/x.go": "package council\n",
			"council/x_test.go": "// Package council is.\npackage council\n"},
		"one apart from it": {"council/x.go": "// Copyright.\n\npackage council\n"},
	},
	"everything exported says what it is": {
		"a function":         {"council/x.go": "package council\nfunc F() {}\n"},
		"a type":             {"council/x.go": "package council\ntype T int\n"},
		"a type in a group":  {"council/x.go": "package council\n// Types.\ntype (\n\tT int\n)\n"},
		"a method":           {"council/x.go": "package council\n// T is.\ntype T int\nfunc (*T) M() {}\n"},
		"a method of a kind": {"council/x.go": "package council\n// T is.\ntype T[K any] int\nfunc (T[K]) M() {}\n"},
		"a constant":         {"council/x.go": "package council\nconst C = 1\n"},
		"a variable":         {"council/x.go": "package council\nvar (\n\tV, w = 1, 2\n)\n"},
		"a function like one": {
			"council/x.go": "package council\n// T is.\ntype T int\n// M does it.\nfunc (T) M() {}\nfunc M() {}\n"},
	},
	"comments are written": {
		"a name and no more": {"council/x.go": "package council\n// F does.\nfunc F() {}\n"},
	},
	"links lead somewhere": {
		"a name":   {"council/x.go": "package council\n// F calls [G].\nfunc F() {}\n"},
		"a method": {"council/x.go": "package council\n// T has [T.M].\ntype T int\n"},
		"a name of a package": {"council/x.go": "package council\n// F calls [quorum.Gone].\nimport \"" + module +
			"/council/quorum\"\n", "council/quorum/x.go": "package quorum\n"},
		"of one not imported": {"council/x.go": "package council\n// F calls [quorum.There].\nfunc F() {}\n",
			"council/quorum/x.go": "package quorum\nvar There int\n"},
		"within a declaration": {"council/x.go": "package council\ntype t struct {\n\tf int // see [G]\n}\n"},
	},
	"imports stand in groups": {
		"two groups of ours": {"cmd/x/x.go": "package main\nimport (\n\t\"" + module + "/council\"\n\n\t\"" + module +
			"/recorder\"\n)\n"},
		"two in one group": {"cmd/x/x.go": "package main\nimport (\n\t\"os\"\n\t\"" + module + "/recorder\"\n)\n"},
		"one kind twice": {"cmd/x/x.go": "package main\nimport (\n\t\"os\"\n\n\t\"" + module +
			"/recorder\"\n\n\t\"io\"\n)\n"},
		"in a test": {"cmd/x/x_test.go": "package main\nimport (\n\t\"os\"\n\t\"github.com/google/go-cmp/cmp\"\n)\n"},
	},
	"every sentence of the protocol has a test": {
		"a sentence without a test":  {protocol: "1. A.\n2. B.\n", "council/rules/x_test.go": citing("TestX", "1")},
		"a test without a sentence":  {protocol: "1. A.\n", "council/rules/x_test.go": citing("TestX", "1, 7")},
		"a number twice":             {protocol: "1. A.\n1. B.\n", "council/rules/x_test.go": citing("TestX", "1")},
		"numbers out of order":       {protocol: "2. A.\n1. B.\n", "council/rules/x_test.go": citing("TestX", "1, 2")},
		"a sentence without an end":  {protocol: "1. A\n", "council/rules/x_test.go": citing("TestX", "1")},
		"no sentence at all":         {protocol: "# The protocol\n"},
		"a citation outside a test":  {protocol: "1. A.\n", "council/rules/x_test.go": citing("helpTestX", "1")},
		"a citation in a method":     {protocol: "1. A.\n", "council/rules/x_test.go": citing("(f *floor) TestX", "1")},
		"a citation that is no word": {protocol: "1. A.\n", "council/rules/x_test.go": citing("TestX", "1, one")},
		"a citation in the code":     {protocol: "1. A.\n", "council/x.go": citing("TestX", "1")},
		"a citation from elsewhere":  {protocol: "1. A.\n", "recorder/x_test.go": citing("TestX", "1")},
	},
	"the docs name what exists": {
		"a place":           {"AGENTS.md": "| x | `council/gone/` |\n", "council/x.go": "package council\n"},
		"one by a pattern":  {"docs/testing.md": "| x | `council/gone_*.go` |\n", "council/x.go": "package council\n"},
		"a link":            {"docs/memory.md": "See [this](gone.md#there).\n"},
		"a package to test": {"README.md": "    go test ./gone -v\n"},
		"a test": {"docs/receipt.md": "`go test ./council -run Gone`\n",
			"council/x_test.go": "package council\nfunc TestX() {}\n"},
		"two targets to run": {"docs/testing.md": "    go test ./council -fuzz FuzzX -fuzztime 1m\n",
			"council/x_test.go": "package council\nfunc FuzzX() {}\nfunc FuzzXY() {}\n"},
	},
	"every promise names its test": {
		"a test that is none":     {security: "## Promises\n| A. | `TestX` |\n"},
		"a promise without one":   {security: "## Promises\n| A. | nothing |\n"},
		"a page without promises": {security: "# Security\n"},
		"elsewhere on the page": {security: "See `TestY`.\n\n## Promises\n| A. | `TestX` |\n",
			"council/x_test.go": "package council\nfunc TestX() {}\n"},
	},
}

// kept has trees that come close to breaking a rule and do not.
var kept = map[string]trees{
	"imports go one way": {
		"tests may":   {"council/x_test.go": imports("council", module+"/council/engine")},
		"the command": {"cmd/council/x.go": imports("main", module+"/recorder/wire", module+"/council/member/openai")},
	},
	"the pure stay pure": {
		"names that begin alike": {"council/x.go": imports("council", "iter", "math/big", "crypto/sha256",
			module+"/council/quorum")},
		"tests may": {"council/x_test.go": imports("council", "os", "time")},
	},
	"libraries stay at home": {
		"at home": {"council/member/tools/x.go": imports("tools", "github.com/modelcontextprotocol/go-sdk/mcp")},
	},
	"only the command touches the process": {
		"the command may":    {"cmd/council/x.go": "package main\nimport \"os\"\nvar out = os.Stdout\n"},
		"a field of another": {"council/x.go": "package council\nvar a = os.Stdout\nvar os struct{ Stdout int }\n"},
	},
	"files stay small": {
		"many fitting ones": many(6),
		"long tests": {"council/a_test.go": strings.Repeat("\n", 399) + "package council",
			"council/testdata/x.go": strings.Repeat("\n", 500)},
	},
	"lines stay short": {
		"as long as may be": {"council/x.go": "package council\n\n// " + strings.Repeat("ï", 117) + "\n"},
		"a raw string":      {"council/x.go": "package council\n\nvar x = `" + strings.Repeat("x", 120) + "`\n"},
		"generated": {"council/x.go": "// Code generated by x; DO NOT EDIT.\n\npackage council\n\n// " +
			strings.Repeat("x", 118) + "\n"},
	},
	"a package with one importer says why": {
		"with a reason": {
			"council/x.go": "// Package council has words. It is its own package\n// because all have them.\npackage " +
				"council\n",
			"council/a/a.go": imports("a", module+"/council"),
		},
		"with two importers": {
			"council/x.go":   "package council\n",
			"council/a/a.go": imports("a", module+"/council"), "council/b/b.go": imports("b", module+"/council"),
		},
		"for tests": {
			"council/x.go": "package council\n", "council/a/a_test.go": imports("a", module+"/council"),
		},
	},
	"nothing names this machine": {
		"another folder of that name": {"x.md": "https://example.org/wor" + "k/x and a/wor" + "k/b and ./wor" + "k/c\n"},
	},
	"counts are written at home": {
		"at home": {
			"internal/plural/x.go": "package plural\nfunc f(thing string) string { return thing + \"s\" }\n"},
		"a letter": {"memory/x.go": "package memory\nfunc f(word string) bool { return word == \"s\" }\n"},
		"a unit": {
			"memory/x.go": "package memory\nimport \"fmt\"\nfunc f(n float64) string { return fmt.Sprintf(\"%.1f s\", n) }\n"},
		"a test may expect": {"memory/x_test.go": "package memory\nvar want = \"member\" + \"s\"\n"},
	},
	"tests do not sleep": {
		"code may":  {"council/x.go": "package council\nimport \"time\"\nfunc f() { time.Sleep(1) }\n"},
		"some time": {"council/x_test.go": "package council\nimport \"time\"\nvar d = time.Second\n"},
	},
	"everything exported says what it is": {
		"one comment for a group":        {"council/x.go": "package council\n// The words.\nconst (\n\tA = 1\n\tB = 2\n)\n"},
		"a comment behind":               {"council/x.go": "package council\nvar (\n\tA = 1 // one\n)\n"},
		"one interface's methods":        {"council/x.go": "package council\n// K says.\nfunc (A) K() {}\nfunc (B) K() {}\n"},
		"what everybody knows":           {"council/x.go": "package council\nfunc (A) Error() string { return \"\" }\n"},
		"what nobody outside sees":       {"council/x.go": "package council\nfunc (a) M() {}\ntype t int\nfunc f() {}\n"},
		"a command, which has no reader": {"cmd/x/x.go": "package main\nfunc F() {}\n"},
	},
	"links lead somewhere": {
		"to what is there": {
			"council/x.go": "package council\n// F calls [T.M], [*T] and [T.F], not [e12].\nfunc F() {}\n// T is.\ntype T " +
				"struct{ F int }\n// M is here.\nfunc (T) M() {}\n"},
		"to another package": {"council/x.go": "package council\n// F calls [quorum.There].\nimport \"" + module +
			"/council/quorum\"\n", "council/quorum/x.go": "package quorum\nvar There int\n"},
		"to somebody else's":  {"council/x.go": "package council\n// F returns [fs.ErrGone].\nimport \"io/fs\"\n"},
		"in tests, to nobody": {"council/x_test.go": "package council\n// F calls [G].\nfunc F() {}\n"},
	},
	"imports stand in groups": {
		"three of them": {"cmd/x/x.go": "package main\nimport (\n\t\"io\"\n\t\"os\"\n\n\t\"github.com/spf13/cobra\"\n\n\t\"" +
			module + "/recorder\"\n)\n"},
		"one alone": {"cmd/x/x.go": "package main\nimport \"" + module + "/recorder\"\n"},
	},
	"the docs name what exists": {
		"what is there": {
			"AGENTS.md": "`council/`, `council/x_*.go`, `council/...`, `testing/synctest`, [all](docs/a.md), " +
				"[web](https://example.org/x)\n",
			"docs/a.md": "`memory/2026/11.zip` [up](../AGENTS.md#x) `go test ./council -run 'X$' -v` and `go test " +
				"./... -run Gone`\n",
			"council/x_test.go": "package council\nfunc TestX() {}\n",
		},
	},
	"every sentence of the protocol has a test": {
		"in a subtest": {protocol: "# P\n\n1. A.\n4. B.\n",
			"council/rules/x_test.go": "package council\nfunc TestX(t *testing.T) {\n\tt.Run(\"\", func(t *testing.T) { " +
				"cites(t, 1, 4) })\n}\n"},
	},
}

// many returns a package of n files of 400 lines.
func many(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files["council/"+string(rune('a'+i))+".go"] = "package council" + strings.Repeat("\n", 400)
	}
	return files
}

func citing(function, numbers string) string {
	return "package council\nfunc " + function + "(t *testing.T) { cites(t, " + numbers + ") }\n"
}
