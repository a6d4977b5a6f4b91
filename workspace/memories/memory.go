// Package memories lists, searches and changes records of memory.
package memories

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Filter says which records a list holds. The zero value keeps all that are in no archive.
type Filter struct {
	Members  []string // only of these books; "council" names that of all
	Kinds    []string // only these [memory.Kinds]
	Statuses []string // only these [memory.Statuses]
	Archives bool     // those of archives too
}

func (f Filter) keeps(r Shown) bool {
	among := func(wanted []string, word string) bool { return len(wanted) == 0 || slices.Contains(wanted, word) }
	return among(f.Members, BookOwner(r.Member)) && among(f.Kinds, string(r.Kind)) && among(f.Statuses, string(r.Status))
}

// Shown is a record as programs are shown it, and as it is exported: another workspace does not know the order in which
// the sessions closed.
type Shown struct {
	Member council.MemberID `json:"member,omitempty"` // whose book; the council's has none
	Faded  bool             `json:"faded,omitempty"`  // members are not told it any more
	Year   int              `json:"year,omitempty"`   // of the archive that it has moved to, where only one is shown
	memory.Record
}

// Standing returns a record's status, and of one that holds whether it has faded or only rehearsals are told it.
func (r Shown) Standing() string {
	switch {
	case r.Status == memory.StatusActive && r.Faded:
		return "faded"
	case r.Status == memory.StatusActive && r.Rehearsed:
		return "rehearsed"
	}
	return string(r.Status)
}

