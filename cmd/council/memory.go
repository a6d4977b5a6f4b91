package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
)

func (a *app) newMemory() *cobra.Command {
	cmd := newGroup("memory",
		a.newMemoryList(), a.newMemoryShow(), a.newMemoryPrompt(), a.newMemoryAdd(), a.newMemoryEdit(), a.newMemoryResolve(),
		a.newMemorySupersede(), a.newMemoryAccept(), a.newMemoryForget(),
		a.newMemoryExport(), a.newMemoryImport(), a.newMemoryRebuild(), a.newMemoryCheck())
	return cmd
}

// begetting are the commands that begin a record where there is none.
var begetting = []string{"memory add", "memory import"}

// memoryVerb is verb for a command that does something in memory, with a flag that says where memory is.
func (a *app) memoryVerb(path string, do func(*command, *curator.Curator) error) *cobra.Command {
	var dir string
	begets := slices.Contains(begetting, path)
	open := func(folder string, do func(*recorder.Root) error) error {
		if begets {
			return a.inNewRecord(folder, do)
		}
		if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
			return cli.Refuse("there is no folder "+cli.Quote(dir),
				"Nothing is remembered there. --memory names the folder of memory.")
		}
		return a.InRecord(folder, do)
	}
	return withFlags(vars{"memory": &dir}, a.verbIn(path, open, func(c *command) error {
		w, err := a.settledMemory(c.ctx, c.root, dir)
		if err != nil {
			return err
		}
		return do(c, w)
	}))
}

