package memory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

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
