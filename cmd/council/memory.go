package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

func newMemory(a *cli.Env) *cobra.Command {
	cmd := cli.NewGroup("memory",
		newMemoryList(a), newMemoryShow(a), newMemoryPrompt(a), newMemoryAdd(a), newMemoryEdit(a), newMemoryResolve(a),
		newMemorySupersede(a), newMemoryAccept(a), newMemoryForget(a),
		newMemoryExport(a), newMemoryImport(a), newMemoryRebuild(a), newMemoryCheck(a))
	return cmd
}

// begetting are the commands that begin a record where there is none.
var begetting = []string{"memory add", "memory import"}

// memoryVerb is verb for a command that does something in memory, with a flag that says where memory is.
func memoryVerb(a *cli.Env, path string, do func(*cli.Command, *curator.Curator) error) *cobra.Command {
	var dir string
	begets := slices.Contains(begetting, path)
	open := func(folder string, do func(*recorder.Root) error) error {
		if begets {
			return a.InNewRecord(folder, do)
		}
		if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
			return site.Refuse("there is no folder "+site.Quote(dir),
				"Nothing is remembered there. --memory names the folder of memory.")
		}
		return a.InRecord(folder, do)
	}
	return cli.WithFlags(cli.Flags{"memory": &dir}, cli.VerbIn(a, path, open, func(c *cli.Command) error {
		w, err := seat.RecoverMemory(a.World, c.Ctx, c.Root, dir)
		if err != nil {
			return err
		}
		return do(c, w)
	}))
}

// recordVerb is memoryVerb for a command that changes the record that its first argument names.
func recordVerb(a *cli.Env, path string, do func(*cli.Command, *curator.Curator, store.Held) error) *cobra.Command {
	return memoryVerb(a, path, func(c *cli.Command, w *curator.Curator) error {
		held, err := heldRecord(w, c.Args[0])
		if err != nil {
			return err
		}
		return do(c, w, held)
	})
}

// heldRecord returns a record by its id or the beginning of it, wherever else something cannot be read.
func heldRecord(w *curator.Curator, id string) (store.Held, error) {
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
func knownMember(a *cli.Env, w *curator.Curator, m council.MemberID) error {
	b, err := w.Store.Book(m)
	if err != nil || m == "" || b.Step > 0 {
		return err
	}
	read, err := seat.ReadCharter(a.World, seat.Choice{})
	if err != nil || read.Charter.Member(m) != nil {
		return err
	}
	return noSuchMember(&read.Charter, string(m),
		"council for what all are told; and any other member has a book when its first session has closed.")
}

// noSuchMember refuses a member that a council does not have.
func noSuchMember(c *council.Charter, name, others string) error {
	known := c.Seats()
	return site.Refuse("council "+site.Quote(c.CouncilName)+" has no member "+site.Quote(name),
		site.DidYouMean(name, known, "It has: "+site.Join(known)+", and "+others))
}

// openIndex opens the index of the record, whole: where there was none it is built, and people are told.
func openIndex(c *cli.Command) (*index.Index, error) {
	w, err := seat.RecoverMemory(c.World, c.Ctx, c.Root, "")
	if err != nil {
		return nil, err
	}
	ix, built, err := w.Index(c.Ctx)
	if err != nil {
		return nil, err
	}
	if aside := ix.Aside(); aside != nil {
		c.Warn("Recall: %s. It was built again from what is there; the old one is kept as %s.", aside.Why, aside.Path)
	} else if built {
		c.Warn("There was no whole index to search, so it was built from what is there.")
	}
	return ix, nil
}

// remember finishes the close of a session that has come to its end, and says what is kept of it. With an error the
// session is kept all the same; what is missing is made good by the next command that can.
func rememberSession(a *cli.Env, ctx context.Context, s sitting) error {
	w, err := a.OpenMemory(s.root, s.session.Charter())
	if err != nil {
		return err
	}
	if a.Memory != nil {
		a.Memory.Finishing.RLock()
		defer a.Memory.Finishing.RUnlock()
	}
	done, err := w.Finish(context.WithoutCancel(ctx), s.session.ID(), s.folder.Entries())
	a.ReportMemory(done.Memory)
	if err != nil {
		return fmt.Errorf("the session is closed and kept, but not remembered yet: %w", err)
	}
	var kept []string
	for _, k := range memory.Kinds() {
		if n := done.Kept[k]; n > 0 {
			kept = append(kept, plural.Things(n, k.Words()))
		}
	}
	if len(kept) > 0 {
		words := strings.Join(kept, ", ") + "; " + site.CommandLine(s.root, "council memory list") + " shows them"
		if s.session.Charter().Rehearsing() > 0 {
			words += "; only rehearsals are told them"
		}
		sayer(a, s.show)("Memory: %s", words)
	}
	return tellConflicts(a, w, s)
}

// tellConflicts prints the decisions that a session's own may conflict with, with the command that replaces each.
func tellConflicts(a *cli.Env, w *curator.Curator, s sitting) error {
	b, err := w.Store.Book("")
	if err != nil && store.InTheWay(err) {
		return nil // it was reported when it could not be written
	}
	for _, pair := range b.MayConflict(s.session.ID()) {
		sayer(a, s.show)("May conflict with %s (%s). To replace that decision: %s", pair[1].ID,
			hostile.Excerpt(pair[1].Summary, 60), site.CommandLine(s.root,
				fmt.Sprintf("council memory supersede %s --by %s", pair[1].ID, pair[0].ID)))
	}
	return err
}

// remindedWords counts the records that members are reminded of, or returns "".
func remindedWords(all []council.Reminder) string {
	var own, shared string
	n := 0
	for _, r := range all {
		if r.Member != "" {
			n += len(r.Records)
		} else if len(r.Records) > 0 {
			shared = fmt.Sprintf("%d of the council's", len(r.Records))
		}
	}
	if n > 0 {
		own = fmt.Sprintf("%d of the members' own", n)
	}
	return cli.Joined(", ", shared, own)
}
