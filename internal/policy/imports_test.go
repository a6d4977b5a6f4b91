package policy

import (
	"cmp"
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
	{"council/documents", []string{"council", "council/citation", "internal/hostile"}},
	{"council/evaluation", []string{"council", "council/quorum", "internal/hostile", "internal/plural"}},
	{"council/engine", []string{"council", "council/rules"}},
	{"council/member", []string{"council", "council/prompt", "council/prompt/form",
		"internal/hostile", "internal/secrets"}},
	{"council/member/", []string{"council", "council/gate", "council/minutes", "council/prompt", "council/prompt/form",
		"council/member", "council/member/", "internal/hostile", "internal/atomicfile"}},
	{"council/member/command", []string{"council", "council/gate", "council/prompt", "council/member",
		"council/member/endpoint",
		"internal/hostile", "internal/plural", "internal/process"}},
	{"council/member/tools", []string{"council", "council/gate", "council/prompt", "council/member",
		"council/member/credential",
		"council/documents", "schemas", "internal/hostile", "internal/process", "internal/atomicfile"}},
	{"council/member/credential", []string{"council", "council/gate", "council/member", "internal/atomicfile",
		"internal/hostile",
		"internal/process"}},
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
		"internal/atomicfile", "internal/hostile", "internal/groupcommit", "internal/zipfile"}},
	{"docs", nil},
	{"schemas", []string{"internal/hostile"}},
	{"templates", nil},
	{"internal/counciltest", []string{"council", "council/", "recorder/"}},
	{"internal/questiontest", []string{"council", "council/"}},
	{"internal/atomicfile/", []string{"internal/atomicfile"}},
	{"internal/safehtml", []string{"internal/hostile"}},
	{"internal/zipfile", []string{"internal/atomicfile"}},
	{"internal/", nil}, // the ground floor: whoever needs more says so above
	{".ci/", nil},
	{".ci/models", []string{"council", "council/", "internal/questiontest"}},
	{"cmd/council/terminal", []string{"council", "council/", "templates", "internal/", "workspace/live"}},
	{"cmd/council/cli", []string{"council", "council/", "memory", "memory/", "recorder", "recorder/", "internal/",
		"workspace/", "cmd/council/terminal"}},
	{"workspace/live", []string{"council", "council/engine", "council/member", "recorder", "recorder/wire",
		"internal/atomicfile", "internal/hostile"}},
	{"cmd/council/web", []string{"council", "council/audit", "council/minutes", "memory", "recorder", "recorder/index",
		"recorder/render", "recorder/wire", "internal/hostile", "internal/plural", "internal/safehtml", "workspace",
		"workspace/", "cmd/council/terminal"}},
	{"cmd/", []string{"council", "council/", "docs", "memory", "memory/", "recorder", "recorder/", "schemas",
		"templates", "internal/", "workspace", "workspace/", "cmd/"}},
	{"workspace", []string{"council", "council/audit", "council/minutes", "memory/chronicle", "memory/chronicle/",
		"memory/roundtable", "recorder", "recorder/", "internal/atomicfile", "workspace/"}},
	{"workspace/", []string{"council", "council/", "memory", "memory/", "recorder", "recorder/", "templates", "internal/",
		"workspace/"}},
}

// harnesses are for tests only: no code but that of CI imports them, whatever its row says.
var harnesses = []string{"internal/counciltest", "internal/natstest", "internal/questiontest"}

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

// idle lists what arrows allow and no code does, by the place that they start from.
func idle(tr *tree) map[string][]string {
	taken := map[string][]string{} // by the arrow's start, what is imported
	for dir, files := range tr.packages() {
		for _, f := range files {
			for _, p := range f.imports() {
				if ours, ok := strings.CutPrefix(p, module+"/"); ok && row(dir) != nil {
					taken[row(dir).from] = append(taken[row(dir).from], ours)
				}
			}
		}
	}
	found := map[string][]string{}
	for _, a := range arrows {
		for _, to := range a.to {
			if !slices.ContainsFunc(taken[a.from], func(ours string) bool { return under(ours, to) }) {
				found[a.from] = append(found[a.from], to)
			}
		}
	}
	return found
}

func importsGoOneWay(tr *tree) []string {
	var findings []string
	for dir, files := range tr.packages() {
		a := row(dir)
		if a == nil {
			findings = append(findings, fmt.Sprintf("%s: say in internal/policy what this package may import", dir))
			continue
		}
		for _, f := range files {
			for _, p := range f.imports() {
				ours, ok := strings.CutPrefix(p, module+"/")
				if ok && (!under(ours, a.to...) || slices.Contains(harnesses, ours) && !under(dir, ".ci/")) {
					findings = append(findings, fmt.Sprintf("%s imports %s, which %s may not", f.path, ours, a.from))
				}
			}
		}
	}
	return findings
}

