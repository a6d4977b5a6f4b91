package memory

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/templates"
)

// markdown is text that a template writes as it is. It writes all other values through [hostile.Inlined].
type markdown = hostile.Markdown

var wording = templates.Once(templates.Tellings(), template.FuncMap{
	"inline":   hostile.Inlined,
	"as":       func(text string) markdown { return markdown(text) },
	"code":     code,
	"quoted":   func(text string) markdown { return markdown(hostile.Quoted(text)) },
	"note":     note,
	"nothing":  func() markdown { return "*(nothing that can be shown)*" },
	"nth":      func(i int) int { return i + 1 },
	"fade":     func() int { return Fade },
	"most":     func() int { return MaxRecords },
	"percent":  func(share float64) markdown { return markdown(fmt.Sprintf("%.0f", share*100)) },
	"day":      func(t time.Time) markdown { return markdown(day(t)) },
	"moment":   func(t time.Time) markdown { return markdown(t.UTC().Format("2 January 2006, 15:04 UTC")) },
	"sessions": func(n int) string { return plural.Plain(n, "session") },
	"things":   func(n int, one, many string) string { return plural.Things(n, one, many) },
}, "inline", "memory.tmpl")

func render(name string, of any) []byte { return []byte(wording.Tell(name, of)) }

func code(name any) markdown {
	if text := fmt.Sprint(name); isPlain(text) {
		return markdown("`" + text + "`")
	}
	return hostile.Inlined(name)
}

// note quotes the words of a person or member after the word of memory before them, such as "on" or "settled". It is
// empty where nothing can be shown.
func note(s string) markdown {
	if hostile.Line(s) == "" {
		return ""
	}
	for _, own := range []string{"on", "settled"} {
		if s == own {
			return markdown(s)
		}
		if words, ok := strings.CutPrefix(s, own+": "); ok {
			return markdown(own + ": " + hostile.Quoted(words))
		}
	}
	return markdown(hostile.Quoted(s))
}

