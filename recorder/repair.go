package recorder

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// Weight is the severity of a finding.
type Weight string

// The weights. A remark is worth knowing and not wrong; damage is a record that differs from the one that was written.
const (
	Remark  Weight = "remark"
	Finding Weight = "finding"
	Damage  Weight = "damage"
)

// Found is one finding.
type Found struct {
	Weight  Weight            `json:"weight"`
	Path    string            `json:"path"` // within the workspace, with forward slashes
	Session council.SessionID `json:"session,omitempty"`
	Problem string            `json:"problem"` // a plain sentence
	Do      string            `json:"do"`      // advice
	Repair  bool              `json:"repair"`  // --repair does it
	cure    cure
}

type cure int

const (
	noCure  cure = iota
	mend         // torn ends: resume the session and let it go
	rebuild      // derived files
	sweep        // a temporary file
	private      // permissions
)

// Findings is the result of [Root.Check].
type Findings struct {
	Sessions int // that were looked at
	Found    []Found
}

// Worst returns the greatest weight of the findings; a remark when there are none.
func (r Findings) Worst() Weight {
	for _, w := range []Weight{Damage, Finding} {
		if slices.ContainsFunc(r.Found, func(f Found) bool { return f.Weight == w }) {
			return w
		}
	}
	return Remark
}

// add adds a finding at a path of a session; id is empty where it belongs to none.
func (r *Findings) add(w Weight, path string, id council.SessionID, by cure, problem, do string) {
	r.Found = append(r.Found,
		Found{Weight: w, Path: path, Session: id, Problem: problem, Do: do, Repair: by != noCure, cure: by})
}

// Repaired is one repair.
type Repaired struct {
	Path string `json:"path"`
	Did  string `json:"did,omitempty"` // a plain sentence, with the loss
	Err  error  `json:"-"`             // why it was not done
}

// Repair does the repairs of findings that lose nothing of the record, and nothing in a damaged session or one that
// another process holds.
func (r *Root) Repair(found Findings, in Inputs) []Repaired {
	all := repairs{root: r, in: in}
	hurt, done := map[council.SessionID]bool{}, map[Found]bool{}
	for _, f := range found.Found {
		hurt[f.Session] = hurt[f.Session] || f.Weight == Damage && f.Session != ""
	}
	for _, f := range found.Found {
		switch one := (Found{Session: f.Session, cure: f.cure}); {
		case f.cure == noCure:
		case f.cure == private:
			did, err := makePrivate(r.Path(), f.Path)
			all.add(f.Path, did, err)
		case hurt[f.Session]:
			all.add(f.Path, "", errors.New("the session is damaged, so nothing in it is touched"))
		case f.cure == sweep:
			all.add(f.Path, "Removed. Nothing is lost: it was never part of the record.", r.files.Remove(f.Path))
		case !done[one]:
			done[one] = true
			all.repairSession(f)
		}
	}
	return all.done
}

type repairs struct {
	root *Root
	in   Inputs
	done []Repaired
}

func (r *repairs) add(path, did string, err error) {
	if err != nil {
		did = ""
	}
	r.done = append(r.done, Repaired{Path: path, Did: did, Err: err})
}

// repairSession renders a session's files again, and mends torn ends. The files come first, because resuming a session
// overwrites edits.
func (r *repairs) repairSession(f Found) {
	where := path.Join(SessionsFolder, string(f.Session))
	changed, err := r.root.Rebuild(f.Session, r.in.Now())
	for _, c := range changed {
		r.add(path.Join(where, c.Name), c.String(), nil)
	}
	switch {
	case err != nil:
		r.add(where, "", err)
	case f.cure == mend:
		r.mendSession(f.Session, where)
	}
}

func (r *repairs) mendSession(id council.SessionID, where string) {
	before := r.tornEnds(id)
	s, err := r.root.Resume(id, r.in) // which repairs the end of its log
	if err == nil {
		_, err = s.Ambiguous() // which opens every conversation, and repairs its end
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		r.add(where, "", err)
		return
	}
	after := r.tornEnds(id)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, old := before[name]; !old {
			did := plural.Things(after[name], "byte was", "bytes were") +
				" cut off and kept here, from an append that was never acknowledged."
			r.add(path.Join(where, name), did, nil)
		}
	}
	r.add(where, "Torn ends were mended; every whole line is as it was.", nil)
}

func (r *repairs) tornEnds(id council.SessionID) map[string]int64 {
	found := map[string]int64{}
	for _, in := range []string{"", conversation.Folder} {
		at := path.Join(SessionsFolder, string(id), in)
		_ = atomicfile.Within(r.root.files, at, func(folder atomicfile.Files) error { // an error leaves entries out
			entries, err := folder.List()
			for _, e := range entries {
				if info, err := e.Info(); err == nil && atomicfile.AsideAs(e.Name()) == atomicfile.Torn {
					found[path.Join(in, e.Name())] = info.Size()
				}
			}
			return err
		})
	}
	return found
}

func makePrivate(workspace, where string) (did string, err error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return "", err
	}
	defer root.Close()
	names := []string{where}
	entries, err := fs.ReadDir(root.FS(), where)
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, path.Join(where, e.Name()))
		}
	}
	n := 0
	for _, name := range names {
		info, failed := root.Lstat(name)
		if failed == nil && info.Mode().Perm()&0o077 != 0 {
			failed = root.Chmod(name, info.Mode().Perm()&0o700)
			n++
		}
		err = errors.Join(err, failed)
	}
	return "Closed to other users: " + strconv.Itoa(n) + " permissions were changed.", err
}

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
	if s.err == nil {
		s.err = s.derive(false) // a person may have changed the transcript
	}
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
	err = r.inLockedFolder(id, func(files atomicfile.Files) error {
		if err := atomicfile.Tidy(files); err != nil {
			return err
		}
		log, err := load(files, id, false)
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
