package policy

import (
	"fmt"
	"regexp"
	"strings"
)

// restricted are expressions that only the given places may use: streams, environment and exit codes are passed in,
// and all that can cost or act passes the gate. Comments are not searched.
var restricted = []struct {
	of     string // the package
	match  *regexp.Regexp
	places []string
}{
	{"os", regexp.MustCompile(`\bos\.(Getenv|LookupEnv|Environ|ExpandEnv|Setenv|Stdin|Stdout|Stderr|Args|Exit)\b`),
		[]string{"cmd/"}},
	{"fmt", regexp.MustCompile(`\bfmt\.Print(f|ln)?\b`), []string{"cmd/"}},
	{"log", regexp.MustCompile(`\blog\.(Print|Fatal)(f|ln)?\b`), []string{"cmd/"}},
	{"net/http", regexp.MustCompile(`\bhttp\.(DefaultClient|DefaultTransport|Get|Head|Post|PostForm)\b`),
		[]string{"council/gate"}},
	{"net/http", regexp.MustCompile(`(^|[^*\w])http\.(Client|Transport)\b`), []string{"council/gate"}},
	{"net", regexp.MustCompile(`\bnet\.Dial\w*`), []string{"council/gate"}},
	{"crypto/tls", regexp.MustCompile(`\btls\.Dial\w*`), nil},
	{"os/exec", regexp.MustCompile(`\bexec\.Command`), []string{"internal/process",
		"council/member/tools",   // which starts it by internal/process, with a permit
		"council/documents",      // git, which may fetch nothing and run nothing of the repository's
		"cmd/council/terminal"}}, // the editor of the person at the keyboard
	{"os", regexp.MustCompile(`\bos\.StartProcess\b`), nil},
	{"syscall", regexp.MustCompile(`\bsyscall\.(Exec|ForkExec|StartProcess)\b`), nil},
	{module + "/internal/process", regexp.MustCompile(`\bprocess\.Permitted\b`), []string{"council/gate"}},
	{module + "/council/member/endpoint", regexp.MustCompile(`\.NewClient\(nil\)`), nil},
}

var comment = regexp.MustCompile(`(?m)(^|\s)//.*`)

func usesStayAtHome(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		text := comment.ReplaceAllString(f.text, "")
		for _, r := range restricted {
			if _, ok := f.imports[r.of]; !ok || under(f.dir, append(r.places, harnesses...)...) {
				continue
			}
			if f.imports[r.of] != "" {
				findings = append(findings, fmt.Sprintf("%s imports %s under another name", f.path, r.of))
			}
			for _, name := range r.match.FindAllString(text, -1) {
				findings = append(findings, fmt.Sprintf("%s uses %s, which only %q may", f.path, name, r.places))
			}
		}
	}
	return findings
}

// gated matches the beginnings of literals without whose gate something would be sent or started unseen.
var gated = regexp.MustCompile(
	`\b((endpoint|command|tools)\.Options|credential\.Wallet|probe\.Prober|doctor\.Doctor)\{`)

var gate = regexp.MustCompile(`\b(Gate|Client|Transport):`)

func nothingIsMadeWithoutAGate(tr *tree) []string {
	var findings []string
	for _, f := range tr.code() {
		for _, at := range gated.FindAllStringIndex(f.text, -1) {
			literal := f.text[at[1]:]
			depth := 1
			end := strings.IndexFunc(literal, func(r rune) bool {
				depth += strings.Count("{", string(r)) - strings.Count("}", string(r))
				return depth == 0
			})
			if !gate.MatchString(literal[:max(end, 0)]) {
				findings = append(findings, fmt.Sprintf("%s makes a %s…} without its gate", f.path, f.text[at[0]:at[1]]))
			}
		}
	}
	return findings
}
