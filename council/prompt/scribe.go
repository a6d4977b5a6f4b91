package prompt

import (
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/templates"
)

// scribe tells the events of one session to one member, in the order of the log.
type scribe struct {
	charter *council.Charter
	me      council.MemberID
	fence   fence
	retell  bool // also the member's own words: its answers no longer stand in the conversation

	opening council.SessionStarted
	minutes minutes.Minutes // of the events read so far
	told    council.Seq     // the last event that a digest tells, at a restart: answers up to it are not told again
}

func newScribe(v council.View) *scribe {
	return &scribe{
		opening: openingOf(v), charter: v.Charter, me: v.Ask.Member, fence: peerFence(v.Session, v.Ask.Member),
	}
}

// read takes in an event without telling it.
func (s *scribe) read(e council.Event) {
	s.minutes.Take(e, minutes.Recorded{})
}

// tell takes in an event and returns what the member is told of it, or "" for what it is not shown or not yet.
func (s *scribe) tell(e council.Event) string {
	s.read(e)
	if e.Sealed() || wording().Lookup(string(e.Type())) == nil {
		return ""
	}
	if _, ok := e.Payload.(council.QuestionPut); ok && e.Actor == council.Convener {
		return "" // after the close: the question itself says it
	}
	line := s.entry(e)
	if e.Opens() {
		for _, earlier := range s.minutes.Heard {
			if earlier.Seq > s.told {
				line.Sealed = append(line.Sealed, s.entry(earlier))
			}
		}
	}
	return line.Line()
}

// name returns how a member is called in the record. Its role and its id stand in the list of members.
func (s *scribe) name(id council.MemberID) string {
	if m := s.charter.Asked(id); m != nil {
		return title(m.Name)
	}
	return string(id)
}

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
