package prompt

import (
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/templates"
)

// wording is everything that a member is told in words of ours, parsed once.
var wording = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{
		"join": strings.Join, "nth": func(i int) int { return i + 1 }, "ids": ids, "evidence": evidence, "title": title,
		"spaced": func(kind string) string { return strings.ReplaceAll(kind, "_", " ") },
		"line":   func(name any) string { return hostile.Line(fmt.Sprint(name)) },
		"clean":  func(text string) string { return strings.TrimSpace(hostile.Clean(text)) },
	}
	root := template.New("prompts").Funcs(functions).Option("missingkey=error")
	template.Must(root.ParseFS(templates.Prompts(), "*.tmpl"))
	return template.Must(root.ParseFS(templates.Tellings(), "prompt.tmpl"))
})

// ids lists amendments.
func ids(of []council.AmendmentID) string {
	var out []string
	for _, id := range of {
		out = append(out, string(id))
	}
	return strings.Join(out, ", ")
}

// words executes one definition. The templates are embedded and every one of them is executed by a test, so a
// definition that fails is a defect of this program.
func words(name string, data any) string {
	var b strings.Builder
	if err := wording().ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("prompt: template %s: %v", name, err))
	}
	return b.String()
}
