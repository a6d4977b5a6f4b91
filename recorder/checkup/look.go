package checkup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/ahead"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/lockfile"
	"github.com/council-engine/council/recorder"
)

// Checkup looks through one workspace.
type Checkup struct {
	root   *recorder.Root
	trust  func(council.SessionID) (recorder.Trust, error)
	report Report
}

// Look looks through a workspace and changes nothing. trust says what is known of a session from outside; it may be
// nil, and is asked about several sessions at once. The error is that of the workspace itself: trouble with one session is in the report.
func Look(root *recorder.Root, trust func(council.SessionID) (recorder.Trust, error)) (Report, error) {
	c := Checkup{root: root, trust: trust}
	top, err := atomicfile.OpenDir(root.Path())
	if err != nil {
		return Report{}, err
	}
	defer top.Close()
	if err := c.top(top); err != nil {
		return c.report, err
	}
	if err := c.sessions(top); err != nil {
		return c.report, err
	}
	return c.report, c.locks(top)
}

// top looks at what stands directly in the workspace.
func (c *Checkup) top(top atomicfile.Files) error {
	entries, err := top.List()
	if err != nil {
		return err
	}
	c.privacy(top, "", nil)
	for _, e := range entries {
		switch {
		case atomicfile.Temporary(e.Name()):
			c.leftover(e.Name(), "")
		case e.Type()&fs.ModeSymlink != 0:
			c.link(e.Name(), "")
		case e.Name() == recorder.SessionsFolder || e.Name() == recorder.LocksFolder:
			if !e.IsDir() {
				c.report.add(Found{Weight: Damage, Path: e.Name(), Problem: "It is not a folder.", Do: "Move it away: council makes the folder again."})
			}
		}
	}
	return nil
}

// sessions looks at every entry of the sessions folder.
func (c *Checkup) sessions(top atomicfile.Files) error {
	folder, entries, err := list(top, recorder.SessionsFolder)
	if folder == nil {
		return err
	}
	defer folder.Close()
	ids, err := c.root.IDs()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[string(id)] = true
	}
	c.privacy(folder, recorder.SessionsFolder, nil)
	look := func(e fs.DirEntry) (r Report) {
		if known[e.Name()] && e.IsDir() {
			one := Checkup{root: c.root, trust: c.trust}
			one.session(folder, council.SessionID(e.Name()))
			r = one.report
		}
		return r
	}
	for e, found := range ahead.Each(entries, look) {
		where := path.Join(recorder.SessionsFolder, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			c.link(where, "")
		case atomicfile.Temporary(e.Name()):
			c.leftover(where, "")
		case !e.IsDir():
			c.report.add(Found{Weight: Finding, Path: where, Problem: "It is not a session folder but a file.", Do: "Move it out of the workspace."})
		case !known[e.Name()]:
			c.report.add(Found{Weight: Finding, Path: where, Problem: "It is not called as sessions are, so no command reads it.", Do: "Rename it as it was, or move it out of the workspace."})
		default:
			c.report.Sessions++
			c.report.Found = append(c.report.Found, found.Found...)
		}
	}
	return nil
}

// locks looks at the lock files. One without a session is what remains when somebody moves a session away.
func (c *Checkup) locks(top atomicfile.Files) error {
	folder, entries, err := list(top, recorder.LocksFolder)
	if folder == nil {
		return err
	}
	defer folder.Close()
	c.privacy(folder, recorder.LocksFolder, nil)
	for _, e := range entries {
		where := path.Join(recorder.LocksFolder, e.Name())
		id, lock := strings.CutSuffix(e.Name(), ".lock")
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			c.link(where, "")
		case !lock || !e.Type().IsRegular():
			c.report.add(Found{Weight: Finding, Path: where, Problem: "It is not a lock.", Do: "Move it out of the workspace."})
		default:
			if _, err := top.Lstat(path.Join(recorder.SessionsFolder, id)); errors.Is(err, fs.ErrNotExist) {
				c.report.add(Found{Weight: Remark, Path: where, Problem: "It is the lock of a session that is not there.", Do: "Nothing; it is small."})
			}
		}
	}
	return nil
}

// list opens a folder and lists it; both are nil when it is not there or no folder, which top has said.
func list(top atomicfile.Files, name string) (atomicfile.Files, []fs.DirEntry, error) {
	folder, err := top.Folder(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, atomicfile.ErrLink) || errors.Is(err, fs.ErrInvalid) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	entries, err := folder.List()
	if err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return folder, entries, nil
}

func (c *Checkup) link(where string, id council.SessionID) {
	c.report.add(Found{Weight: Finding, Path: where, Session: id, Problem: "It is a symbolic link. Nothing behind it was opened.",
		Do: "Put the file itself in its place, or remove the link."})
}

// leftover is a temporary file of a write that was cut off. In a session that is not running nobody writes; elsewhere the
// name of the file says which process began it.
func (c *Checkup) leftover(where string, id council.SessionID) {
	f := Found{Weight: Finding, Path: where, Session: id, Problem: "It is left over from a write that was cut off. Nothing refers to it.",
		Do: "Remove it.", cure: sweep}
	if id == "" && lockfile.Running(atomicfile.Writer(path.Base(where))) {
		f = Found{Weight: Remark, Path: where, Session: id, Problem: "A process that is still running may be writing it.", Do: "Look again later."}
	}
	c.report.add(f)
}

// privacy looks whether other users may read or write in a folder and the files in it: there is one finding for both,
// or there would be hundreds after an unpacked archive.
func (c *Checkup) privacy(folder atomicfile.Files, where string, id *council.SessionID) {
	if runtime.GOOS == "windows" { // permissions are not told by mode there
		return
	}
	var open []string
	if info, err := folder.Lstat("."); err == nil && info.Mode().Perm()&0o077 != 0 {
		open = append(open, ".")
	}
	entries, err := folder.List()
	if err != nil {
		return // whoever lists it next says so
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Type().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			open = append(open, e.Name())
		}
	}
	if len(open) == 0 {
		return
	}
	f := Found{Weight: Finding, Path: path.Join(where, "."), Do: "Take the permissions of group and others away.", cure: private}
	if id != nil {
		f.Session = *id
	}
	const shown = 5
	names := strings.Join(open[:min(len(open), shown)], ", ")
	if len(open) > shown {
		names += fmt.Sprintf(" and %d more", len(open)-shown)
	}
	f.Problem = "Other users of this machine may read or write: " + names + "."
	c.report.add(f)
}
