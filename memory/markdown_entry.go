package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// entries writes records as items of a list.
type entries struct {
	cites      *citations
	successors map[string]string // which record stands in the place of another, by id
	kinds      bool              // an entry names its kind: it stands under no heading that does
}

// nothing stands where a text has nothing in it that can be shown.
const nothing = "*(nothing that can be shown)*"

// write adds one record. Bold is for what holds.
func (e *entries) write(p *page, r *Record, bold bool) {
	summary := hostile.Inline(r.Summary)
	switch {
	case summary == "":
		summary = nothing
	case bold:
		summary = "**" + summary + "**"
	}
	words := "> " + summary // what others wrote is a quotation
	if detail := hostile.Inline(r.Detail); detail != "" {
		words += "\n  >\n  > " + detail
	}
	item := "- " + words + "\n\n  " + strings.Join(e.facts(r), " · ")
	if places := e.evidence(r); places != "" {
		item += "\n\n  " + places
	}
	p.block(item)
}

// facts lists the fields of a record other than its words.
func (e *entries) facts(r *Record) []string {
	facts := []string{code(r.ID)}
	if e.kinds {
		facts = append(facts, r.Kind.Words())
	}
	facts = append(facts, string(r.Status),
		fmt.Sprintf("importance %d of 5", r.Importance), fmt.Sprintf("%.0f %% sure", r.Confidence*100), days(r))
	if r.Rehearsed {
		facts = append(facts, "rehearsed")
	}
	if r.ResolvedAt != nil {
		facts = append(facts, "resolved "+day(*r.ResolvedAt))
	}
	if r.ExpiresAt != nil {
		facts = append(facts, holds(r)+" until "+day(*r.ExpiresAt))
	}
	if by := e.successors[r.ID]; by != "" {
		facts = append(facts, "in its place stands "+code(by))
	}
	if len(r.Supersedes) > 0 {
		facts = append(facts, "in place of "+each(r.Supersedes, code))
	}
	if len(r.Tags) > 0 {
		facts = append(facts, "tags: "+each(r.Tags, hostile.Inline))
	}
	return facts
}

func holds(r *Record) string {
	if r.Status == StatusActive {
		return "holds"
	}
	return "held"
}

// days returns when a record was made, and when it changed last.
func days(r *Record) string {
	made, changed := day(r.CreatedAt), day(r.UpdatedAt)
	if made == changed {
		return made
	}
	return made + ", changed " + changed
}

// evidence returns where a record was said and borne out: each session once, with its events.
func (e *entries) evidence(r *Record) string {
	var places []string
	var before Evidence
	for _, at := range r.Evidence {
		if before.EventID != "" && at.EventID != "" && before.SessionID == at.SessionID {
			shown := at
			if at.Note == before.Note {
				shown.Note = ""
			}
			places[len(places)-1] += ", " + event(shown)
		} else {
			places = append(places, e.place(at))
		}
		before = at
	}
	if len(places) == 0 {
		return ""
	}
	return "Said " + strings.Join(places, "; ")
}

func (e *entries) place(at Evidence) string {
	if at.EventID != "" {
		return "in " + e.cites.session(at.SessionID) + " " + event(at)
	}
	text := "by a person"
	if at.SessionID != "" {
		text += " after " + e.cites.session(at.SessionID)
	}
	if hostile.Line(at.Note) != "" {
		text += ": " + note(at.Note)
	}
	return text
}

