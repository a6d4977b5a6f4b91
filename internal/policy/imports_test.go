package policy

import (
	"fmt"
	"slices"
	"strings"
)

// arrow says what of ours the code of a package may import. A place that ends in "/" means all below it.
type arrow struct {
	from string
	to   []string
}

// arrows are looked up by the longest match. A package that none of them matches has not been thought about.
var arrows = []arrow{
	{"council/quorum", nil},
	{"council", []string{"council/quorum"}},
	{"council/charter", []string{"council", "council/quorum", "internal/names"}},
	{"council/citation", []string{"council"}},
	{"council/minutes", []string{"council", "council/citation", "council/quorum"}},
	{"council/rules", []string{"council", "council/charter", "council/citation", "council/quorum"}},
	{"council/budget", []string{"council", "council/engine", "council/member", "council/prompt", "council/rules"}},
	{"council/audit", []string{"council"}},
	{"council/policy", []string{"council", "internal/names"}},
	{"council/gate", []string{"council", "council/audit", "council/policy", "internal/process"}},
	{"council/routine", nil},
	{"council/prompt", []string{"council", "council/minutes", "council/citation", "council/quorum", "council/prompt/",
		"templates", "internal/hostile"}},
	{"council/prompt/form", nil},
	{"council/prompt/", []string{"council", "internal/hostile"}},
	{"council/config", []string{"council", "council/charter", "council/quorum", "templates", "internal/"}},
	{"council/documents", []string{"council", "council/citation", "internal/hostile", "internal/process"}},
	{"council/evaluation", []string{"council", "council/charter", "council/minutes", "council/quorum", "council/rules",
		"internal/hostile", "internal/names", "internal/plural"}},
	{"council/engine", []string{"council", "council/rules"}},
	{"council/member", []string{"council", "council/prompt", "council/prompt/form", "internal/hostile",
		"internal/secrets"}},
	{"council/member/", []string{"council", "council/gate", "council/minutes", "council/prompt", "council/prompt/form",
		"council/member", "council/member/", "internal/hostile", "internal/atomicfile"}},
	{"council/member/command", []string{"council", "council/gate", "council/prompt", "council/member",
		"council/member/endpoint", "internal/hostile", "internal/plural", "internal/process"}},
	{"council/member/tools", []string{"council", "council/gate", "council/prompt", "council/member",
		"council/member/credential", "council/documents", "schemas", "internal/hostile", "internal/process",
		"internal/atomicfile"}},
	{"council/member/credential", []string{"council", "council/gate", "council/member", "internal/atomicfile",
		"internal/hostile", "internal/process"}},
	{"recorder", []string{"council", "council/minutes", "council/rules", "recorder/", "internal/"}},
	{"recorder/", []string{"council", "council/prompt", "recorder/", "internal/"}},
	{"recorder/ledger", []string{"council/audit", "recorder/chain", "recorder/wire", "internal/atomicfile",
		"internal/groupcommit"}},
	{"recorder/render", []string{"council", "council/minutes", "council/quorum", "recorder/", "templates", "internal/"}},
	{"recorder/verify", []string{"council", "council/rules", "council/prompt", "schemas", "recorder/", "internal/"}},
	{"recorder/history", []string{"council", "council/audit", "council/minutes", "recorder", "recorder/",
		"internal/prefetch", "internal/atomicfile"}},
	{"recorder/index", []string{"council", "council/audit", "council/minutes", "internal/"}},
	{"memory", []string{"council", "council/minutes", "council/quorum", "recorder/wire", "internal/hostile",
		"internal/plural", "templates"}},
	{"memory/", []string{"council", "council/minutes", "memory", "memory/", "recorder/chain", "recorder/wire",
		"internal/"}},
	{"memory/roundtable", []string{"council", "council/quorum", "memory", "recorder", "recorder/wire",
		"internal/atomicfile", "internal/hostile"}},
	{"memory/curator", []string{"council", "memory", "memory/", "recorder", "recorder/", "internal/prefetch",
		"internal/atomicfile", "internal/hostile", "internal/groupcommit", "internal/plural", "internal/zipfile"}},
	{"docs", nil},
	{"schemas", []string{"internal/hostile"}},
	{"templates", nil},
	{"internal/counciltest", []string{"council", "council/", "recorder/", "internal/check"}},
	{"internal/questiontest", []string{"council", "council/"}},
	{"internal/atomicfile/", []string{"internal/atomicfile"}},
	{"internal/safehtml", []string{"internal/hostile"}},
	{"internal/zipfile", []string{"internal/atomicfile"}},
	{"internal/", nil}, // the ground floor: whoever needs more says so above
	{"cmd/council/terminal", []string{"council", "council/", "templates", "internal/", "workspace/live"}},
	{"cmd/council/cli", []string{"council", "council/", "memory", "memory/", "recorder", "recorder/", "internal/",
		"workspace", "workspace/", "cmd/council/terminal"}},
	{"workspace/live", []string{"council", "council/engine", "council/member", "recorder", "recorder/wire",
		"internal/atomicfile", "internal/hostile"}},
	{"cmd/council/serve/web", []string{"council", "council/audit", "council/minutes", "memory", "recorder",
		"recorder/index", "recorder/render", "recorder/wire", "templates", "internal/hostile", "internal/plural",
		"internal/safehtml", "workspace", "workspace/", "cmd/council/cli", "cmd/council/terminal"}},
	{"cmd/council/serve", []string{"council", "council/audit", "council/minutes", "recorder", "recorder/", "internal/",
		"workspace", "workspace/", "cmd/council/cli", "cmd/council/serve/web"}},
	{"cmd/council", []string{"council", "council/engine", "docs", "recorder", "internal/hostile", "workspace/",
		"cmd/council/"}},
	{"cmd/council/", []string{"council", "council/", "memory", "memory/", "recorder", "recorder/", "schemas",
		"templates", "internal/", "workspace", "workspace/", "cmd/council/cli", "cmd/council/terminal"}}, // no sibling
	{"workspace", []string{"council", "council/", "memory", "memory/", "recorder", "recorder/", "internal/atomicfile",
		"workspace/"}},
	{"workspace/", []string{"council", "council/", "memory", "memory/", "recorder", "recorder/", "templates", "internal/",
		"workspace/"}},
}

