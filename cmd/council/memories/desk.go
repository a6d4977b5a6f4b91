// Package memories holds the verbs of council memory: what a council remembers, shown and corrected.
package memories

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/closing"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
)

// Desk is where memory is shown and corrected.
type Desk struct {
	desk.Desk

	// Open opens the workspace in a folder, after it has finished what was cut off. dir is the folder of memory, or ""
	// for the one that belongs to the workspace. With make the workspace is made where there is none.
	Open func(cmd *cobra.Command, root, dir string, make bool) (w *closing.Workspace, leave func() error, err error)
	// Tell says what a change of memory did beside what was asked for.
	Tell func(store.Report)
	// Told reports whether an error was told when the workspace was opened.
	Told func(error) bool
	// Charter is the council that would be convened now, with the folder of its record moved to root unless that is "".
	Charter func(config, council, root string) (council.Charter, error)
}

// Command is council memory with its verbs.
func (d Desk) Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Show and correct what the council remembers",
		Long: `memory shows what a council and its members keep of closed sessions, and corrects it. What members are told of it
fades after 25 sessions; nothing is deleted but by forget.

A record is named by its id, such as r-4k2m9qx7w3ab, or by a beginning that only it has.`,
		Example: `  council memory list --kind decision
  council memory prompt skeptic
  council memory edit r-4k2m --summary "We use NATS for events, and nothing else."
  council memory resolve r-9qx7 --because "The runbook was written in May."`,
		Args: desk.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(d.newList(), d.newShow(), d.newPrompt(), d.newAdd(), d.newEdit(), d.newResolve(), d.newSupersede(),
		d.newForget(), d.newExport(), d.newImport(), d.newRebuild(), d.newCheck())
	return cmd
}

// place are the flags that say where memory is.
type place struct{ root, dir string }

func (p *place) flags(f *pflag.FlagSet) {
	desk.RootFlag(f, &p.root)
	f.StringVar(&p.dir, "memory", "", "folder of memory (default: what the configuration says, else memory in the folder of the record)")
}

// in opens the workspace, does something in it, and leaves it.
func (d Desk) in(cmd *cobra.Command, p place, make bool, do func(*closing.Workspace) error) error {
	if _, err := os.Stat(p.dir); p.dir != "" && !make && errors.Is(err, fs.ErrNotExist) {
		return desk.Refuse("there is no folder "+desk.Quote(p.dir), "Nothing is remembered there. --memory names the folder of memory.")
	}
	w, leave, err := d.Open(cmd, p.root, p.dir, make)
	if err != nil {
		return err
	}
	return errors.Join(d.damage(named(do(w))), leave())
}

// damage gives a file of memory that cannot be read its hint. The exit code is that of any such file.
func (d Desk) damage(err error) error {
	hint := ""
	switch told := new(desk.Told); {
	case errors.As(err, &told):
		return err
	case errors.Is(err, store.ErrFile):
		hint = "council memory check says more; council memory rebuild makes it again, and keeps what is there."
	case errors.Is(err, store.ErrUnreadable):
		hint = "Fix its permissions and retry."
	default:
		return err
	}
	fmt.Fprintln(d.Errs, terminal.Sprintf("council: %v\n%s", err, hint))
	return &desk.Told{Err: err}
}

// named gives their hints to the errors of memory that are those of usage.
func named(err error) error {
	var ambiguous *store.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return desk.Refuse(err.Error(), "Name more of the id: council memory list shows them.")
	case errors.Is(err, store.ErrNoRecord):
		return desk.Refuse(err.Error(), "council memory list --all shows the ids, council recall searches the texts.")
	case errors.Is(err, store.ErrNoMember):
		return desk.Refuse(err.Error(), "A member's id has small letters, digits, - and _.")
	case errors.Is(err, memory.ErrBadRecord):
		return desk.Refuse(err.Error(), "Nothing was changed.")
	case errors.Is(err, closing.ErrNoEvent):
		return desk.Refuse(err.Error(), "council turns list SESSION names what was said.")
	case errors.Is(err, recorder.ErrVague):
		return desk.Refuse(err.Error(), "Name the record, the turn or the session, or give more of the words.")
	}
	return err
}

// unread tells which files could not be read, and returns the first error as one that was told.
func (d Desk) unread(errs []error) error {
	for _, err := range errs {
		if d.Told(err) {
			continue
		}
		fmt.Fprintln(d.Errs, terminal.Sprintf("council: %v. It was left as it is.", err))
	}
	if len(errs) == 0 {
		return nil
	}
	return &desk.Told{Err: errs[0]}
}

// owner is a book in the words of a person.
func owner(m council.MemberID) string {
	if m == "" {
		return "council"
	}
	return string(m)
}

// seated refuses a member of whom nobody knows: what is put into the book of a name that was mistyped is told to nobody.
func (d Desk) seated(w *closing.Workspace, m council.MemberID) error {
	b, err := w.Store.Book(m)
	if err != nil || m == "" || b.Step > 0 {
		return err
	}
	c, err := d.Charter("", "", "")
	if err != nil || c.Member(m) != nil {
		return err
	}
	return stranger(&c, string(m), "council for what all are told; and any other member has a book when its first session has closed.")
}

// stranger refuses a member that a council does not have.
func stranger(c *council.Charter, name, others string) error {
	var known []string
	for _, id := range c.Seats() {
		known = append(known, string(id))
	}
	return desk.Refuse("council "+desk.Quote(c.CouncilName)+" has no member "+desk.Quote(name),
		desk.DidYouMean(name, known, "It has: "+strings.Join(known, ", ")+", and "+others))
}

// under is the path of a file in a folder as the user may name it.
func under(folder, name string) string { return filepath.ToSlash(filepath.Join(folder, name)) }
