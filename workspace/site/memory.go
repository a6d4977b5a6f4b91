package site

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
)

// OpenMemory returns the curator of a record for the memory of a charter.
func (w *World) OpenMemory(root *recorder.Root, c *council.Charter) (*curator.Curator, error) {
	options := []store.Option{store.Clock(w.Now)}
	if w.Layer != nil {
		options = append(options, store.Through(w.Layer))
	}
	if w.Pulled != nil {
		options = append(options, store.Sessions(w.Pulled))
	}
	dir := curator.MemoryDir(c.Storage, root.Path())
	if w.Memory == nil {
		return curator.Open(root, dir, options...)
	}
	shared, ok := w.Memory.of.Load(dir)
	if !ok {
		opened, err := curator.Open(w.Memory.Root, dir, options...)
		if err != nil {
			return nil, err
		}
		shared, _ = w.Memory.of.LoadOrStore(dir, opened)
	}
	return shared.(*curator.Curator), nil
}

// SharedMemory is the memory shared by the sessions of one process. It remembers closed sessions one after the other.
type SharedMemory struct {
	Finishing sync.RWMutex // read-locked while a session is remembered, locked while the files change otherwise

	Root *recorder.Root
	of   sync.Map // curators by folder
}

// FinishMemory completes interrupted changes of memory, and warns of all problems.
func (w *World) FinishMemory(ctx context.Context, of *curator.Curator) error {
	notices := w.Notices()
	all, err := of.Recover(ctx, w.Clock(), notices.Problem)
	for _, done := range all {
		if done.Session != "" {
			w.Warn("Session %s had closed and was cut off before it was remembered. It is now.", done.Session)
		}
		if done.Forgot != nil {
			notices.Print("What was to be forgotten, and was cut off, is forgotten now.")
			for _, place := range done.Forgot.Left {
				notices.Print("  It also stands in this place, which is left as it is: %s", place)
			}
		}
		notices.Report(done.Memory)
	}
	return err
}

// Notices are the lines about memory that a world prints, each once.
type Notices World

// Notices returns the notices of the world.
func (w *World) Notices() *Notices { return (*Notices)(w) }

// Problem prints a problem of memory, which never stops a session.
func (n *Notices) Problem(err error) {
	if !n.Printed(err) {
		n.Print("council: memory: %v", err)
	}
}

// Printed reports whether an earlier notice contained the text of an error.
func (n *Notices) Printed(err error) bool {
	text := hostile.Terminal(fmt.Sprint(err))
	return slices.ContainsFunc(n.notices, func(line string) bool { return strings.Contains(line, text) })
}

// Print prints a notice unless it was printed before.
func (n *Notices) Print(format string, args ...any) {
	line := hostile.Terminal(fmt.Sprintf(format, args...))
	if !slices.Contains(n.notices, line) {
		n.notices = append(n.notices, line)
		n.Warn("%s", line)
	}
}

// Report prints the entries that a change of memory set aside or could not read.
func (n *Notices) Report(r store.Report) {
	for _, kept := range r.Asides {
		n.Print("Memory: %s was not what was written there. It is written again; what it held is kept as %s.", kept.Path,
			kept.Kept)
	}
	for _, left := range r.Left {
		n.Print("Memory: %s was left as it is: %s. It is caught up once it can be read; council memory check says what "+
			"to do.", left.Path, strings.TrimRight(left.Err.Error(), "."))
	}
	n.reportEdits(r.Edits)
	for _, lacks := range r.Lacks {
		n.Print("Memory: the log of session %s cannot be read: %s.", lacks.Session, strings.TrimRight(lacks.Err.Error(), "."))
	}
}

// reportEdits prints people's edits of memory files that were not accepted.
func (n *Notices) reportEdits(edits []store.Edit) {
	for _, e := range edits {
		if e.Err != nil {
			n.Print("Memory: %v.", e.Err)
			continue
		}
		n.Print("Memory: %s was edited. Nobody is told it before you take it in with council memory accept; with "+
			"--discard\nthe file is kept aside.", e.Path)
		for _, c := range e.Corrections {
			if c.Removed {
				n.Print("  %s was removed, and becomes resolved: %s", c.Before.ID, hostile.Excerpt(c.Before.Summary, 90))
				continue
			}
			for _, f := range c.Fields() {
				n.Print("  %s, %s\n    - %s\n    + %s", c.Before.ID, f[0], f[1], f[2])
			}
		}
	}
}
