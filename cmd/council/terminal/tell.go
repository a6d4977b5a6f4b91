package terminal

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/templates"
)

type teller struct {
	Council *council.Charter
	Minutes *minutes.Minutes // up to the described event
}

// shown is text that may be written to a terminal as it is.
type shown string

// wording is the template of a watcher's view, parsed once. Its output is harmless.
var wording = templates.Once(templates.Tellings(), template.FuncMap{
	"harmless": harmless,
	"words":    func(text string) shown { return shown(hostile.Words(text)) },
	"line":     hostile.Label,
	"column":   func(b council.Choice) shown { return shown(fmt.Sprintf("%-8s", hostile.Label(string(b)))) },
	"nth":      func(i int) int { return i + 1 },
	"percent":  func(share float64) string { return fmt.Sprintf("%.0f", share*100) },
	"things":   func(n any, what string) string { return plural.Things(reflect.ValueOf(n).Int(), what) },
	"verdict":  Verdict,
	"bold":     func() shown { return markBold },
	"dim":      func() shown { return markDim },
	"plain":    func() shown { return markEnd },
	"lower":    func(s council.Standing) string { return strings.ToLower(string(s)) },
	"set":      func(text string) shown { return shown(Set(text)) },
	"listed":   func(options []string) []string { return council.ListOptions(options, hostile.Label) },
	"none":     func() string { return council.NoneOfThese },
	"short":    hostile.Excerpt,
	"number":   func(n any) string { return plural.Thousands(reflect.ValueOf(n).Int()) },
	"day":      func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	"joined": func(between string, parts ...string) string {
		return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), between)
	},
	"marked": marked,
}, "harmless", "terminal.tmpl", "questions.tmpl", "outcome.tmpl", "price.tmpl", "pages.tmpl",
	"agreement.tmpl")

// Tell renders a template about a thing, such as a page of pages.tmpl, for [Paint]. Foreign words in it are harmless.
func Tell(page string, of any) string { return wording.Tell(page, of) }

// marked shows parts of a text, which is harmless already, as results: from one byte to another.
func marked(text string, parts [][2]int) shown {
	var b strings.Builder
	at := 0
	for _, p := range parts {
		b.WriteString(text[at:p[0]] + string(markBold) + text[p[0]:p[1]] + string(markEnd))
		at = p[1]
	}
	return shown(b.String() + text[at:])
}

func harmless(value any) shown {
	if text, ok := value.(shown); ok {
		return text
	}
	return shown(hostile.Label(fmt.Sprint(value)))
}

// told is an event as the template sees it.
type told struct {
	teller
	P     council.Payload
	Who   shown // the actor's name
	Actor council.MemberID
}

// tell describes an event for a watcher in plain text; "" if the template has no text for it.
func (t teller) tell(e council.Event) string {
	if !wording.Has(string(e.Type())) {
		return ""
	}
	return Tell(string(e.Type()), t.told(e))
}

func (t teller) told(e council.Event) told { return told{t, e.Payload, t.Name(e.Actor), e.Actor} }

// Why explains how a choice was decided, or returns "" for any other motion.
func (t told) Why() string {
	p, _ := t.P.(council.MotionDecided)
	if m := t.Minutes.Motion(p.Motion); m != nil && p.Choice != nil {
		return council.WhyChosen(m.Options, p.Choice)
	}
	return ""
}

// Name returns a member's name, in its colour.
func (t teller) Name(id council.MemberID) shown { return coloured(t.Council, id) }

// Voter returns a member's name where its votes are shown.
func (t teller) Voter(id council.MemberID) shown { return t.Name(id) + shown(t.Council.VoterMark(id)) }

// Positions returns the sealed positions.
func (t teller) Positions() []told {
	var sealed []told
	for e := range council.Payloads[council.PositionSealed](t.Minutes.Events) {
		sealed = append(sealed, t.told(e))
	}
	return sealed
}

// Name returns a member's name in a charter, or its id if the charter has no such member.
func Name(c *council.Charter, id council.MemberID) string {
	if m := c.Asked(id); m != nil {
		return hostile.Label(m.Name)
	}
	return string(id)
}

// Sprintf formats a line that may hold words of others.
func Sprintf(format string, args ...any) string {
	return hostile.Terminal(fmt.Sprintf(format, args...))
}

// Verdict returns the result of a vote in words, with its count.
func Verdict(d council.Decision) string {
	words := map[string]string{"CARRIED": "carried", "LOST": "lost", "NO_QUORUM": "no quorum"}[string(d.Result)]
	return fmt.Sprintf("%s, %s (%d needed).", words, d.Count.Words(), d.Needed)
}

// models follows which models answer for members, and the token counts of their servers. It is a fold of the log: take
// needs each event once, in order. The zero value is ready.
type models struct {
	last    map[council.MemberID]council.Usage
	prompts minutes.Prompts
	cut     map[council.PricedModel]bool // models with a notice that their server cuts prompts
}

// take adds an event and returns notices about it: that a fallback answered for a member, or its own model again; and,
// once for each model, that its server seems to cut prompts.
func (m *models) take(c *council.Charter, e council.Event) []string {
	a, ok := e.Answered()
	who := c.Member(e.Actor)
	if !ok || a.Usage.Calls == 0 || who == nil {
		return nil
	}
	if m.last == nil {
		m.last, m.cut = map[council.MemberID]council.Usage{}, map[council.PricedModel]bool{}
	}
	var lines []string
	name, now, before := hostile.Label(who.Name), a.Usage, m.last[e.Actor]
	m.last[e.Actor] = now
	switch {
	case now.Provider == before.Provider && (now.Provider == "" || now.Model == before.Model):
	case now.Provider == "":
		lines = append(lines, fmt.Sprintf("  The model of %s answers again.", name))
	default:
		lines = append(lines, fmt.Sprintf("  The model of %s is missing or down; %s/%s stands in.", name, now.Provider,
			now.Model))
	}
	if model := who.Model.Priced(); m.prompts.NoteUsage(e.Actor, a.Ask, now) && !m.cut[model] {
		m.cut[model] = true
		lines = append(lines, fmt.Sprintf("  The server of %s counted fewer tokens than its prompt has: it seems to leave "+
			"out a part without a word. Give it a larger context, or a chat template that passes the messages on (council "+
			"doctor says how); what is left out the member does not know.", name))
	}
	return lines
}