// recordVerb is memoryVerb for a command that changes the record that its first argument names.
func (a *app) recordVerb(path string, do func(*command, *curator.Curator, store.Held) error) *cobra.Command {
	return a.memoryVerb(path, func(c *command, w *curator.Curator) error {
		held, err := heldRecord(w, c.args[0])
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
func (a *app) knownMember(w *curator.Curator, m council.MemberID) error {
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

// workspace joins a record with the memory of a charter.
func (a *app) workspace(root *recorder.Root, c *council.Charter) (*curator.Curator, error) {
	options := []store.Option{store.Clock(a.Now)}
	if a.Layer != nil {
		options = append(options, store.Through(a.Layer))
	}
	if a.pulled != nil {
		options = append(options, store.Sessions(a.pulled))
	}
	dir := curator.MemoryDir(c.Storage, root.Path())
	if a.batched == nil {
		return curator.Open(root, dir, options...)
	}
	shared, ok := a.batched.memories.Load(dir)
	if !ok {
		w, err := curator.Open(a.batched.root, dir, options...)
		if err != nil {
			return nil, err
		}
		shared, _ = a.batched.memories.LoadOrStore(dir, w)
	}
	return shared.(*curator.Curator), nil
}

// memoryOf joins a record with its memory: in dir if it is given, else where the configuration in the working folder
// says, else where it usually is.
func (a *app) memoryOf(root *recorder.Root, dir string) (*curator.Curator, error) {
	dir, err := a.memoryDir(root.Path(), dir)
	if err != nil {
		return nil, err
	}
	return a.workspace(root, &council.Charter{Storage: council.Storage{RootDir: root.Path(), MemoryDir: dir}})
}

// settledMemory is memoryOf, after what was cut off has been finished.
func (a *app) settledMemory(ctx context.Context, root *recorder.Root, dir string) (*curator.Curator, error) {
	w, err := a.memoryOf(root, dir)
	if err == nil {
		err = a.settleMemory(ctx, w)
	}
	return w, err
}

// memoryDir returns the folder of memory for a record, as for memoryOf.
func (a *app) memoryDir(root, dir string) (string, error) {
	if dir != "" || !configured() {
		return cmp.Or(dir, filepath.Join(root, "memory")), nil
	}
	read, err := a.readCharter(charterFlags{root: root})
	return read.charter.Storage.MemoryDir, err
}

// openIndex opens the index of the record, whole: where there was none it is built, and people are told.
func openIndex(c *command) (*index.Index, error) {
	w, err := c.settledMemory(c.ctx, c.root, "")
	if err != nil {
		return nil, err
	}
	ix, built, err := w.Index(c.ctx)
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

// trouble prints what is wrong with memory. It never stops a session.
func (a *app) trouble(err error) {
	if !a.knows(err) {
		a.tellOnce("council: memory: %v", err)
	}
}

// knows reports whether people have been told of an error by what was said of memory before.
func (a *app) knows(err error) bool {
	text := terminal.Sprintf("%v", err)
	return slices.ContainsFunc(a.told, func(line string) bool { return strings.Contains(line, text) })
}

// tellOnce prints something about memory to people, however often one command comes upon it.
func (a *app) tellOnce(format string, args ...any) {
	line := terminal.Sprintf(format, args...)
	if !slices.Contains(a.told, line) {
		a.told = append(a.told, line)
		fmt.Fprintln(a.Errs, line)
	}
}

func (a *app) settleMemory(ctx context.Context, w *curator.Curator) error {
	all, err := w.Recover(ctx, a.Inputs(), a.trouble)
	for _, done := range all {
		if done.Session != "" {
			a.Warn("Session %s had closed and was cut off before it was remembered. It is now.", done.Session)
		}
		if done.Forgot != nil {
			a.tellOnce("What was to be forgotten, and was cut off, is forgotten now.")
			for _, place := range done.Forgot.Left {
				a.tellOnce("  It also stands in this place, which is left as it is: %s", place)
			}
		}
		a.tellMemory(done.Memory)
	}
	return err
}

// remember finishes the close of a session that has come to its end, and says what is kept of it. With an error the
// session is kept all the same; what is missing is made good by the next command that can.
func (a *app) remember(ctx context.Context, s sitting) error {
	w, err := a.workspace(s.root, s.session.Charter())
	if err != nil {
		return err
	}
	if a.batched != nil {
		a.batched.remembering.RLock()
		defer a.batched.remembering.RUnlock()
	}
	done, err := w.Finish(context.WithoutCancel(ctx), s.session.ID(), s.folder.Entries())
	a.tellMemory(done.Memory)
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
		words := strings.Join(kept, ", ") + "; " + cli.CommandLine(s.root, "council memory list") + " shows them"
		if s.session.Charter().Rehearsing() > 0 {
			words += "; only rehearsals are told them"
		}
		a.sayer(s.show)("Memory: %s", words)
	}
	return a.tellConflicts(w, s)
}

// tellConflicts prints the decisions that a session's own may conflict with, with the command that replaces each.
func (a *app) tellConflicts(w *curator.Curator, s sitting) error {
	b, err := w.Store.Book("")
	if err != nil && store.InTheWay(err) {
		return nil // it was reported when it could not be written
	}
	for _, pair := range b.MayConflict(s.session.ID()) {
		a.sayer(s.show)("May conflict with %s (%s). To replace that decision: %s", pair[1].ID,
			terminal.Short(pair[1].Summary, 60), cli.CommandLine(s.root,
				fmt.Sprintf("council memory supersede %s --by %s", pair[1].ID, pair[0].ID)))
	}
	return err
}

// tellMemory prints what was set aside in a change of memory, and what could not be read.
func (a *app) tellMemory(r store.Report) {
	for _, kept := range r.Asides {
		a.tellOnce("Memory: %s was not what was written there. It is written again; what it held is kept as %s.", kept.Path,
			kept.Kept)
	}
	for _, left := range r.Left {
		a.tellOnce("Memory: %s was left as it is: %s. It is caught up once it can be read; council memory check says what "+
			"to do.", left.Path, strings.TrimRight(left.Err.Error(), "."))
	}
	a.tellEdits(r.Edits)
	for _, lacks := range r.Lacks {
		a.tellOnce("Memory: the log of session %s cannot be read: %s.", lacks.Session,
			strings.TrimRight(lacks.Err.Error(), "."))
	}
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
	return joined(", ", shared, own)
}
