package recorder

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// renderer makes the derived files: package render, or a fake in tests.
type renderer struct {
	transcript func() teller
	artifacts  func([]wire.Entry) (map[string][]byte, error)
}

// rendering renders the files of every workspace.
var rendering = renderer{
	transcript: func() teller { return render.NewTranscript() },
	artifacts:  render.Artifacts,
}

// teller adds events to a transcript and returns the text that each adds.
type teller interface{ Add(wire.Entry) string }

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

// derive brings the derived files in step with the log. The transcript is, unless the files are to be looked at again.
func (s *Session) derive() error {
	wanted, err := s.render.artifacts(s.entries)
	if err != nil {
		return err
	}
	again := s.known == nil
	if again {
		s.known = map[string][sha256.Size]byte{}
	}
	return plain(s.files.Path(), derive(s.files, wanted, func(name string, text []byte) error {
		if name == render.FileTranscript {
			if again {
				return s.restore(text)
			}
			return nil
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

// restore writes the transcript again if it is not what it should be.
func (s *Session) restore(want []byte) error {
	if held, err := atomicfile.Read(s.files, render.FileTranscript); err == nil && string(held) == string(want) {
		return nil
	}
	if err := s.text.Close(); err != nil {
		return err
	}
	s.text = nil
	return s.retell()
}

// retell opens the transcript, and writes it again if it is not the rendering of the log.
func (s *Session) retell() error {
	s.transcript = s.render.transcript()
	var text []byte
	for _, e := range s.entries {
		text = append(text, s.transcript.Add(e)...)
	}
	if err := rewrite(s.files, render.FileTranscript, text); err != nil {
		return err
	}
	var err error
	s.text, err = atomicfile.OpenTail(s.files, render.FileTranscript, int64(len(text)))
	return err
}

// rewrite makes text the content of a file that can be made again. What it cannot read it replaces.
func rewrite(files atomicfile.Files, name string, text []byte) error {
	if held, err := atomicfile.Read(files, name); err == nil && string(held) == string(text) {
		return nil
	}
	return atomicfile.Write(files, name, text)
}
