package recorder

import (
	"bytes"
	"crypto/sha256"
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

// derive has every derived file that the log renders to put, and every other dropped.
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

// Finalize writes every derived file that differs from the rendering of the log and removes those that do not belong
// to it any more. It may be called at any time and any number of times.
func (s *Session) Finalize() error {
	if s.err != nil {
		return s.err
	}
	s.known = nil // a person may have changed the files: look again
	s.err = s.derive()
	return s.err
}

// derive brings the derived files in step with the log. While the session is open the transcript is, unless the files
// are to be looked at again.
func (s *Session) derive() error {
	stands := s.grows && s.known != nil // the transcript
	if !stands {
		if text, err := atomicfile.Read(s.files, render.FileTranscript); err != nil || !s.transcript.Regain(text) {
			s.transcript, _ = render.Tell(s.entries)
		}
	}
	wanted, err := s.transcript.Artifacts()
	if err != nil {
		return err
	}
	if s.known == nil {
		s.known = map[string][sha256.Size]byte{}
	}
	return plain(s.files.Path(), derive(s.files, wanted, func(name string, text []byte) error {
		if name == render.FileTranscript {
			if stands {
				return nil
			}
			err := s.text.Close()
			if s.text = nil; err == nil {
				err = s.retell(text)
			}
			return err
		}
		sum := sha256.Sum256(text)
		if known, ok := s.known[name]; ok && known == sum {
			return nil
		}
		s.known[name] = sum
		return rewrite(s.files, name, text)
	}, func(name string) error {
		delete(s.known, name)
		return s.files.Remove(name)
	}))
}

// retell opens the transcript, and makes text its content if it is not.
func (s *Session) retell(text []byte) error {
	err := rewrite(s.files, render.FileTranscript, text)
	if err == nil {
		s.text, err = atomicfile.OpenTail(s.files, render.FileTranscript, int64(len(text)))
	}
	return err
}

// rewrite makes text the content of a file that can be made again. What it cannot read it replaces.
func rewrite(files atomicfile.Files, name string, text []byte) error {
	if held, err := atomicfile.Read(files, name); err == nil && string(held) == string(text) {
		return nil
	}
	return atomicfile.Write(files, name, text)
}

// Rebuilt is a derived file that was not as the log renders it.
type Rebuilt struct {
	Name string
	Kept string // what the old one is called now, when it was not a rendering of the log; else ""
	Gone bool   // the log does not yield it: it was not written again
}

// String tells what became of the file.
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

// Rebuild renders every derived file of a session again and returns those that changed. Somebody's edits are kept
// beside, under a name that ends in the time. The log and the conversations are not touched. [ErrUnknownSession],
// [ErrNotBegun], [ErrNewer], [ErrDamaged]; [ErrLocked] while another process writes the session.
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

// rebuilding is a folder whose derived files are made again.
type rebuilding struct {
	files   atomicfile.Files
	log     *wire.Log
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
		if kept, err = atomicfile.Aside(b.files, name, atomicfile.Edited, b.now); err != nil {
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
		gone.Kept, err = atomicfile.Aside(b.files, name, atomicfile.Edited, b.now)
	}
	b.changed = append(b.changed, gone)
	return err
}

// stale reports whether a file is what the log rendered to before, and so not a person's edit: any file as it was at
// one of the events before or after which files are written, or the beginning of such a transcript.
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
			if next := b.log.Entries[min(i+1, len(b.log.Entries)-1)]; !render.Due(e.Event) && !render.Due(next.Event) {
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
