package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/workspace"
)

func (a *app) newMemoryPrompt() *cobra.Command {
	var named charterFlags
	var o promptOptions
	cmd := a.memoryVerb(&cobra.Command{
		Use:   "prompt MEMBER",
		Short: "Show what a member would be reminded of now, and what not",
		Long: `prompt prints what a member would be told of memory if a council were convened now, in the very words, and lists what it
would not be told and why: it has faded, is settled, or found no room. council in the place of MEMBER shows what all are
told. What rehearsals left is told to rehearsals only: --rehearsal shows what those would be told.

What a session is told depends on its topic: --topic shows it for one. Without it nothing is left out as off topic.
--why says of each record that is told why it was chosen.`,
		Args: cli.One("the id of a member, or council"),
	}, "", func(c *command, w *workspace.Workspace) error {
		if c.cmd.Flags().Changed("root") {
			named.root = c.root.Path()
		}
		read, err := a.readCharter(named)
		if err != nil {
			return err
		}
		member := bookOf(c.args[0])
		if member != "" && read.charter.Member(member) == nil {
			return noSuchMember(&read.charter, c.args[0], "council for what all are told.")
		}
		o.rehearsal = o.rehearsal || read.charter.Rehearsing() == len(read.charter.Members)
		return a.tellReminders(w, &read.charter, member, o)
	})
	f := cmd.Flags()
	named.flags(f, "config", "council")
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
func (a *app) tellReminders(w *workspace.Workspace, c *council.Charter, member council.MemberID,
	o promptOptions) error {
	var unread []error
	owners := []council.MemberID{""}
	if member != "" {
		owners = append(owners, member)
	}
	for i, of := range owners {
		b, err := w.Store.Book(of)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		a.tellBook(b, c, of, o)
	}
	return a.tellUnread(unread, "")
}

func (a *app) tellBook(b memory.Book, c *council.Charter, of council.MemberID, o promptOptions) {
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
			fmt.Fprintf(a.Out, "%s  %s\n", r.ID, terminal.Short(r.Summary, 90))
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
