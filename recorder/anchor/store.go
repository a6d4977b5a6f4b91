package anchor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

const (
	keyFile       = "key"
	lockFile      = "lock"
	anchorsFolder = "anchors"
	noteSuffix    = ".note"

	patience = time.Minute // for others who keep something; they hold the lock for milliseconds
)

// Store is a folder outside of all workspaces that keeps the key, and a copy of every anchor, by the id of its session.
// It is made with its first file. It is safe for concurrent use, also by several processes.
type Store struct {
	Path   string
	Random io.Reader // unguessable bytes, for a new key
}

// Verifiers returns the verifier keys that the store trusts: its own, or none before the key was made.
func (s Store) Verifiers() ([]string, error) {
	text, err := s.read(keyFile)
	if text == nil || err != nil {
		return nil, err
	}
	k, err := s.parse(text)
	return []string{k.Verifier}, err
}

// Key returns the key, and makes it if there is none.
func (s Store) Key() (k Key, err error) {
	err = s.locked(func(files atomicfile.Files) error {
		text, err := s.read(keyFile)
		if err == nil && text == nil {
			private, verifier, failed := note.GenerateKey(s.Random, keyName)
			if failed != nil {
				return fmt.Errorf("cannot make a key: %w", failed)
			}
			text = []byte(private + "\n" + verifier + "\n")
			err = atomicfile.Write(files, keyFile, text)
		}
		if err == nil {
			k, err = s.parse(text)
		}
		return err
	})
	return k, err
}

func (s Store) parse(text []byte) (Key, error) {
	k, err := readKey(text)
	if err != nil {
		return k, fmt.Errorf("the key in %s cannot be used: %w; move the file away and a new one is made",
			filepath.Join(s.Path, keyFile), err)
	}
	return k, nil
}

// Keep adds an anchor to those of the session, unless it is the last of them.
func (s Store) Keep(id council.SessionID, signed []byte) error {
	return s.locked(func(files atomicfile.Files) error {
		return atomicfile.WithinMade(files, anchorsFolder, func(folder atomicfile.Files) error {
			return Add(folder, string(id)+noteSuffix, signed)
		})
	})
}

// Held returns the stored anchors of a session; the text is empty where there are none.
func (s Store) Held(id council.SessionID) (Source, error) {
	name := anchorsFolder + "/" + string(id) + noteSuffix
	text, err := s.read(name)
	return Source{Name: filepath.Join(s.Path, filepath.FromSlash(name)), Text: text, Outside: true}, err
}

// Add appends an anchor to a file of anchors, unless it is the last one there. The file is written whole: it is small,
// and must not be torn.
func Add(files atomicfile.Files, name string, signed []byte) error {
	held, err := atomicfile.Read(files, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.HasSuffix(held, signed) {
		return nil
	}
	if len(held) > 0 {
		held = append(held, '\n')
	}
	return atomicfile.Write(files, name, append(held, signed...))
}

// locked makes the folder and runs do in it while no other process does.
func (s Store) locked(do func(atomicfile.Files) error) error {
	if _, err := atomicfile.EnsurePath(s.Path, func(f atomicfile.Files) atomicfile.Files { return f }); err != nil {
		return err
	}
	files, err := atomicfile.OpenDir(s.Path)
	if err != nil {
		return err
	}
	defer files.Close()
	l, err := atomicfile.BriefLock(files, lockFile, patience)
	if err != nil {
		return err
	}
	return errors.Join(do(files), l.Release())
}

// read reads a file of the store, or nothing if there is none.
func (s Store) read(name string) ([]byte, error) {
	files, err := atomicfile.OpenDir(s.Path)
	var text []byte
	if err == nil {
		text, err = atomicfile.Read(files, name)
		err = errors.Join(err, files.Close())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// keyName is the name of the signer in every note. The hash of the key beside it distinguishes machines.
const keyName = "council"

// Key signs checkpoints. Key signs checkpoints.
type Key struct {
	Verifier string // the key with which others check a signature; not secret
	signer   note.Signer
}

// Sign returns the checkpoint as a signed note.
func (k Key) Sign(c Checkpoint) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.Text()}, k.signer)
}

// readKey reads a key file: the private key and the verifier key, a line each.
func readKey(text []byte) (Key, error) {
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	if len(lines) != 2 {
		return Key{}, errors.New("it does not hold a private and a verifier key")
	}
	signer, err := note.NewSigner(lines[0])
	if err != nil {
		return Key{}, errors.New("its first line is not a private key") // the key itself stays out of every message
	}
	verifier, err := note.NewVerifier(lines[1])
	if err != nil {
		return Key{}, errors.New("its second line is not a verifier key")
	}
	signed, err := note.Sign(&note.Note{Text: "test\n"}, signer)
	if err == nil {
		_, err = note.Open(signed, note.VerifierList(verifier))
	}
	if err != nil {
		return Key{}, errors.New("its two keys do not belong together")
	}
	return Key{Verifier: lines[1], signer: signer}, nil
}
