package recorder

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// Rebuilt is a derived file that was not as the log renders it.
type Rebuilt struct {
	Name string
	Kept string // what the old one is called now, when it was not a rendering of the log; else ""
	Gone bool   // the log does not yield it: it was not written again
}

// Rebuild renders every derived file of a session again and returns those that changed. Somebody's edits are kept
// beside, under a name that ends in the time. The log and the conversations are not touched. [ErrUnknownSession],
// [ErrNotBegun], [ErrNewer], [ErrDamaged]; a [*LockedError] while another process writes the session.
func (r *Root) Rebuild(id council.SessionID, now time.Time) (changed []Rebuilt, err error) {
	err = r.alone(id, func(files atomicfile.Files) error {
		if err := atomicfile.Tidy(files); err != nil {
			return err
		}
		log, _, err := load(files, id, false)
		if err != nil {
			return err
		}
		wanted, err := r.render.artifacts(log.Entries)
		if err != nil {
			return err
		}
		b := rebuilding{files: files, log: log, render: r.render, now: now}
		err = derive(files, wanted, b.put, b.drop)
		changed = b.changed
		return err
	})
	return changed, err
}

// rebuilding is a folder whose derived files are made again.
type rebuilding struct {
	files   atomicfile.Files
	log     *wire.Log
	render  renderer
	now     time.Time
	before  map[string][][]byte // what each file held after earlier events; nil until it is needed
	changed []Rebuilt
}

// put makes text the content of a derived file.
func (b *rebuilding) put(name string, text []byte) error {
	held, err := atomicfile.Read(b.files, name)
	if err == nil && bytes.Equal(held, text) {
		return nil
	}
	kept := ""
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || !b.stale(name, held, text)) {
		if kept, err = b.aside(name); err != nil {
			return err
		}
	}
	b.changed = append(b.changed, Rebuilt{Name: name, Kept: kept})
	return atomicfile.Write(b.files, name, text)
}

// drop takes a derived file away that the log does not yield.
func (b *rebuilding) drop(name string) error {
	held, err := atomicfile.Read(b.files, name)
	gone := Rebuilt{Name: name, Gone: true}
	if err == nil && b.stale(name, held, nil) {
		err = b.files.Remove(name)
	} else {
		gone.Kept, err = b.aside(name)
	}
	b.changed = append(b.changed, gone)
	return err
}

// stale reports whether a file is what the log rendered to before, and so not a person's edit: a transcript that was
// not written to its end, or any file as it was at one of the events after which files are written.
func (b *rebuilding) stale(name string, held, text []byte) bool {
	if len(held) == 0 || name == render.FileTranscript && bytes.HasPrefix(text, bytes.TrimRight(held, "\x00")) {
		return true
	}
	if b.before == nil {
		b.before = map[string][][]byte{}
		for i, e := range b.log.Entries {
			if !render.Due(e.Event) {
				continue
			}
			files, err := b.render.artifacts(b.log.Entries[:i+1])
			if err != nil {
				continue
			}
			for n, t := range files {
				b.before[n] = append(b.before[n], t)
			}
		}
	}
	return slices.ContainsFunc(b.before[name], func(t []byte) bool { return bytes.Equal(t, held) })
}

// aside keeps a person's edits under another name, and returns it.
func (b *rebuilding) aside(name string) (string, error) {
	return atomicfile.Aside(b.files, name, atomicfile.Edited, b.now)
}