// harnesses are for tests only: no code but other harnesses imports them, whatever its row says.
var harnesses = []string{"internal/check", "internal/counciltest", "internal/natstest", "internal/questiontest"}

// row returns the arrow that holds for a package, or nil.
func row(dir string) *arrow {
	var best *arrow
	for i := range arrows {
		if a := &arrows[i]; under(dir, a.from) && (best == nil || len(a.from) > len(best.from)) {
			best = a
		}
	}
	return best
}

func importsGoOneWay(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		a := row(f.dir)
		if a == nil {
			findings = append(findings, fmt.Sprintf("%s: add a row in internal/policy for this package", f.dir))
			continue
		}
		for p := range f.imports {
			ours, ok := strings.CutPrefix(p, module+"/")
			forTests := slices.Contains(harnesses, ours) && !slices.Contains(harnesses, f.dir)
			if ok && (!under(ours, a.to...) || forTests) {
				findings = append(findings, fmt.Sprintf("%s imports %s, which %s may not", f.path, ours, a.from))
			}
		}
	}
	return findings
}

// closed maps each package that is kept away from the world to the exceptions it has.
var closed = map[string][]string{
	"council": nil, "council/charter": nil, "council/citation": nil, "council/quorum": nil, "council/rules": nil,
	"council/minutes":               {"time", "others"},
	"memory":                        {"time", "others"},
	"memory/chronicle":              {"time", "others"},
	"council/policy":                {"net", "others"},
	"council/prompt":                {"io", "context", "sync", "others"},
	"council/prompt/internal/reply": {"io", "context", "sync", "others"},
}

// world is imported by no closed package; "others" are the libraries of third parties.
var world = []string{"os", "io", "net", "time", "context", "log", "math/rand", "crypto/rand", "sync", "syscall",
	"unsafe"}

func thePureStayPure(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		allowed, isClosed := closed[f.dir]
		for p := range f.imports {
			forbidden := slices.ContainsFunc(world, func(no string) bool {
				return under(p, no, no+"/") && !slices.Contains(allowed, no)
			})
			if isClosed && (forbidden || isThirdParty(p) && !slices.Contains(allowed, "others")) {
				findings = append(findings, fmt.Sprintf("%s imports %s, and %s is pure", f.path, p, f.dir))
			}
		}
	}
	return findings
}

func isThirdParty(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return strings.Contains(first, ".") && !strings.HasPrefix(p, module+"/")
}