// List returns the records that a filter keeps, those that changed last first. unread are the files that cannot be
// read, whose records are missing. A word of the filter that has no meaning is an [site.Invalid] error.
func List(w *curator.Curator, f Filter) (records []Shown, unread []error, err error) {
	for _, k := range f.Kinds {
		err = cmp.Or(err, site.KnownWord("kind", k, memory.Kinds()))
	}
	for _, s := range f.Statuses {
		err = cmp.Or(err, site.KnownWord("status", s, memory.Statuses()))
	}
	if err != nil {
		return nil, nil, err
	}
	books, err := w.Store.Books()
	for _, b := range books {
		all, failed := b.Book.Records, []error(nil)
		if f.Archives {
			all, failed = w.Store.All(b.Member)
		} else if b.Err != nil {
			all, failed = nil, []error{b.Err}
		}
		unread = append(unread, failed...)
		for _, r := range all {
			one := Shown{Member: b.Member, Faded: b.Err != nil || b.Book.Faded(r), Record: r}
			if f.keeps(one) {
				records = append(records, one)
			}
		}
	}
	slices.SortStableFunc(records, func(a, b Shown) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return records, unread, err
}

// The limits of a query: the usual and the largest.
const (
	UsualHits = 10
	MaxHits   = 200
)

// RecallKinds lists the kinds that a query may ask for: those of documents, of records and of turns.
func RecallKinds() []string {
	all := site.Join(index.Kinds()) + ", " + site.Join(memory.Kinds()) + ", " + site.Join(chronicle.Kinds())
	return strings.Split(all, ", ")
}

// Recall searches sessions and memory in the index of a record, and the notes beside them. It builds the index where
// there is no whole one, and warns of that. A kind that is not one of [RecallKinds] is an [site.Invalid] error.
func Recall(world *site.World, ctx context.Context, root *recorder.Root, q index.Query) (found index.Found, err error) {
	for _, kind := range q.Kinds {
		if err := site.KnownWord("kind", kind, RecallKinds()); err != nil {
			return found, err
		}
	}
	w, err := seat.RecoverMemory(world, ctx, root, "")
	if err != nil {
		return found, err
	}
	ix, built, err := w.Index(ctx)
	if err != nil {
		return found, err
	}
	if aside := ix.Aside(); aside != nil {
		world.Warn("Recall: %s. It was built again from what is there; the old one is kept as %s.", aside.Why, aside.Path)
	} else if built {
		world.Warn("There was no whole index to search, so it was built from what is there.")
	}
	found, err = ix.Search(ctx, q)
	if err = errors.Join(err, ix.Close()); err == nil {
		err = addNotes(world, ctx, root.Path(), q, &found)
	}
	return found, err
}

// addNotes adds to what was found the notes of a person that a query finds: where they have all words, before what
// has only some. They are read as they are now, and indexed for this search alone, because they change without council.
func addNotes(world *site.World, ctx context.Context, root string, q index.Query, found *index.Found) error {
	dir, err := seat.MemoryDir(world, root, "")
	if err != nil {
		return err
	}
	notes, _, err := documents.Notes(ctx, dir)
	if err != nil || len(notes) == 0 {
		return err
	}
	var docs []index.Doc
	for _, n := range notes {
		id := filepath.Base(n.Name)
		if folder := filepath.Base(filepath.Dir(n.Name)); folder == "items" || folder == "daily" && id != "MEMORY.md" {
			id = folder + "/" + id
		}
		d := index.Doc{ID: id, Kind: index.KindNote, Name: n.Name, Text: site.CutSecrets(n.Text)}
		if info, err := os.Stat(n.Name); err == nil {
			d.At = info.ModTime()
		}
		if day, err := time.Parse("2006-01-02.md", filepath.Base(n.Name)); err == nil {
			d.At = day
		}
		docs = append(docs, d)
	}
	ix, err := index.OpenCopy(ctx, "")
	if err != nil {
		return err
	}
	err = ix.Put(ctx, docs...)
	var own index.Found
	if err == nil {
		own, err = ix.Search(ctx, q)
	}
	if err = errors.Join(err, ix.Close()); err != nil {
		return err
	}
	if len(found.Asked) == 0 {
		found.Asked = own.Asked
	}
	found.Nowhere = slices.DeleteFunc(found.Nowhere, func(word string) bool { return !slices.Contains(own.Nowhere, word) })
	found.Hits = append(found.Hits, own.Hits...)
	slices.SortStableFunc(found.Hits, func(a, b index.Hit) int {
		partly := map[bool]int{true: 1}
		return partly[a.Match == index.MatchSome] - partly[b.Match == index.MatchSome]
	})
	found.Hits = found.Hits[:min(len(found.Hits), q.Limit)]
	return nil
}

// BookOwner returns a book in the words of a person, and bookOf reads them.
func BookOwner(m council.MemberID) string { return cmp.Or(string(m), "council") }

// BookOf returns the member whose book has a name, or "" for the council's.
func BookOf(name string) council.MemberID {
	if name == "council" {
		return ""
	}
	return council.MemberID(name)
}

// Preview says for which session it is shown what is told of memory.
type Preview struct {
	Of        string      // a member, or "council" for what all are told
	Charter   seat.Choice // of the session
	Topic     string
	Rehearsal bool // as in a rehearsal
	Why       bool // with why each record is told
}

// Text returns what is told of the council's book, and of the member's own. unread are the books that cannot be read.
// A member that the council does not have is an [site.Invalid] error.
func (o Preview) Text(world *site.World, w *curator.Curator) (text string, unread []error, err error) {
	read, err := seat.ReadCharter(world, o.Charter)
	if err != nil {
		return "", nil, err
	}
	c, member := &read.Charter, BookOf(o.Of)
	if member != "" && c.Member(member) == nil {
		return "", nil, NoSuchMember(c, o.Of, "council for what all are told.")
	}
	o.Rehearsal = o.Rehearsal || c.Rehearsing() == len(c.Members)
	var out strings.Builder
	for i, of := range slices.Compact([]council.MemberID{"", member}) {
		b, err := w.Store.Book(of)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		o.tell(&out, world.Now(), b, c, of)
	}
	return out.String(), unread, nil
}

// tell writes which records of a book are told, and which are not.
func (o Preview) tell(out io.Writer, now time.Time, b memory.Book, c *council.Charter, of council.MemberID) {
	say := func(format string, args ...any) { fmt.Fprintln(out, hostile.Terminal(fmt.Sprintf(format, args...))) }
	head := "What all members are told of the council's memory"
	if of != "" {
		head = "What " + string(of) + " is told of its own memory" + readingPhases(c)
	}
	say("== %s", head)
	about, size := memory.About(council.Topic{Text: o.Topic}), c.ReminderSize(of)
	r := memory.Digest(b, now, about, size, o.Rehearsal)
	if text := prompt.Reminding("", r); text != "" {
		say("\n%s", strings.TrimSpace(text))
	} else {
		fmt.Fprintln(out, "\nNothing.")
	}
	choices := memory.Choose(b, now, about, size, o.Rehearsal)
	if o.Why && len(r.Records) > 0 {
		fmt.Fprintf(out, "\n-- Told, and why: %d\n", len(r.Records))
		for _, m := range r.Records {
			i := slices.IndexFunc(b.Records, func(r memory.Record) bool { return r.ID == m.ID })
			say("%s  %s", m.ID, choices[i].Why)
		}
	}
	untold := map[memory.Inclusion][]memory.Record{}
	for i, c := range choices {
		untold[c.Inclusion] = append(untold[c.Inclusion], b.Records[i])
	}
	for _, why := range memory.Inclusions()[1:] {
		if len(untold[why]) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n-- Not told, %s: %d\n", why, len(untold[why]))
		for _, r := range slices.Backward(untold[why]) {
			fmt.Fprintf(out, "%s  %s\n", r.ID, hostile.Excerpt(r.Told(), 90))
		}
	}
}

// readingPhases names the phases in which members may read their own memory, unless it is all of them.
func readingPhases(c *council.Charter) string {
	var reads []string
	for i := range c.Phases {
		if c.Phases[i].MemoryPolicy.ReadMemberMemory {
			reads = append(reads, string(c.Phases[i].ID))
		}
	}
	switch len(reads) {
	case len(c.Phases):
		return ""
	case 0:
		return ": no phase of this council lets members read theirs, so it is told nothing of this"
	}
	return ", in the phases that let members read theirs: " + strings.Join(reads, ", ")
}

// NoSuchMember refuses a member that a council does not have.
func NoSuchMember(c *council.Charter, name, others string) error {
	known := c.Seats()
	return site.Refuse("council "+site.Quote(c.CouncilName)+" has no member "+site.Quote(name),
		site.DidYouMean(name, known, "It has: "+site.Join(known)+", and "+others))
}
