package memory

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type memoryListOptions struct {
	members, kinds, statuses []string
	all                      bool
}

func newMemoryList(a *cli.Env) *cobra.Command {
	var o memoryListOptions
	cmd := memoryVerb(a, &cobra.Command{Use: "list", Short: "List records, the newest first",
		Long: `
list shows the records in the books of the council and its members, the newest first. --all adds what has left them
for the archives of their years.`,
	}, func(c *cli.Command, w *curator.Curator) error {
		if err := o.check(); err != nil {
			return err
		}
		return listMemory(c, w, o)
	})
	cmd.Flags().Bool("json", false, "one JSON object a line")
	f := cmd.Flags()
	f.StringArrayVar(&o.members, "member", nil, "only this member's book, or council for the council's (repeatable)")
	f.StringArrayVar(&o.kinds, "kind", nil, "only this kind: "+site.Join(memory.Kinds())+" (repeatable)")
	f.StringArrayVar(&o.statuses, "status", nil, "only this status: "+site.Join(memory.Statuses())+" (repeatable)")
	f.BoolVar(&o.all, "all", false, "also what has moved to the archives")
	return cmd
}

func (o memoryListOptions) check() (err error) {
	for _, k := range o.kinds {
		err = cmp.Or(err, site.KnownWord("kind", k, memory.Kinds()))
	}
	for _, s := range o.statuses {
		err = cmp.Or(err, site.KnownWord("status", s, memory.Statuses()))
	}
	return err
}

// shownRecord is a record as programs are shown it.
type shownRecord struct {
	Member council.MemberID `json:"member,omitempty"` // whose book; the council's has none
	Faded  bool             `json:"faded,omitempty"`  // members are not told it any more
	Year   int              `json:"year,omitempty"`   // of the archive that it has moved to, where only one is shown
	memory.Record
}

func (o memoryListOptions) wants(r shownRecord) bool {
	among := func(wanted []string, word string) bool { return len(wanted) == 0 || slices.Contains(wanted, word) }
	return among(o.members, memories.BookOwner(r.Member)) && among(o.kinds, string(r.Kind)) &&
		among(o.statuses, string(r.Status))
}

