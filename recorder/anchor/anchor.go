// Package anchor signs the state of a log: an anchor is a signed note with the number of a session's events and the
// root of the Merkle tree over them. Kept out of reach of a writer of the record, it shows later that those events were
// not changed, dropped, reordered or cut off.
//
// It makes a record tamper-evident, not tamper-proof: the owner of the key and of every copy of the anchors can rewrite
// all three. No anchor covers later events.
//
// The tree is that of RFC 6962 and the note that of golang.org/x/mod/sumdb/note, in the form that C2SP calls a
// checkpoint, so that other tools can check both.
package anchor

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/wire"
)

const originPrefix = "council session "

// Checkpoint is the state of a log after its first Size events, and a pure function of them.
type Checkpoint struct {
	Session council.SessionID
	Size    int    // how many events
	Root    string // of the tree over them, in base64
}

// Origin returns the name of the log in a checkpoint.
func (c Checkpoint) Origin() string { return originPrefix + string(c.Session) }

// Text returns the signed text: origin, size and root, each on a line of its own.
func (c Checkpoint) Text() string { return fmt.Sprintf("%s\n%d\n%s\n", c.Origin(), c.Size, c.Root) }

// parse reads the form of Text, and no other.
func parse(text string) (Checkpoint, error) {
	origin, rest, _ := strings.Cut(text, "\n")
	count, root64, _ := strings.Cut(strings.TrimSuffix(rest, "\n"), "\n")
	size, err := strconv.Atoi(count)
	c := Checkpoint{Session: council.SessionID(strings.TrimPrefix(origin, originPrefix)), Size: size, Root: root64}
	root, bad := base64.StdEncoding.DecodeString(c.Root)
	if err != nil || bad != nil || size < 1 || len(root) != tlog.HashSize || c.Text() != text {
		return Checkpoint{}, errors.New("it is not a checkpoint of a session")
	}
	return c, nil
}

// Tree is the Merkle tree over a log. Its leaves are the sums of the events: each covers the event and all before it.
// The zero Tree is that of an empty log.
type Tree struct {
	Size    int // how many events it covers
	session council.SessionID
	hashes  []tlog.Hash // as tlog stores them
}

// NewTree returns the tree over a log.
func NewTree(id council.SessionID, entries []wire.Entry) *Tree {
	t := &Tree{session: id}
	for _, e := range entries {
		t.Add(e)
	}
	return t
}

// Add adds the next event of the log.
func (t *Tree) Add(e wire.Entry) {
	grown, err := tlog.StoredHashes(int64(t.Size), []byte(e.Sum), t)
	if err != nil {
		panic(err) // the reader below cannot fail
	}
	t.session = e.Session
	t.hashes = append(t.hashes, grown...)
	t.Size++
}

// ReadHashes implements [tlog.HashReader].
func (t *Tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	return council.Map(indexes, func(at int64) tlog.Hash { return t.hashes[at] }), nil
}

// Checkpoint returns the state of the log after its first events.
func (t *Tree) Checkpoint(events int) Checkpoint {
	root, err := tlog.TreeHash(int64(events), t)
	if err != nil {
		panic(err) // the reader above cannot fail
	}
	return Checkpoint{Session: t.session, Size: events, Root: root.String()}
}

// File is the name of the anchors in a session's folder. They travel with the record; the copies elsewhere are the
// proof.
const File = "anchors"

// ErrBadKey: the text is not a verifier key.
var ErrBadKey = errors.New("the verifier key is not one")

// Source is a text that holds anchors, one after the other.
type Source struct {
	Name    string // for messages
	Text    []byte
	Outside bool // kept where a writer of the record may not be able to write
}

// Judgement is the result of comparing one anchor with a log.
type Judgement struct {
	Checkpoint
	Source  string
	Outside bool
	Known   bool   // signed by a key that is trusted
	Problem string // why it contradicts the log or itself: a plain sentence; "" when it does not
}