// event names an event, and what else is said of it.
func event(at Evidence) string {
	text := hostile.Inline(at.EventID)
	var more []string
	if path := hostile.Inline(at.ArtifactPath); path != "" {
		more = append(more, path)
	}
	if hostile.Line(at.Note) != "" {
		more = append(more, note(at.Note))
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// note quotes what a person or member wrote after the word that memory put before it: in what topic something was
// found, or why it was settled.
func note(s string) string {
	for _, own := range []string{"on", "settled"} {
		if s == own {
			return s
		}
		if words, ok := strings.CutPrefix(s, own+": "); ok {
			return own + ": " + hostile.Quoted(words)
		}
	}
	return hostile.Quoted(s)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// ArchivePageHead begins the Markdown of what left one owner's book in a year; member is empty for the council's. What
// follows is one [ArchivePageRecord] for each record of the archive, in its order, so that the file only grows.
func ArchivePageHead(member council.MemberID, year int) []byte {
	whose := cmp.Or(hostile.Inline(string(member)), "the council")
	var p page
	p.block(fmt.Sprintf("# What left the memory of %s in %d", whose, year))
	p.block(fmt.Sprintf("Written by `council` from %[1]s-%[2]d.json, in the order in which records left %[1]s.json, each "+
		"as it\nstood then. One that left twice stands here twice; the later entry counts. To correct a record, use\n"+
		"`council memory edit` with its id.", Stem(member), year))
	return []byte(p.String())
}

// ArchivePageRecord returns what one record adds to the Markdown of the archive of an owner. root is [Book.Root] of the
// book that it left.
func ArchivePageRecord(member council.MemberID, root string, r Record) []byte {
	e := entries{cites: newCitations(member, root), kinds: true}
	var p page
	e.write(&p, &r, true)
	p.block(e.cites.block("  "))
	return []byte("\n" + p.String())
}

// ProfilePage renders AGENT.md: who a member is, as the charter of the last session says. What it holds of the model is
// its kind and name, and neither an address nor the name of a key.
func ProfilePage(m council.Member) []byte {
	var p page
	p.block("# " + cmp.Or(hostile.Inline(m.Name), code(string(m.ID)), "A member"))
	p.block(
		"Written by `council` when a session closes, from the charter of that session. To change the member, edit the\n" +
			"council's configuration. What the member remembers is in [MEMORY.md](MEMORY.md).")
	model := hostile.Inline(m.Model.Provider)
	if name := hostile.Inline(m.Model.Model); name != "" && name != model {
		model += ", " + name
	}
	facts := []struct{ name, value string }{
		{"Id", code(string(m.ID))},
		{"Role", hostile.Inline(m.Role)},
		{"Traits", each(m.Traits, hostile.Inline)},
		{"Model", model},
		{"Persona from", code(m.SystemPromptFile)},
	}
	var list string
	for _, f := range facts {
		if f.value != "" {
			list += "- " + f.name + ": " + f.value + "\n"
		}
	}
	p.block(list[:max(0, len(list)-1)])
	if len(m.FocusWeights) > 0 {
		p.block("## What it looks at")
		table := "| Focus | Weight |\n|---|---:|"
		for _, focus := range slices.SortedFunc(maps.Keys(m.FocusWeights), func(a, b string) int {
			return cmp.Or(cmp.Compare(m.FocusWeights[b], m.FocusWeights[a]), cmp.Compare(a, b))
		}) {
			weight := strconv.FormatFloat(m.FocusWeights[focus], 'g', -1, 64)
			table += "\n| " + cmp.Or(hostile.Inline(focus), nothing) + " | " + weight + " |"
		}
		p.block(table)
	}
	if prompt := hostile.Code(m.SystemPrompt); prompt != "" {
		p.block("## What it is told of itself")
		p.block(prompt)
	}
	return p.sealed()
}

// CategoryPage renders what the council and its members remember of one kind, book by book: what holds, with the most
// important first, and how much no longer does. [Unedited] knows its result again.
func CategoryPage(kind Kind, books []Book) []byte {
	var p page
	p.block("# " + titles[kind])
	p.block("Written by `council` from the books of the council and its members, anew whenever they change. To correct\n" +
		"a record, change its book: see the page of its owner.")
	some := false
	for i := range books {
		some = writeCategory(&p, kind, &books[i]) || some
	}
	if !some {
		p.block("Nothing of this kind is remembered.")
	}
	return p.sealed()
}

// writeCategory adds the records of one book, and reports whether there are any.
func writeCategory(p *page, kind Kind, b *Book) bool {
	var holds []*Record
	over := 0
	for i := range b.Records {
		switch r := &b.Records[i]; {
		case r.Kind != kind:
		case r.Status == StatusActive:
			holds = append(holds, r)
		default:
			over++
		}
	}
	if len(holds)+over == 0 {
		return false
	}
	name, file := "The council", "../COUNCIL.md"
	if b.Member != "" {
		name, file = cmp.Or(hostile.Inline(b.Name), code(string(b.Member))), "../"+Folder(b.Member)+"/MEMORY.md"
	}
	p.block(fmt.Sprintf("## %s, in [%s](%s)", name, code(file[3:]), file))
	slices.SortStableFunc(holds, byImportance)
	cal := b.calendar()
	lines := ""
	for _, r := range holds {
		lines += fmt.Sprintf("\n- %s · %s · %s", cmp.Or(hostile.Quoted(r.Summary), nothing),
			day(r.UpdatedAt), code(r.ID))
		if r.Rehearsed {
			lines += " · rehearsed"
		}
		if cal.faded(r) {
			lines += " · faded"
		}
	}
	if lines != "" {
		p.block(lines[1:])
	}
	if over > 0 {
		p.block(plural.Things(over, "more is", "more are") + " resolved, superseded or stale.")
	}
	return true
}
