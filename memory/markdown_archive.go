package memory

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// ArchivePageHead begins the Markdown of what left one owner's book in a year; member is empty for the council's. What
// follows is one [ArchivePageRecord] for each record of the archive, in its order, so that the file only grows.
func ArchivePageHead(member council.MemberID, year int) []byte {
	whose, file := "the council", "COUNCIL"
	if member != "" {
		whose, file = hostile.Inline(string(member)), "MEMORY"
	}
	var p page
	p.block(fmt.Sprintf("# What left the memory of %s in %d", whose, year))
	p.block(fmt.Sprintf("Written by `council` from %[1]s-%[2]d.json, in the order in which records left %[1]s.json, each "+
		"as it\nstood then. One that left twice stands here twice; the later entry counts. To correct a record, use\n"+
		"`council memory edit` with its id.", file, year))
	return []byte(p.String())
}

// ArchivePageRecord is what one record adds to the Markdown of the archive of an owner. root is [Book.Root] of the book
// that it left.
func ArchivePageRecord(member council.MemberID, root string, r Record) []byte {
	e := entries{cites: newCitations(member, root), kinds: true}
	var p page
	e.write(&p, &r, true)
	p.block(e.cites.block("  "))
	return []byte("\n" + p.String())
}
