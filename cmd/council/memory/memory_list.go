package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

func newMemoryList(a *cli.Env) *cobra.Command {
	var o memories.Filter
	cmd := memoryVerb(a, "memory list", func(c *cli.Command, w *curator.Curator) error { return listMemory(c, w, o) })
	f := cmd.Flags()
	cli.AddFlags(f, cli.Flags{"member": &o.Members})
	f.StringArrayVar(&o.Kinds, "kind", nil, "only this kind: "+site.Join(memory.Kinds())+" (repeatable)")
	f.StringArrayVar(&o.Statuses, "status", nil, "only this status: "+site.Join(memory.Statuses())+" (repeatable)")
	cli.AddFlags(f, cli.Flags{"all": &o.Archives})
	return cmd
}

func listMemory(c *cli.Command, w *curator.Curator, o memories.Filter) error {
	records, unread, err := memories.List(w, o)
	if err != nil {
		return err
	}
	l := cli.NewList(c.Env, c.Json, "RECORD", "OF", "KIND", "STATUS", "DATE", "SUMMARY")
	for _, r := range records {
		l.Add(r, r.ID, memories.BookOwner(r.Member), r.Kind.Words(), r.Standing(), cli.Day(r.UpdatedAt),
			hostile.Excerpt(r.Told(), 90))
	}
	none := "Nothing is remembered that fits. Memory grows when sessions close."
	if len(records) == 0 && !c.Json {
		if none, err = nothing(w, o.Members, none); err != nil {
			return err
		}
	}
	return cmp.Or(l.Print(none), cli.TellUnread(c.Env, unread, ""))
}

// nothing explains an empty list, and lists the books for a member that has none.
func nothing(w *curator.Curator, members []string, usual string) (string, error) {
	books, err := w.Store.Books()
	var of []string
	for _, b := range books {
		of = append(of, memories.BookOwner(b.Member))
	}
	for _, m := range members {
		if len(of) > 0 && !slices.Contains(of, m) {
			return "Nothing is remembered of " + site.Quote(m) + ". " +
				site.DidYouMean(m, of, "There are books of: "+strings.Join(of, ", ")+"."), err
		}
	}
	return usual, err
}

func newMemoryShow(a *cli.Env) *cobra.Command {
	return memoryVerb(a, "memory show", func(c *cli.Command, w *curator.Curator) error {
		held, err := w.Store.Record(c.Args[0])
		if held.ID == "" {
			return err
		}
		one := memories.Shown{Member: held.Member, Year: held.Year, Record: held.Record}
		if b, err := w.Store.Book(held.Member); err == nil {
			one.Faded = b.Faded(held.Record)
		}
		c.Show(one, func() { cli.SayPage(a, "record", one) })
		return cli.TellUnread(a, cli.Unjoin(err), "")
	})
}

func newMemoryPrompt(a *cli.Env) *cobra.Command {
	var named seat.Choice
	var o promptOptions
	cmd := memoryVerb(a, "memory prompt", func(c *cli.Command, w *curator.Curator) error {
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
	cli.AddFlags(f, cli.Flags{"rehearsal": &o.rehearsal, "topic": &o.topic, "why": &o.why})
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
