package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

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
