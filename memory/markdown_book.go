package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// BookPage renders a book: COUNCIL.md, or MEMORY.md of a member. Each kind of record has a section, in the order of
// [Kinds]. In it stands first what members are reminded of, then what has faded, and then by status what no
// longer holds; each of these with the most important first, and among equals the newest.
func BookPage(b Book) []byte {
	var p page
	writeTop(&p, &b)
	successors := map[string]string{}
	for _, r := range b.Records {
		for _, old := range r.Supersedes {
			successors[old] = r.ID
		}
	}
	e := entries{cites: newCitations(b.Member, b.Root), successors: successors}
	for _, s := range sections(&b) {
		p.block("## " + s.title)
		for _, g := range s.groups {
			if g.title != "" {
				p.block("### " + g.title)
			}
			for _, r := range g.records {
				e.write(&p, r, g.title == "")
			}
		}
	}
	if len(b.Records) == 0 {
		p.block("Nothing is remembered yet.")
	}
	writeSessions(&p, &b, e.cites)
	writeEnd(&p, &b)
	p.block(e.cites.block(""))
	return p.sealed()
}

// writeTop writes whose book it is, what the file is, and how far it reaches.
func writeTop(p *page, b *Book) {
	name := hostile.Inline(b.Name)
	file := "COUNCIL"
	if b.Member != "" {
		file = "MEMORY"
		name = cmp.Or(name, code(string(b.Member)))
	}
	p.block("# What " + cmp.Or(name, "the council") + " remembers")
	p.block(fmt.Sprintf("Written by `council` from %s.json. To correct a record, change its quoted words, its status or "+
		"its\nimportance here, or remove it, and run `council memory accept`. Until then nobody is told the change, and "+
		"the\nnext session that closes sets it aside. Quotations hold what members or people wrote.", file))
	if len(b.Recent) == 0 {
		p.block("No session has closed yet.")
		return
	}
	last := b.Recent[len(b.Recent)-1]
	p.block(
		fmt.Sprintf(
			"This is what %s left; the last one closed on %s.\nMembers are reminded of what was said or borne out in "+
				"the last %d. What has faded stays in this file,\nand `council recall` finds it.",
			plural.Plain(b.Sessions, "session"), moment(last.At), Fade))
}

// writeSessions lists the sessions that closed last with what they came to, so that one sees where the fade begins.
func writeSessions(p *page, b *Book, cites *citations) {
	if len(b.Recent) == 0 {
		return
	}
	p.block("## Sessions, the last first")
	var lines []string
	for i, c := range slices.Backward(b.Recent) {
		n := len(b.Recent) - i
		line := fmt.Sprintf("%d. %s, closed on %s", n, cites.session(c.Session), moment(c.At))
		if n > Fade {
			line += " *(faded)*"
		}
		if c.Question != "" && c.Resolution != "" {
			line += "\n   " + hostile.Quoted(c.Question) + " " + hostile.Quoted(c.Resolution)
		}
		if c.Vote != "" {
			line += " " + c.Vote + "."
		}
		if c.Stance != "" {
			line += "\n   Its own: " + hostile.Quoted(c.Stance)
		}
		lines = append(lines, line)
	}
	p.block(strings.Join(lines, "\n"))
}

// writeEnd writes how many records there are, and how many there can be.
func writeEnd(p *page, b *Book) {
	counts := map[Status]int{}
	faded := 0
	for _, r := range b.Records {
		counts[r.Status]++
		if r.Status == StatusActive && b.Faded(r) {
			faded++
		}
	}
	var parts []string
	for _, s := range Statuses() {
		if counts[s] == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", counts[s], s)
		if s == StatusActive && faded > 0 {
			part += fmt.Sprintf(" (%d faded)", faded)
		}
		parts = append(parts, part)
	}
	text := plural.Plain(len(b.Records), "record")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	archive := "COUNCIL"
	if b.Member != "" {
		archive = "MEMORY"
	}
	p.block("---")
	p.block(fmt.Sprintf("%s.\nThere are %d here at most. What leaves goes to `%s-<year>.md` beside this file; nothing is "+
		"deleted.", text, MaxRecords, archive))
}

// section is a book's records of one kind.
type section struct {
	title  string
	groups []group
}

// group is a section's records of one standing. The group of those that hold has no title.
type group struct {
	title   string
	records []*Record
}

// titles of sections by kind.
var titles = map[Kind]string{
	KindDecision:    "Decisions",
	KindConstraint:  "Constraints",
	KindPreference:  "Preferences",
	KindOpenLoop:    "Open matters",
	KindRiskPattern: "Risks",
	KindAssumption:  "Assumptions",
	KindLesson:      "Lessons",
	KindOutcome:     "Outcomes",
	others:          "Others",
}

// others stands for unknown kinds, so that no record is left out.
const others Kind = ""

// standings are the titles of groups in their order.
var standings = []string{"", "Faded", "Resolved", "Superseded", "Stale"}

func standing(b *Book, r *Record) string {
	switch r.Status {
	case StatusResolved:
		return "Resolved"
	case StatusSuperseded:
		return "Superseded"
	case StatusStale:
		return "Stale"
	}
	if b.Faded(*r) {
		return "Faded"
	}
	return ""
}

// sections sorts a book's records. Empty sections and groups are left out.
func sections(b *Book) []section {
	sorted := map[Kind]map[string][]*Record{}
	for i := range b.Records {
		r := &b.Records[i]
		kind, of := r.Kind, standing(b, r)
		if titles[kind] == "" {
			kind = others
		}
		if sorted[kind] == nil {
			sorted[kind] = map[string][]*Record{}
		}
		sorted[kind][of] = append(sorted[kind][of], r)
	}
	var all []section
	for _, kind := range append(Kinds(), others) {
		s := section{title: titles[kind]}
		for _, of := range standings {
			if records := sorted[kind][of]; len(records) > 0 {
				slices.SortStableFunc(records, byImportance)
				s.groups = append(s.groups, group{title: of, records: records})
			}
		}
		if len(s.groups) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func byImportance(a, b *Record) int {
	return cmp.Or(b.Importance-a.Importance, b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
}
