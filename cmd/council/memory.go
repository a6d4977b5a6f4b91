package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/memory/workspace"
	"github.com/council-engine/council/recorder"
)

func (a *app) newMemory() *cobra.Command {
	cmd := newGroup("memory", "Show and correct what the council remembers",
		`memory shows what a council and its members keep of closed sessions, and corrects it. What members are told of it
fades after 25 sessions; nothing is deleted but by forget.

A record is named by its id, such as r-4k2m9qx7w3ab, or by a beginning that only it has.`,
		a.newMemoryList(), a.newMemoryShow(), a.newMemoryPrompt(), a.newMemoryAdd(), a.newMemoryEdit(), a.newMemoryResolve(),
		a.newMemorySupersede(), a.newMemoryAccept(), a.newMemoryForget(),
		a.newMemoryExport(), a.newMemoryImport(), a.newMemoryRebuild(), a.newMemoryCheck())
	cmd.Example = `  council memory list --kind decision
  council memory prompt skeptic
  council memory edit r-4k2m --summary "We use NATS for events, and nothing else."
  council memory resolve r-9qx7 --because "The runbook was written in May."`
	return cmd
}

// memoryVerb completes a command that does something in memory. It has the flags that say where memory is.
func (a *app) memoryVerb(cmd *cobra.Command,
	do func(cmd *cobra.Command, w *workspace.Workspace, args []string) error) *cobra.Command {
	var p memoryFlags
	p.flags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.inMemory(cmd, p, false, func(w *workspace.Workspace) error { return do(cmd, w, args) })
	}
	return cmd
}

// memoryFlags say where memory is.
type memoryFlags struct{ root, dir string }

func (p *memoryFlags) flags(f *pflag.FlagSet) {
	cli.RootFlag(f, &p.root)
	f.StringVar(&p.dir, "memory", "", "folder of memory (default: what the configuration says, else memory in the "+
		"folder of the record)")
}

// inMemory opens the workspace, does something in it, and leaves it.
func (a *app) inMemory(cmd *cobra.Command, p memoryFlags, make bool, do func(*workspace.Workspace) error) error {
	if _, err := os.Stat(p.dir); p.dir != "" && !make && errors.Is(err, fs.ErrNotExist) {
		return cli.Refuse("there is no folder "+cli.Quote(p.dir),
			"Nothing is remembered there. --memory names the folder of memory.")
	}
	w, leave, err := a.openMemory(cmd, p.root, p.dir, make)
	if err != nil {
		return err
	}
	return errors.Join(a.memoryDamage(memoryUsage(do(w))), leave())
}

// memoryDamage gives a file of memory that cannot be read its hint. The exit code is that of any such file.
func (a *app) memoryDamage(err error) error {
	hint := ""
	switch told := new(cli.Told); {
	case errors.As(err, &told):
		return err
	case errors.Is(err, store.ErrFile):
		hint = "council memory check says more; council memory rebuild makes it again, and keeps what is there."
	case errors.Is(err, store.ErrUnreadable):
		hint = "Fix its permissions and retry."
	default:
		return err
	}
	a.Warn("council: %v\n%s", err, hint)
	return &cli.Told{Err: err}
}

// memoryUsage makes usage errors of those errors of memory that are, with their hints.
func memoryUsage(err error) error {
	hint := ""
	switch {
	case errors.As(err, new(*store.AmbiguousError)):
		hint = "Give a longer id prefix: council memory list shows them."
	case errors.Is(err, store.ErrNoRecord):
		hint = "council memory list --all shows the ids, council recall searches the texts."
	case errors.Is(err, store.ErrNoMember):
		hint = "A member's id has small letters, digits, - and _."
	case errors.Is(err, store.ErrEdit):
		hint = "Mend it there, or go back and keep the file aside: council memory accept --discard."
	case errors.Is(err, memory.ErrBadRecord):
		hint = "Nothing was changed."
	case errors.Is(err, workspace.ErrNoEvent):
		hint = "council turns list SESSION names what was said."
	case errors.Is(err, recorder.ErrVague):
		hint = "Name the record, the turn or the session, or give more of the words."
	default:
		return err
	}
	return cli.Refuse(err.Error(), hint)
}

// bookOwner returns a book in the words of a person.
func bookOwner(m council.MemberID) string {
	if m == "" {
		return "council"
	}
	return string(m)
}

// knownMember refuses a member that neither has a book nor sits on the council: a record in the book of a mistyped name
// would never be told.
func (a *app) knownMember(w *workspace.Workspace, m council.MemberID) error {
	b, err := w.Store.Book(m)
	if err != nil || m == "" || b.Step > 0 {
		return err
	}
	read, err := a.readCharter(charterFlags{})
	if err != nil || read.charter.Member(m) != nil {
		return err
	}
	return noSuchMember(&read.charter, string(m),
		"council for what all are told; and any other member has a book when its first session has closed.")
}

// noSuchMember refuses a member that a council does not have.
func noSuchMember(c *council.Charter, name, others string) error {
	known := c.Seats()
	return cli.Refuse("council "+cli.Quote(c.CouncilName)+" has no member "+cli.Quote(name),
		cli.DidYouMean(name, known, "It has: "+cli.Join(known)+", and "+others))
}
