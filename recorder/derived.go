package recorder

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// derive calls put with every derived file that the log renders, and drop with every other one.
func derive(files atomicfile.Files, wanted map[string][]byte, put func(name string, text []byte) error,
	drop func(name string) error) error {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if err := put(name, wanted[name]); err != nil {
			return err
		}
	}
	entries, err := files.List()
	if err != nil {
		return err
	}
	dropped := false
	for _, e := range entries {
		if _, ok := wanted[e.Name()]; ok || !render.Derived(e.Name()) || e.IsDir() {
			continue
		}
		if err := drop(e.Name()); err != nil {
			return err
		}
		dropped = true
	}
	if !dropped {
		return nil
	}
	return files.Sync()
}

// Finalize writes every derived file that differs from the rendering of the log and removes those that the log does not
// yield. It may be called any number of times.
func (s *Session) Finalize() error {
	if s.err != nil {
		return s.err
	}
	s.err = s.derive(false) // a person may have changed the transcript
	return s.err
}

// derive brings the derived files in step with the log; grown means that the transcript is already.
func (s *Session) derive(grown bool) error {
	wanted, err := s.transcript.Artifacts()
	if err != nil {
		return err
	}
	return explainDisk(s.files.Path(), derive(s.files, wanted, func(name string, text []byte) error {
		switch {
		case name != render.FileTranscript:
			return rewrite(s.files, name, text)
		case grown:
			return nil
		}
		err := s.text.Close()
		if s.text = nil; err == nil {
			err = s.openTranscript(text)
		}
		return err
	}, s.files.Remove))
}

// openTranscript opens the transcript, with text as its content.
func (s *Session) openTranscript(text []byte) error {
	err := rewrite(s.files, render.FileTranscript, text)
	if err == nil {
		s.text, err = atomicfile.OpenTail(s.files, render.FileTranscript, int64(len(text)))
	}
	return err
}

// rewrite makes text the content of a derived file. Content that it cannot read is replaced.
func rewrite(files atomicfile.Files, name string, text []byte) error {
	if held, err := atomicfile.Read(files, name); err == nil && string(held) == string(text) {
		return nil
	}
	return atomicfile.Write(files, name, text)
}

// Rebuilt is a derived file that differed from the rendering of the log.
type Rebuilt struct {
	Name string
	Kept string // the new name of the old content, when that was not a rendering of the log; else ""
	Gone bool   // the log does not yield it: it was not written again
}

func (b Rebuilt) String() string {
	words := b.Name + " was written again."
	if b.Gone {
		words = b.Name + " does not belong to the log and was taken away."
	}
	if b.Kept != "" {
		words += " What it held is kept as " + b.Kept + "."
	}
	return words
}

// Rebuild renders every derived file of a session again and returns those that changed. Edits of people are kept aside.
// The log and the conversations are not touched. [ErrUnknownSession], [ErrNotBegun], [ErrNewer], [ErrDamaged],
// [ErrLocked].
func (r *Root) Rebuild(id council.SessionID, now time.Time) (changed []Rebuilt, err error) {
	err = r.alone(id, func(files atomicfile.Files) error {
		if err := atomicfile.Tidy(files); err != nil {
			return err
		}
		log, _, err := load(files, id, false)
		if err != nil {
			return err
		}
		wanted, err := render.Artifacts(log.Entries)
		if err != nil {
			return err
		}
		b := rebuilding{files: files, log: log, now: now}
		err = derive(files, wanted, b.put, b.drop)
		changed = b.changed
		return err
	})
	return changed, err
}

type rebuilding struct {
	files   atomicfile.Files
	log     *wire.Log
	now     time.Time
	before  map[string][][]byte // the contents of each file after earlier events; nil until it is needed
	changed []Rebuilt
}

func (b *rebuilding) put(name string, text []byte) error {
	held, err := atomicfile.Read(b.files, name)
	if err == nil && bytes.Equal(held, text) {
		return nil
	}
	kept := ""
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || !b.stale(name, held, text)) {
		if kept, err = atomicfile.SetAside(b.files, name, atomicfile.Edited, b.now); err != nil {
			return err
		}
	}
	b.changed = append(b.changed, Rebuilt{Name: name, Kept: kept})
	return atomicfile.Write(b.files, name, text)
}

func (b *rebuilding) drop(name string) error {
	held, err := atomicfile.Read(b.files, name)
	gone := Rebuilt{Name: name, Gone: true}
	if err == nil && b.stale(name, held, nil) {
		err = b.files.Remove(name)
	} else {
		gone.Kept, err = atomicfile.SetAside(b.files, name, atomicfile.Edited, b.now)
	}
	b.changed = append(b.changed, gone)
	return err
}

// stale reports whether a file is an earlier rendering of the log, or the beginning of such a transcript, and so not a
// person's edit.
func (b *rebuilding) stale(name string, held, text []byte) bool {
	was := func(t []byte) bool {
		return bytes.Equal(t, held) || name == render.FileTranscript && bytes.HasPrefix(t, bytes.TrimRight(held, "\x00"))
	}
	if len(held) == 0 || was(text) {
		return true
	}
	if b.before == nil {
		b.before = map[string][][]byte{}
		for i, e := range b.log.Entries {
			if next := b.log.Entries[min(i+1, len(b.log.Entries)-1)]; !render.ChangesFiles(e.Event) &&
				!render.ChangesFiles(next.Event) {
				continue
			}
			files, err := render.Artifacts(b.log.Entries[:i+1])
			if err != nil {
				continue
			}
			for n, t := range files {
				b.before[n] = append(b.before[n], t)
			}
		}
	}
	return slices.ContainsFunc(b.before[name], was)
}
