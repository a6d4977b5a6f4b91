package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
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

// begetting are the commands that begin a record where there is none.
var begetting = []string{"add", "import"}

// memoryVerb completes a command that does something in memory. It has the flags that say where memory is, and --json
// if asJSON, which is the help of that flag, is not "".
func (a *app) memoryVerb(cmd *cobra.Command, asJSON string,
	do func(*command, *workspace.Workspace) error) *cobra.Command {
	var folder, dir string
	c := &command{app: a}
	f := cmd.Flags()
	cli.RootFlag(f, &folder)
	f.StringVar(&dir, "memory", "", "folder of memory (default: what the configuration says, else memory in the "+
		"folder of the record)")
	if asJSON != "" {
		f.BoolVar(&c.json, "json", false, asJSON)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.ctx, c.cmd, c.args = cmd.Context(), cmd, args
		begets, in := slices.Contains(begetting, cmd.Name()), a.InRecord
		if begets {
			in = a.inNewRecord
		}
		if _, err := os.Stat(dir); dir != "" && !begets && errors.Is(err, fs.ErrNotExist) {
			return cli.Refuse("there is no folder "+cli.Quote(dir),
				"Nothing is remembered there. --memory names the folder of memory.")
		}
		return in(folder, func(root *recorder.Root) error {
			c.root = root
			w, err := a.settledMemory(c.ctx, root, dir)
			if err != nil {
				return err
			}
			return do(c, w)
		})
	}
	return cmd
}

// recordVerb is memoryVerb for a command that changes the record that its first argument names.
func (a *app) recordVerb(cmd *cobra.Command, do func(*command, *workspace.Workspace, store.Held) error) *cobra.Command {
	return a.memoryVerb(cmd, "", func(c *command, w *workspace.Workspace) error {
		held, err := heldRecord(w, c.args[0])
		if err != nil {
			return err
		}
		return do(c, w, held)
	})
}

// heldRecord returns a record by its id or the beginning of it, wherever else something cannot be read.
func heldRecord(w *workspace.Workspace, id string) (store.Held, error) {
	held, err := w.Store.Record(id)
	if held.ID != "" {
		err = nil
	}
	return held, err
}

// bookOwner returns a book in the words of a person, and bookOf reads them.
func bookOwner(m council.MemberID) string { return cmp.Or(string(m), "council") }

func bookOf(name string) council.MemberID {
	if name == "council" {
		return ""
	}
	return council.MemberID(name)
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