func listMemory(c *cli.Command, w *curator.Curator, o memoryListOptions) error {
	books, err := w.Store.Books()
	if err != nil {
		return err
	}
	var records []shownRecord
	var unread []error
	for _, b := range books {
		for r, err := range recordsOf(w, b, o.all) {
			one := shownRecord{Member: b.Member, Faded: b.Err != nil || b.Book.Faded(r), Record: r}
			if err != nil {
				unread = append(unread, err)
			} else if o.wants(one) {
				records = append(records, one)
			}
		}
	}
	slices.SortStableFunc(records, func(a, b shownRecord) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	l := cli.NewList(c.Env, c.Json, "RECORD", "OF", "KIND", "STATUS", "DATE", "SUMMARY")
	for _, r := range records {
		l.Add(r, r.ID, memories.BookOwner(r.Member), r.Kind.Words(), r.Standing(), cli.Day(r.UpdatedAt),
			hostile.Excerpt(r.Told(), 90))
	}
	return cmp.Or(l.Print(o.nothing(books)), cli.TellUnread(c.Env, unread, ""))
}

// recordsOf returns the records of a book, and of its archives where all are wanted.
func recordsOf(w *curator.Curator, b store.Owned, all bool) iter.Seq2[memory.Record, error] {
	if all {
		return w.Store.All(b.Member)
	}
	return func(yield func(memory.Record, error) bool) {
		if b.Err != nil {
			yield(memory.Record{}, b.Err)
			return
		}
		for _, r := range b.Book.Records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// nothing explains an empty list, and lists the books for a member that has none.
func (o memoryListOptions) nothing(books []store.Owned) string {
	var of []string
	for _, b := range books {
		of = append(of, memories.BookOwner(b.Member))
	}
	for _, m := range o.members {
		if len(of) > 0 && !slices.Contains(of, m) {
			return "Nothing is remembered of " + site.Quote(m) + ". " +
				site.DidYouMean(m, of, "There are books of: "+strings.Join(of, ", ")+".")
		}
	}
	return "Nothing is remembered that fits. Memory grows when sessions close."
}

// Standing returns a record's status, and of one that holds whether it has faded or only rehearsals are told it.
func (r shownRecord) Standing() string {
	switch {
	case r.Status == memory.StatusActive && r.Faded:
		return "faded"
	case r.Status == memory.StatusActive && r.Rehearsed:
		return "rehearsed"
	}
	return string(r.Status)
}

func newMemoryShow(a *cli.Env) *cobra.Command {
	cmd := memoryVerb(a, &cobra.Command{Use: "show RECORD", Short: "Show one record, with what bears it out"},
		func(c *cli.Command, w *curator.Curator) error {
			held, err := w.Store.Record(c.Args[0])
			if held.ID == "" {
				return err
			}
			one := shownRecord{Member: held.Member, Year: held.Year, Record: held.Record}
			if b, err := w.Store.Book(held.Member); err == nil {
				one.Faded = b.Faded(held.Record)
			}
			c.Show(one, func() { cli.SayPage(a, "record", one) })
			return cli.TellUnread(a, cli.Unjoin(err), "")
		})
	cmd.Flags().Bool("json", false, "as JSON")
	return cmd
}

func newMemoryPrompt(a *cli.Env) *cobra.Command {
	var named seat.Choice
	var o promptOptions
	cmd := memoryVerb(a,
		&cobra.Command{Use: "prompt MEMBER", Short: "Show what a member would be reminded of now, and what not",
			Long: `
prompt prints what a member would be told of memory if a council were convened now, in the very words, and lists what it
would not be told and why: it has faded, is settled, or found no room. council in the place of MEMBER shows what all are
told. What rehearsals left is told to rehearsals only: --rehearsal shows what those would be told.

What a session is told depends on its topic: --topic shows it for one. Without it nothing is left out as off topic.
--why says of each record that is told why it was chosen.`,
		}, func(c *cli.Command, w *curator.Curator) error {
			if c.Cmd.Flags().Changed("root") {
				named.Root = c.Root.Path()
			}
			read, err := seat.ReadCharter(a.World, named)
			if err != nil {
				return err
			}
			member := memories.BookOf(c.Args[0])
			if member != "" && read.Charter.Member(member) == nil {
				return noSuchMember(&read.Charter, c.Args[0], "council for what all are told.")
			}
			o.rehearsal = o.rehearsal || read.Charter.Rehearsing() == len(read.Charter.Members)
			return tellReminders(a, w, &read.Charter, member, o)
		})
	f := cmd.Flags()
	cli.CharterFlags(f, &named, "config", "council")
	f.BoolVar(&o.rehearsal, "rehearsal", false, "show what a rehearsal would be told")
	f.StringVar(&o.topic, "topic", "", "show what a session on this topic would be told")
	f.BoolVar(&o.why, "why", false, "say why each record that is told was chosen")
	return cmd
}

// promptOptions say for which session memory is shown, and how.
type promptOptions struct {
	rehearsal, why bool
	topic          string
}

// tellReminders prints what is told of the council's book, and of the member's own.
func tellReminders(a *cli.Env, w *curator.Curator, c *council.Charter, member council.MemberID,
	o promptOptions) error {
	var unread []error
	for i, of := range slices.Compact([]council.MemberID{"", member}) {
		b, err := w.Store.Book(of)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		tellBook(a, b, c, of, o)
	}
	return cli.TellUnread(a, unread, "")
}

func tellBook(a *cli.Env, b memory.Book, c *council.Charter, of council.MemberID, o promptOptions) {
	head := "What all members are told of the council's memory"
	if of != "" {
		head = "What " + string(of) + " is told of its own memory" + readingPhases(c)
	}
	a.Say("== %s", head)
	about, size := memory.About(council.Topic{Text: o.topic}), c.ReminderSize(of)
	r := memory.Digest(b, a.Now(), about, size, o.rehearsal)
	if text := prompt.Reminding("", r); text != "" {
		a.Say("\n%s", strings.TrimSpace(text))
	} else {
		fmt.Fprintln(a.Out, "\nNothing.")
	}
	choices := memory.Choose(b, a.Now(), about, size, o.rehearsal)
	if o.why && len(r.Records) > 0 {
		fmt.Fprintf(a.Out, "\n-- Told, and why: %d\n", len(r.Records))
		for _, m := range r.Records {
			i := slices.IndexFunc(b.Records, func(r memory.Record) bool { return r.ID == m.ID })
			a.Say("%s  %s", m.ID, choices[i].Why)
		}
	}
	untold := map[memory.Telling][]memory.Record{}
	for i, c := range choices {
		untold[c.Telling] = append(untold[c.Telling], b.Records[i])
	}
	for _, why := range memory.Tellings()[1:] {
		if len(untold[why]) == 0 {
			continue
		}
		fmt.Fprintf(a.Out, "\n-- Not told, %s: %d\n", why, len(untold[why]))
		for _, r := range slices.Backward(untold[why]) {
			fmt.Fprintf(a.Out, "%s  %s\n", r.ID, hostile.Excerpt(r.Told(), 90))
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