func joinNames(names []string, show func(string) string) string {
	return strings.Join(council.Map(names, show), ", ")
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// sealMark begins the last line of a page, which has the SHA-256 of the lines before it.
const sealMark = "<!-- written by council: "

func seal(text []byte) []byte {
	return fmt.Appendf(text, "\n%s%s-->\n", sealMark, council.Digest(string(text)))
}

// Unedited reports whether a text is a page as it was rendered once, of any book or member.
func Unedited(text []byte) bool {
	words, mark, ok := bytes.Cut(text, []byte("\n"+sealMark))
	return ok && string(mark) == council.Digest(string(words))+"-->\n"
}

// citations names sessions in brackets, and links each to its transcript once, at the end. Text of members cannot use
// such a link, because its brackets are escaped.
type citations struct {
	root  string // the path to the folder of the record, escaped for a link
	known bool   // whether there is a path; without one sessions have no links
	cited []council.SessionID
}

// newCitations returns the citations for the pages of an owner, where root is [Book.Root].
func newCitations(member council.MemberID, root string) *citations {
	way, known := cmp.Or(root, usualRoot), root != UnknownRoot
	if member != "" {
		way = path.Join("..", way)
	}
	return &citations{root: destination(way + "/"), known: known}
}

// destination escapes a path for a link in Markdown.
func destination(way string) string { return ofQuery.Replace(template.URLQueryEscaper(way)) }

var ofQuery = strings.NewReplacer("%2F", "/", "+", "%20") // in which a path is written otherwise

// Cite names a session.
func (c *citations) Cite(id council.SessionID) markdown {
	if !c.known || !isPlain(string(id)) {
		return hostile.Inlined(id)
	}
	if !slices.Contains(c.cited, id) {
		c.cited = append(c.cited, id)
	}
	return markdown("[" + string(id) + "]")
}

// Links returns the targets of the links.
func (c *citations) Links() []markdown {
	return council.Map(slices.Sorted(slices.Values(c.cited)), func(id council.SessionID) markdown {
		return markdown("[" + string(id) + "]: " + c.root + "sessions/" + string(id) + "/transcript.md")
	})
}

type pageEntry struct {
	*Record
	*citations
	Bold      bool   // it is active
	Kinds     bool   // it names its kind, because no heading does
	Successor string // the record that supersedes it
}

type pagePlace struct {
	Evidence
	Again bool // in the same session as the place before; the same note is left out
}

// Places lists the evidence of a record.
func (r pageEntry) Places() (all []pagePlace) {
	var before Evidence
	for _, at := range r.Evidence {
		one := pagePlace{at, before.EventID != "" && at.EventID != "" && before.SessionID == at.SessionID}
		if one.Again && at.Note == before.Note {
			one.Note = ""
		}
		all, before = append(all, one), at
	}
	return all
}

// groupTitles are the titles of groups in their order. Active records have none.
var groupTitles = []string{"", "Faded", "Resolved", "Superseded", "Stale"}

func groupTitle(cal calendar, r *Record) string {
	switch {
	case r.Status != StatusActive:
		return strings.ToUpper(string(r.Status[:1])) + string(r.Status[1:])
	case cal.hasFaded(r):
		return "Faded"
	}
	return ""
}

func byImportance(a, b *Record) int {
	return cmp.Or(b.Importance-a.Importance, b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
}

type bookPage struct {
	*Book
	*citations
	Groups []group
	calendar
}

// group holds the records of one kind and standing. The first group of a kind has its title.
type group struct {
	Title, Standing string
	Records         []pageEntry
}

// BookPage renders a book: COUNCIL.md, or MEMORY.md of a member. Each kind has a section, in the order of [Kinds], with
// the active records first, then the faded ones, then the others by status; each of these groups by importance, then by
// age, the newest first.
func BookPage(b Book) []byte {
	p := bookPage{Book: &b, citations: newCitations(b.Member, b.Root), calendar: b.calendar()}
	successors := map[string]string{}
	sorted := map[[2]string][]*Record{} // by kind and standing
	for i := range b.Records {
		r := &b.Records[i]
		for _, old := range r.Supersedes {
			successors[old] = r.ID
		}
		of := [2]string{rowOf(r.Kind).title, groupTitle(p.calendar, r)}
		sorted[of] = append(sorted[of], r)
	}
	for _, kind := range append(Kinds(), "") { // one that is not known has no title
		known := rowOf(kind).title
		title := cmp.Or(known, "Others")
		for _, of := range groupTitles {
			records := sorted[[2]string{known, of}]
			if len(records) == 0 {
				continue
			}
			slices.SortStableFunc(records, byImportance)
			g := group{Title: title, Standing: of}
			for _, r := range records {
				g.Records = append(g.Records, pageEntry{r, p.citations, of == "", false, successors[r.ID]})
			}
			p.Groups, title = append(p.Groups, g), ""
		}
	}
	return seal(render("book", &p))
}

// Whose returns the name of the owner.
func (p *bookPage) Whose() markdown { return ownerName(p.Book, "the council") }

func ownerName(b *Book, council markdown) markdown {
	return cmp.Or(hostile.Inlined(b.Name), code(b.Member), council)
}

// Stem returns the beginning of the names of the files.
func (p *bookPage) Stem() string { return Stem(p.Member) }

// Closed lists the recent sessions with their results, the newest first.
func (p *bookPage) Closed() []Closed {
	all := slices.Clone(p.Recent)
	slices.Reverse(all)
	return all
}

// Counts counts the records by status.
func (p *bookPage) Counts() markdown {
	counts, faded := map[Status]int{}, 0
	for i := range p.Records {
		r := &p.Records[i]
		counts[r.Status]++
		if r.Status == StatusActive && p.hasFaded(r) {
			faded++
		}
	}
	text, sep := plural.Plain(len(p.Records), "record"), ": "
	for _, s := range Statuses() {
		if counts[s] > 0 {
			text += fmt.Sprintf("%s%d %s", sep, counts[s], s)
			sep = ", "
		}
		if s == StatusActive && faded > 0 {
			text += fmt.Sprintf(" (%d faded)", faded)
		}
	}
	return markdown(text)
}

// ArchivePageHead returns the beginning of the Markdown of the archive of an owner and a year. One [ArchivePageRecord]
// for each record follows, in the order of the archive, so that the file only grows.
func ArchivePageHead(member council.MemberID, year int) []byte {
	return render("archive", map[string]any{"Whose": cmp.Or(hostile.Inlined(member), "the council"), "Stem": Stem(member),
		"Year": year})
}

// ArchivePageRecord returns the Markdown of one record in the archive of an owner, where root is [Book.Root].
func ArchivePageRecord(member council.MemberID, root string, r Record) []byte {
	return render("archived", pageEntry{Record: &r, citations: newCitations(member, root), Bold: true, Kinds: true})
}

type profile struct{ council.Member }

// Called returns the member's name, else its id.
func (p profile) Called() markdown { return cmp.Or(hostile.Inlined(p.Name), code(p.ID), "A member") }

// Focuses lists the focuses of the member, the heaviest first.
func (p profile) Focuses() []string {
	return slices.SortedFunc(maps.Keys(p.FocusWeights), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.FocusWeights[b], p.FocusWeights[a]), cmp.Compare(a, b))
	})
}

// Prompt returns the system prompt of the member.
func (p profile) Prompt() markdown { return markdown(hostile.Code(p.SystemPrompt)) }

// ProfilePage renders AGENT.md: a member by the charter of the last session. Of the model it has the kind and name, and
// neither an address nor the name of a key.
func ProfilePage(m council.Member) []byte { return seal(render("profile", profile{m})) }

type chapter struct {
	Whose markdown
	File  string // from the folder of memory
	Holds []keptRecord
	Over  int // the number of records that are not active
}

type keptRecord struct {
	*Record
	Faded bool
}

// CategoryPage renders the records of one kind, book by book: the active ones, the most important first, and the number
// of the others.
func CategoryPage(kind Kind, books []Book) []byte {
	var all []chapter
	for i := range books {
		b := &books[i]
		c := chapter{Whose: ownerName(b, "The council"), File: path.Join(Folder(b.Member), Stem(b.Member)+".md")}
		cal := b.calendar()
		for i := range b.Records {
			switch r := &b.Records[i]; {
			case r.Kind != kind:
			case r.Status == StatusActive:
				c.Holds = append(c.Holds, keptRecord{r, cal.hasFaded(r)})
			default:
				c.Over++
			}
		}
		slices.SortStableFunc(c.Holds, func(a, b keptRecord) int { return byImportance(a.Record, b.Record) })
		if len(c.Holds)+c.Over > 0 {
			all = append(all, c)
		}
	}
	return seal(render("category", map[string]any{"Title": rowOf(kind).title, "Books": all}))
}
