package recorder

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
)

// Trust is the knowledge of a session from outside its folder.
type Trust = verify.Trust

// Verify recomputes everything in a session's folder as package verify describes, and changes nothing. The error wraps
// [ErrDamaged] when the report is not OK; without a report it is [ErrUnknownSession], [ErrNotBegun], [ErrNewer] or an
// error of the disk.
func (r *Root) Verify(id council.SessionID, trust ...Trust) (verify.Report, error) {
	return r.prove(id, verify.Session, trust)
}

// ErrNotLatest: the session's folder holds another state than the one in which it was left. Put the latest copy back.
var ErrNotLatest = verify.ErrNotLatest

// Latest checks that a session may go on from its folder, as [verify.Latest] does. Errors are those of Verify.
func (r *Root) Latest(id council.SessionID, trust Trust) error {
	_, err := r.prove(id, func(of verify.Subject) (verify.Report, error) { return verify.Report{}, verify.Latest(of) },
		[]Trust{trust})
	return err
}

// Replay runs the rules again on the facts in a session's log and the replies in its conversations, and compares the
// log and every derived file with the result, byte for byte. Errors are those of Verify.
func (r *Root) Replay(id council.SessionID) (verify.Report, error) {
	return r.prove(id, verify.Replay, nil)
}

func (r *Root) prove(
	id council.SessionID, how func(verify.Subject) (verify.Report, error), trust []Trust,
) (report verify.Report, err error) {
	writer := func() string {
		if h, running := r.Holder(id); running {
			return h.String()
		}
		return ""
	}
	err = r.inFolder(id, func(files atomicfile.Files) (err error) {
		report, err = how(trusting(verify.Subject{ID: id, Files: files, Writer: writer}, trust))
		return err
	})
	return report, err
}

// trusting returns a session with all that is known of it from outside.
func trusting(s verify.Subject, trust []Trust) verify.Subject {
	for _, t := range trust {
		s.Anchors, s.Keys = append(s.Anchors, t.Anchors...), append(s.Keys, t.Keys...)
		if t.Remembered != nil {
			s.Remembered = t.Remembered
		}
	}
	return s
}

// Anchor has the present log signed, and adds the note to the session's folder. When it fails the session is as good as
// before.
func (s *Session) Anchor(sign func(*anchor.Tree) ([]byte, error)) error {
	if s.err != nil {
		return s.err
	}
	note, err := sign(anchor.NewTree(s.id, s.log.Entries))
	if err != nil {
		return err
	}
	return explainDisk(s.files.Path(), anchor.Add(s.files, anchor.File, note))
}

// sumsFile is the manifest of a bundle: every file in it with its SHA-256, as sha256sum checks them.
const sumsFile = "SHA256SUMS"

var mostBundled int64 = 256 << 20 // bytes of all files in a bundle that is verified; tests have less

// Bundle writes a session as a zip file that [VerifyBundle] checks on any machine: council's files in its folder under
// the session's id, and a manifest beside it. Its anchors are those of the folder and the held ones. The same session
// makes the same bytes. [ErrUnknownSession]; [ErrLocked].
func (r *Root) Bundle(id council.SessionID, held []byte, to io.Writer) error {
	return r.withLock(id, r.takeLock, func() error {
		return r.inFolder(id, func(folder atomicfile.Files) error { return bundle(id, folder, held, to) })
	})
}

func bundle(id council.SessionID, folder atomicfile.Files, held []byte, to io.Writer) error {
	names, _, err := contents(folder, "")
	files := map[string][]byte{}
	for _, name := range names {
		if top, _, _ := strings.Cut(name, "/"); isOurs(top) && err == nil {
			files[path.Join(string(id), name)], err = atomicfile.Read(folder, name)
		}
	}
	if err != nil {
		return err
	}
	at := path.Join(string(id), anchor.File)
	if !bytes.Contains(files[at], held) {
		files[at] = bytes.TrimPrefix(slices.Concat(files[at], []byte("\n"), held), []byte("\n"))
	}
	files[sumsFile] = manifest(files)
	return zipfile.Fill(to, files)
}

func manifest(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != sumsFile {
			fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(files[name]), name)
		}
	}
	return b.Bytes()
}

// VerifyBundle verifies the session in a bundle as [Root.Verify] does, in memory. name is that of the file, for
// messages. trust returns the knowledge of a session from outside. [ErrDamaged]: the file is not a whole bundle or
// differs from its manifest, or the session does not verify.
func VerifyBundle(f io.ReaderAt, size int64, name string, trust func(council.SessionID) ([]Trust, error),
) (verify.Report, error) {
	all, err := zipfile.Open(f, size)
	var id council.SessionID
	if err == nil {
		id, err = unbundle(all)
	}
	if err != nil {
		return verify.Report{}, fmt.Errorf("%w: %s is not a bundle as it was made: %w", ErrDamaged, name, err)
	}
	within, err := fs.Sub(all, string(id))
	if err != nil {
		return verify.Report{}, err
	}
	known, err := trust(id)
	if err != nil {
		return verify.Report{}, err
	}
	return verify.Session(trusting(verify.Subject{ID: id, Files: packed{within: within, path: name},
		Writer: func() string { return "" }}, known))
}

// unbundle compares the files of a bundle with its manifest and returns the session. It does not trust the sizes that
// the bundle names.
func unbundle(all *zip.Reader) (id council.SessionID, err error) {
	files, left := map[string][]byte{}, mostBundled
	for _, e := range all.File {
		if files[e.Name] != nil || !e.Mode().IsRegular() || !fs.ValidPath(e.Name) || strings.Contains(e.Name, `\`) {
			return "", fmt.Errorf("%s in it is not a plain file that is there once", quoted(e.Name))
		}
		data, err := zipfile.Read(e, left)
		if err != nil {
			return "", fmt.Errorf("%s in it: %w", quoted(e.Name), err)
		}
		left -= int64(len(data)) + int64(len(e.Name))
		files[e.Name] = data
		if folder, _, in := strings.Cut(e.Name, "/"); in && id == "" {
			id = council.SessionID(folder)
		}
		if e.Name != sumsFile && (!strings.HasPrefix(e.Name, string(id)+"/") || checkID(id) != nil) {
			return "", fmt.Errorf("%s in it does not belong to one session", quoted(e.Name))
		}
	}
	if id == "" || !bytes.Equal(files[sumsFile], manifest(files)) {
		return "", errors.New("it does not hold the files that its " + sumsFile + " names, and no others")
	}
	return id, nil
}
