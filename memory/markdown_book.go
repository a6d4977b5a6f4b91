package memory

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// BookPage renders a book: COUNCIL.md, or MEMORY.md of a member. Each kind of record has a section, in the order of
// [Kinds]. In it stands first what members are reminded of, then what has faded, and then by status what no
// longer holds; each of these with the most important first, and among equals the newest.
func BookPage(b Book) []byte {
	var p page
	writeTop(&p, &b)
	e := entries{cites: newCitations(b.Member, b.Root), successors: map[string]string{}}
	cal := b.calendar()
	sorted := map[[2]string][]*Record{} // by kind and standing
	for i := range b.Records {
		r := &b.Records[i]
		for _, old := range r.Supersedes {
			e.successors[old] = r.ID
		}
		of := [2]string{titles[r.Kind], standing(cal, r)}
		sorted[of] = append(sorted[of], r)
	}
	for _, kind := range append(Kinds(), "") { // one that is not known has no title
		title := "## " + cmp.Or(titles[kind], "Others")
		for _, of := range standings {
			records := sorted[[2]string{titles[kind], of}]
			slices.SortStableFunc(records, byImportance)
			for i, r := range records {
				if i == 0 {
					p.block(title)
					title = ""
				}
				if i == 0 && of != "" {
					p.block("### " + of)
				}
				e.write(&p, r, of == "")
			}
		}
	}
	if len(b.Records) == 0 {
		p.block("Nothing is remembered yet.")
	}
	writeSessions(&p, &b, e.cites)
	writeEnd(&p, &b, cal)
	p.block(e.cites.block(""))
	return p.sealed()
}

// writeTop writes whose book it is, what the file is, and how far it reaches.
func writeTop(p *page, b *Book) {
	name := hostile.Inline(b.Name)
	if b.Member != "" {
		name = cmp.Or(name, code(string(b.Member)))
	}
	p.block("# What " + cmp.Or(name, "the council") + " remembers")
	p.block(fmt.Sprintf("Written by `council` from %s.json. To correct a record, change its quoted words, its status or "+
		"its\nimportance here, or remove it, and run `council memory accept`. Until then nobody is told the change, and "+
		"the\nnext session that closes sets it aside. Quotations hold what members or people wrote.", Stem(b.Member)))
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
func writeEnd(p *page, b *Book, cal calendar) {
	counts, faded := map[Status]int{}, 0
	for i := range b.Records {
		r := &b.Records[i]
		counts[r.Status]++
		if r.Status == StatusActive && cal.faded(r) {
			faded++
		}
	}
	text, sep := plural.Plain(len(b.Records), "record"), ": "
	for _, s := range Statuses() {
		if counts[s] == 0 {
			continue
		}
		text += fmt.Sprintf("%s%d %s", sep, counts[s], s)
		if sep = ", "; s == StatusActive && faded > 0 {
			text += fmt.Sprintf(" (%d faded)", faded)
		}
	}
	p.block("---")
	p.block(fmt.Sprintf("%s.\nThere are %d here at most. What leaves goes to `%s-<year>.md` beside this file; nothing is "+
		"deleted.", text, MaxRecords, Stem(b.Member)))
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
}

// standings are the titles of groups in their order. The group of those that hold has none.
var standings = []string{"", "Faded", "Resolved", "Superseded", "Stale"}

func standing(cal calendar, r *Record) string {
	switch {
	case r.Status != StatusActive:
		return strings.ToUpper(string(r.Status[:1])) + string(r.Status[1:])
	case cal.faded(r):
		return "Faded"
	}
	return ""
}

func byImportance(a, b *Record) int {
	return cmp.Or(b.Importance-a.Importance, b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
}

// page collects blocks of Markdown, with a blank line between them.
type page struct{ strings.Builder }

func (p *page) block(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(text)
	p.WriteByte('\n')
}

// sealMark begins the last line of a page: the SHA-256 of what stands before it.
const sealMark = "<!-- written by council: "

// sealed returns the page with a last line by which [Unedited] knows it again.
func (p *page) sealed() []byte {
	return fmt.Appendf(nil, "%s\n%s%s-->\n", p, sealMark, council.Digest(p.String()))
}

// Unedited reports whether a text is a page as it was rendered once, of whatever book or member.
func Unedited(text []byte) bool {
	words, mark, ok := bytes.Cut(text, []byte("\n"+sealMark))
	return ok && string(mark) == council.Digest(string(words))+"-->\n"
}

// code shows a name to be copied.
func code(name string) string {
	if !isPlain(name) {
		return hostile.Inline(name)
	}
	return "`" + name + "`"
}

// each joins names, each as show writes it.
func each(names []string, show func(string) string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = show(name)
	}
	return strings.Join(shown, ", ")
}

// citations names sessions in brackets, and links each to its transcript once, at the end. What others wrote
// cannot use such a link: its brackets are escaped.
type citations struct {
	root  string // the way to the folder of the record, as it stands in a link
	known bool   // whether there is one; sessions are named without a link otherwise
	cited []council.SessionID
}

// newCitations cites from the pages of an owner. root is [Book.Root] of the book.
func newCitations(member council.MemberID, root string) *citations {
	way, known := Way(root)
	if member != "" {
		way = path.Join("..", way)
	}
	return &citations{root: destination(way + "/"), known: known}
}

// destination returns a path as it may stand in a link whatever it is called.
func destination(way string) string {
	var b strings.Builder
	for _, c := range []byte(way) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func (c *citations) session(id council.SessionID) string {
	if !c.known || !isPlain(string(id)) {
		return hostile.Inline(string(id))
	}
	if !slices.Contains(c.cited, id) {
		c.cited = append(c.cited, id)
	}
	return "[" + string(id) + "]"
}

// block returns the targets of the links.
func (c *citations) block(indent string) string {
	slices.Sort(c.cited)
	lines := make([]string, len(c.cited))
	for i, id := range c.cited {
		lines[i] = indent + "[" + string(id) + "]: " + c.root + "sessions/" + string(id) + "/transcript.md"
	}
	return strings.Join(lines, "\n")
}