// Judge compares a log with all anchors of the sources. keys are the trusted verifier keys. Its only error is
// [ErrBadKey].
func (t *Tree) Judge(sources []Source, keys []string) ([]Judgement, error) {
	var trusted []note.Verifier
	for _, k := range keys {
		v, err := note.NewVerifier(strings.TrimSpace(k))
		if err != nil {
			return nil, ErrBadKey
		}
		trusted = append(trusted, v)
	}
	var all []Judgement
	for _, s := range sources {
		notes := splitNotes(string(s.Text))
		if len(notes) == 0 && len(strings.TrimSpace(string(s.Text))) > 0 {
			notes = []string{string(s.Text)}
		}
		for _, text := range notes {
			j := t.judge(text, note.VerifierList(trusted...))
			j.Source, j.Outside = s.Name, s.Outside
			all = append(all, j)
		}
	}
	return all, nil
}

func (t *Tree) judge(text string, trusted note.Verifiers) Judgement {
	opened, err := note.Open([]byte(text), trusted)
	j := Judgement{Known: err == nil}
	if unknown, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		opened = unknown.Note
	} else if err != nil {
		j.Problem = "It is not a note, or its signature does not hold."
		return j
	}
	c, err := parse(opened.Text)
	if err != nil {
		j.Problem = "It is signed, but " + err.Error() + "."
		return j
	}
	j.Checkpoint = c
	switch {
	case c.Session != t.session:
		j.Problem = "It is an anchor of another session, " + string(c.Session) + "."
	case c.Size > t.Size:
		j.Problem = "It vouches for events that the log does not have any more: the log has been cut short."
	case t.Checkpoint(c.Size) != c:
		j.Problem = "The events are not those that were anchored: the log has been rewritten."
	}
	return j
}

// splitNotes returns the notes in a text, such as a mail or a commit's message.
func splitNotes(text string) []string {
	var notes []string
	parts := strings.Split("\n"+strings.ReplaceAll(text, "\r\n", "\n"), "\n"+originPrefix)
	for _, part := range parts[1:] {
		if signed := signedForm.FindString(originPrefix + part + "\n"); signed != "" {
			notes = append(notes, signed)
		}
	}
	return notes
}

// signedForm matches a text up to the first of its signatures, and those that follow.
var signedForm = regexp.MustCompile(`^(?s:.*?)\n(?:— .*\n)+`)

// Reach returns the number of events that the anchors vouch for, and the sources of those with that number. An anchor
// vouches for its events if it does not contradict the log and was kept outside, or its key is trusted.
func Reach(judged []Judgement) (events int, by []string) {
	for _, j := range judged {
		switch {
		case j.Problem != "" || !j.Outside && !j.Known || j.Size < events:
			continue
		case j.Size > events:
			events, by = j.Size, nil
		}
		by = append(by, j.Source)
	}
	return events, by
}

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
	err = s.withLock(func(files atomicfile.Files) error {
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

// parse reads a key file: the private key and the verifier key, a line each. No error has the private key.
func (s Store) parse(text []byte) (Key, error) {
	private, public, _ := strings.Cut(string(bytes.TrimSpace(text)), "\n")
	signer, err := note.NewSigner(private)
	verifier, bad := note.NewVerifier(public)
	problem := "its two keys do not belong together"
	switch {
	case public == "" || strings.Contains(public, "\n"):
		problem = "it does not hold a private and a verifier key"
	case err != nil:
		problem = "its first line is not a private key"
	case bad != nil:
		problem = "its second line is not a verifier key"
	default:
		signed, err := note.Sign(&note.Note{Text: "test\n"}, signer)
		if err == nil {
			_, err = note.Open(signed, note.VerifierList(verifier))
		}
		if err == nil {
			return Key{Verifier: public, signer: signer}, nil
		}
	}
	return Key{}, fmt.Errorf("the key in %s cannot be used: %s; move the file away and a new one is made",
		filepath.Join(s.Path, keyFile), problem)
}

// Keep adds an anchor to those of the session, unless it is the last of them.
func (s Store) Keep(id council.SessionID, signed []byte) error {
	return s.withLock(func(files atomicfile.Files) error {
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

func (s Store) withLock(do func(atomicfile.Files) error) error {
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

// Key signs checkpoints.
type Key struct {
	Verifier string // the key with which others check a signature; not secret
	signer   note.Signer
}

// Sign returns the checkpoint as a signed note.
func (k Key) Sign(c Checkpoint) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.Text()}, k.signer)
}
