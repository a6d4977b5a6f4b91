package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// rebuild writes what differs.
func (w *writing) rebuild(r rebuilding) error {
	if n := len(r.lines); n > 0 {
		w.report.Step = n
	}
	b := &marked{writing: w}
	if err := w.journal(b, r); err != nil {
		return fmt.Errorf("cannot write the journal of memory: %w", err)
	}
	for _, o := range ordered(r.books) {
		g := r.books[o]
		if g.stuck != nil {
			continue
		}
		changed, err := w.replace(b, g, r.old)
		if err != nil {
			return err
		}
		if changed {
			w.report.Wrote = append(w.report.Wrote, Written{Member: council.MemberID(o)})
		}
	}
	return b.unmark()
}

// journal brings the journal in step with the plan.
func (w *writing) journal(b *marked, r rebuilding) error {
	if !r.salvage {
		e, err := readEnd(w.files)
		for _, l := range r.lines[len(r.lines)-r.added:] {
			if err == nil {
				err = b.mark()
			}
			if err == nil {
				e, err = e.Append(w.files, l.Step)
			}
		}
		w.report.Done = r.added > 0
		return err
	}
	text, err := journalText(r.lines)
	if err != nil {
		return err
	}
	held, err := atomicfile.Read(w.files, journalFile)
	if err == nil && bytes.Equal(held, text) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.report.Done = true
	if err := b.mark(); err != nil {
		return err
	}
	if len(held) > 0 && !w.forgetting {
		// A copy, so that there is a journal at every moment.
		kept, err := atomicfile.Keep(w.files, journalFile, atomicfile.Damaged, held, w.now())
		if err != nil {
			return err
		}
		w.report.Asides = append(w.report.Asides, Aside{Path: journalFile, Kept: kept})
	}
	return atomicfile.Write(w.files, journalFile, text)
}

// replace makes the files of a book what the journal yields.
func (w *writing) replace(b *marked, g *growth, old map[owner]volume) (changed bool, err error) {
	o := g.from.owner
	if _, err := w.read(w.files, o); errors.Is(err, ErrNewer) {
		w.report.leave(o, o.path(o.book()), err)
		return false, nil
	}
	wanted, err := g.derived()
	if err != nil {
		return false, err
	}
	folder, err := w.folder(o)
	if err != nil {
		return false, err
	}
	g.from = volume{owner: o, absent: true}
	if v, ok := old[o]; ok {
		g.from = v
	}
	for _, d := range wanted {
		if w.forgetting {
			if err := w.disown(folder, d.name); err != nil {
				return changed, err
			}
		}
		held, err := atomicfile.Read(folder, d.name)
		if err == nil && bytes.Equal(held, d.text) {
			continue
		}
		changed = true
		if err := b.mark(); err != nil {
			return changed, err
		}
		if err := w.supersede(g, folder, d, held, err); err != nil {
			return changed, err
		}
	}
	extra, err := w.extra(b, g, folder)
	return changed || extra, err
}

// supersede writes a derived file in the place of what is there.
func (w *writing) supersede(g *growth, folder atomicfile.Files, d derived, held []byte, failed error) error {
	o := g.from.owner
	kind := atomicfile.Edited
	switch {
	case w.forgetting, errors.Is(failed, fs.ErrNotExist):
		return atomicfile.Write(folder, d.name, d.text)
	case failed == nil && d.page && (g.rendered(held) || d.name == profile && w.wasProfile(g, held)):
		return atomicfile.Write(folder, d.name, d.text)
	case failed == nil && d.name != o.book() && bytes.HasPrefix(d.text, begunArchive(held)):
		return atomicfile.Write(folder, d.name, d.text) // cut short, or without what came later
	case d.name == o.book() && !g.from.absent && g.from.edited == nil && g.from.book.Step < g.book.Step:
		return atomicfile.Write(folder, d.name, d.text) // it only lagged
	case failed != nil, d.name == o.book() && g.from.absent, !d.page && d.name != o.book() && !intactArchive(held):
		kind = atomicfile.Damaged
	}
	if err := w.aside(o.folder(), folder, d.name, kind); err != nil {
		return err
	}
	return atomicfile.Write(folder, d.name, d.text)
}

// extra keeps archives aside that the journal does not yield.
func (w *writing) extra(b *marked, g *growth, folder atomicfile.Files) (changed bool, err error) {
	o := g.from.owner
	found, err := years(w.files, o)
	if err != nil {
		return false, err
	}
	for _, year := range found {
		if slices.Contains(g.years(), year) {
			continue
		}
		for _, name := range []string{o.archived(year), o.archive(year)} {
			if _, err := folder.Lstat(name); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			put := func() error { return w.aside(o.folder(), folder, name, atomicfile.Edited) }
			if w.forgetting {
				put = func() error { return folder.Remove(name) }
			}
			if err := errors.Join(b.mark(), put()); err != nil {
				return true, err
			}
			changed = true
		}
	}
	return changed, nil
}

// marked is a rebuild that has said so on disk before it writes anything.
type marked struct {
	*writing
	done bool
}

func (b *marked) mark() error {
	if b.done {
		return nil
	}
	b.done = true
	if err := b.outdate(); err != nil {
		return err
	}
	if _, err := b.files.Lstat(rebuildingFile); err == nil {
		return nil
	}
	return atomicfile.Write(b.files, rebuildingFile, b.markText())
}

// unmark ends the rebuild, also one that an earlier process began.
func (b *marked) unmark() error {
	if err := b.files.Remove(rebuildingFile); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return b.files.Sync()
}
