package memories

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/closing"
)

func (d Desk) newPrompt() *cobra.Command {
	var p place
	var config, ready string
	var rehearsal bool
	cmd := &cobra.Command{
		Use:   "prompt MEMBER",
		Short: "Show what a member would be reminded of now, and what not",
		Long: `prompt prints what a member would be told of memory if a council were convened now, in the very words, and lists what it
would not be told and why: it has faded, is settled, or found no room. council in the place of MEMBER shows what all are
told. What rehearsals left is told to rehearsals only: --rehearsal shows what those would be told.`,
		Args: desk.One("the id of a member, or council"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := ""
			if cmd.Flags().Changed("root") {
				root = p.root
			}
			c, err := d.Charter(config, ready, root)
			if err != nil {
				return err
			}
			member := memberOf(args[0])
			if member != "" && c.Member(member) == nil {
				return stranger(&c, args[0], "council for what all are told.")
			}
			return d.in(cmd, p, false, func(w *closing.Workspace) error {
				return d.remind(w, &c, member, rehearsal || c.Rehearsing() == len(c.Members))
			})
		},
	}
	p.flags(cmd.Flags())
	cmd.Flags().StringVar(&config, "config", "", "configuration of the council (default: council.config.json if it is there)")
	cmd.Flags().BoolVar(&rehearsal, "rehearsal", false, "show what a rehearsal would be told")
	cmd.Flags().StringVar(&ready, "council", "", "council by its name instead of a configuration")
	return cmd
}

// remind prints what is told of the council's book, and of the member's own.
func (d Desk) remind(w *closing.Workspace, c *council.Charter, member council.MemberID, rehearsal bool) error {
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
			fmt.Fprintln(d.Out)
		}
		d.book(b, c, of, rehearsal)
	}
	return d.unread(unread)
}

func (d Desk) book(b memory.Book, c *council.Charter, of council.MemberID, rehearsal bool) {
	head := "What all members are told of the council's memory"
	if of != "" {
		head = "What " + string(of) + " is told of its own memory" + phases(c)
	}
	fmt.Fprintln(d.Out, terminal.Sprintf("== %s", head))
	r := memory.Digest(b, d.Now(), memory.DigestSize, rehearsal)
	if text := prompt.Reminding("", r); text != "" {
		fmt.Fprintln(d.Out, terminal.Sprintf("\n%s", strings.TrimSpace(text)))
	} else {
		fmt.Fprintln(d.Out, "\nNothing.")
	}
	untold := map[memory.Telling][]memory.Record{}
	for i, why := range memory.Tellings(b, d.Now(), memory.DigestSize, rehearsal) {
		untold[why] = append(untold[why], b.Records[i])
	}
	for _, why := range []memory.Telling{memory.TellingNoRoom, memory.TellingRehearsed, memory.TellingFaded, memory.TellingStale, memory.TellingResolved, memory.TellingSuperseded} {
		if len(untold[why]) == 0 {
			continue
		}
		fmt.Fprintf(d.Out, "\n-- Not told, %s: %d\n", why, len(untold[why]))
		for _, r := range slices.Backward(untold[why]) {
			fmt.Fprintf(d.Out, "%s  %s\n", r.ID, hostile.Line(short(r.Summary)))
		}
	}
}

// phases says in which phases members may read their own memory, when it is not in all.
func phases(c *council.Charter) string {
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
