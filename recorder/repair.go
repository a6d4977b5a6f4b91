package recorder

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/conversation"
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
	r.Found = append(r.Found, Found{
		Weight: w, Path: path, Session: id, Problem: problem, Do: do, Repair: by != noCure, cure: by,
	})
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
	var all []Repaired
	type tended struct {
		session council.SessionID
		cure    cure
	}
	hurt, done := map[council.SessionID]bool{}, map[tended]bool{}
	for _, f := range found.Found {
		hurt[f.Session] = hurt[f.Session] || f.Weight == Damage && f.Session != ""
	}
	for _, f := range found.Found {
		switch one := (tended{f.Session, f.cure}); {
		case f.cure == noCure:
		case f.cure == private:
			all = append(all, makePrivate(r.Path(), f.Path))
		case hurt[f.Session]:
			err := errors.New("the session is damaged, so nothing in it is touched")
			all = append(all, Repaired{Path: f.Path, Err: err})
		case f.cure == sweep:
			all = append(all, r.sweep(f.Path))
		case !done[one]:
			done[one] = true
			all = append(all, r.repairSession(f, in)...)
		}
	}
	return all
}

// repairSession renders a session's files again, and mends torn ends. The files come first, because resuming a session
// overwrites edits.
func (r *Root) repairSession(f Found, in Inputs) []Repaired {
	where := path.Join(SessionsFolder, string(f.Session))
	var all []Repaired
	changed, err := r.Rebuild(f.Session, in.Now())
	for _, c := range changed {
		all = append(all, Repaired{Path: path.Join(where, c.Name), Did: c.String()})
	}
	if err != nil {
		return append(all, Repaired{Path: where, Err: err})
	}
	if f.cure != mend {
		return all
	}
	before := r.tornEnds(f.Session)
	s, err := r.Resume(f.Session, in) // which repairs the end of its log
	if err == nil {
		_, err = s.Ambiguous() // which opens every conversation, and repairs its end
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		return append(all, Repaired{Path: where, Err: err})
	}
	after := r.tornEnds(f.Session)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, old := before[name]; !old {
			did := plural.Things(after[name], "byte was", "bytes were") +
				" cut off and kept here, from an append that was never acknowledged."
			all = append(all, Repaired{Path: path.Join(where, name), Did: did})
		}
	}
	return append(all, Repaired{Path: where, Did: "Torn ends were mended; every whole line is as it was."})
}

// tornEnds lists the torn ends that were kept aside of a session's files, with their sizes.
func (r *Root) tornEnds(id council.SessionID) map[string]int64 {
	found := map[string]int64{}
	note := func(prefix string) func(atomicfile.Files) error {
		return func(folder atomicfile.Files) error {
			entries, err := folder.List()
			for _, e := range entries {
				if info, err := e.Info(); err == nil && atomicfile.AsideAs(e.Name()) == atomicfile.Torn {
					found[path.Join(prefix, e.Name())] = info.Size()
				}
			}
			return err
		}
	}
	_ = r.inFolder(id, func(session atomicfile.Files) error { // for a message: an error leaves entries out
		return errors.Join(note("")(session), atomicfile.WithinAny(session, conversation.Folder, note(conversation.Folder)))
	})
	return found
}

func (r *Root) sweep(name string) Repaired {
	if err := r.files.Remove(name); err != nil {
		return Repaired{Path: name, Err: err}
	}
	return Repaired{Path: name, Did: "Removed. Nothing is lost: it was never part of the record."}
}

// makePrivate takes the permissions of group and others away from a folder and the files in it.
func makePrivate(workspace, where string) Repaired {
	d := Repaired{Path: where}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		d.Err = err
		return d
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
	if d.Err = err; err == nil {
		d.Did = "Closed to other users: " + strconv.Itoa(n) + " permissions were changed."
	}
	return d
}