// closed lists the packages that are kept away from the world. A place below a listed one is listed too.
var closed = []struct {
	dirs, not  []string
	thirdParty bool
}{
	{dirs: []string{"council", "council/charter", "council/citation", "council/quorum", "council/rules"}, not: []string{
		"os", "io", "net", "time", "context", "log", "math/rand", "math/rand/v2", "crypto/rand", "sync", "syscall", "unsafe",
	}},
	{dirs: []string{"council/minutes", "memory", "memory/chronicle"}, not: []string{
		"os", "io", "net", "context", "log", "math/rand", "math/rand/v2", "crypto/rand", "sync", "syscall", "unsafe",
	}, thirdParty: true},
	{dirs: []string{"council/policy"}, not: []string{
		"os", "io", "time", "context", "log", "math/rand", "math/rand/v2", "crypto/rand", "sync", "syscall", "unsafe",
	}, thirdParty: true},
	{dirs: []string{"council/prompt", "council/prompt/internal/reply"},
		not: []string{"os", "net", "time", "log", "math/rand", "math/rand/v2", "crypto/rand"}, thirdParty: true},
}

func thePureStayPure(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		for _, rule := range closed {
			if !slices.Contains(rule.dirs, f.dir) {
				continue
			}
			for _, p := range f.imports() {
				world := slices.ContainsFunc(rule.not, func(no string) bool { return under(p, no, no+"/") })
				foreign := !rule.thirdParty && isThirdParty(p)
				if world || foreign {
					findings = append(findings, fmt.Sprintf("%s imports %s, and %s is pure", f.path, p, f.dir))
				}
			}
		}
	}
	return findings
}

func isThirdParty(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return strings.Contains(first, ".") && !strings.HasPrefix(p, module+"/")
}

// homes says where a library may be used, so that to exchange it is to change few files.
var homes = map[string][]string{
	"github.com/spf13/cobra":                {"cmd/council", "cmd/council/"},
	"github.com/spf13/pflag":                {"cmd/council", "cmd/council/"},
	"github.com/santhosh-tekuri/jsonschema": {"schemas"},
	"github.com/invopop/jsonschema":         nil, // tests alone: it makes the schemas of events
	"github.com/pelletier/go-toml": {"workspace/settings", "council/routine", "council/policy",
		"council/member/command"},
	"github.com/tailscale/hujson":   {"council/config"},
	"github.com/bmatcuk/doublestar": {"council/documents"},
	"github.com/yuin/goldmark": {"internal/hostile", "internal/safehtml", "recorder/render", "memory",
		"memory/", "cmd/council/terminal"},
	"github.com/microcosm-cc/bluemonday":     {"internal/safehtml"},
	"github.com/gofrs/flock":                 {"internal/"},
	"github.com/zalando/go-keyring":          {"council/member/credential"},
	"github.com/modelcontextprotocol/go-sdk": {"council/member/tools", "cmd/council/agents"},
	"golang.org/x/oauth2":                    {"council/member/credential"},
	"golang.org/x/mod":                       {"recorder/anchor", "recorder/jetstream"},
	"modernc.org/sqlite":                     {"recorder/index"},
	"github.com/kaptinlin/jsonrepair":        {"council/prompt/internal/reply"},
	"github.com/adhocore/gronx":              {"council/routine"},
	"github.com/nats-io/nats.go":             {"recorder/jetstream"},
	"github.com/nats-io/nats-server":         {"internal/natstest"}, // no program of ours links a server
}

func librariesStayAtHome(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		for _, p := range f.imports() {
			for library, places := range homes {
				if under(p, library, library+"/") && !under(f.dir, places...) {
					findings = append(findings, fmt.Sprintf("%s imports %s, which belongs to %s", f.path, p,
						cmp.Or(strings.Join(places, ", "), "tests")))
				}
			}
		}
	}
	return findings
}

// onlyTheCommandTouchesTheProcess: streams, environment and exit codes are passed in, so that everything else can be
// tested and used as a library.
func onlyTheCommandTouchesTheProcess(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		if under(f.dir, "cmd/", ".ci/") || f.dir == "internal/counciltest" { // which is part of tests alone
			continue
		}
		found := f.uses("os", "Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Stdin", "Stdout", "Stderr",
			"Args", "Exit")
		found = append(found, f.uses("fmt", "Print", "Printf", "Println")...)
		found = append(found, f.uses("log", "Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln")...)
		for _, name := range found {
			findings = append(findings, fmt.Sprintf("%s uses %s, which only cmd may", f.path, name))
		}
	}
	return findings
}
