package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/ahead"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/ledger"
)

// checkup looks through one workspace.
type checkup struct {
	root  *Root
	trust func(council.SessionID) (Trust, error)
	Findings
}

// Check looks through a workspace, changes nothing, and names everything that is not as it should be. trust returns
// what is known of a session from outside; it may be nil, and is called for several sessions at once. The error is that
// of the workspace itself: trouble with one session is among the findings.
func (r *Root) Check(trust func(council.SessionID) (Trust, error)) (Findings, error) {
	c := checkup{root: r, trust: trust}
	top, err := atomicfile.OpenDir(r.Path())
	if err != nil {
		return Findings{}, err
	}
	defer top.Close()
	err = c.top(top)
	if err == nil {
		c.ledger(top)
		err = c.sessions(top)
	}
	if err == nil {
		err = c.archive(top)
	}
	if err == nil {
		err = c.locks(top)
	}
	return c.Findings, err
}

// top looks at what stands directly in the workspace.
func (c *checkup) top(top atomicfile.Files) error {
	entries, err := top.List()
	if err != nil {
		return err
	}
	c.privacy(top, "", "")
	for _, e := range entries {
		switch {
		case atomicfile.Temporary(e.Name()):
			c.leftover(e.Name(), "")
		case e.Type()&fs.ModeSymlink != 0:
			c.link(e.Name(), "")
		case slices.Contains([]string{SessionsFolder, LocksFolder, ArchiveFolder}, e.Name()) && !e.IsDir():
			c.add(Damage, e.Name(), "", noCure, "It is not a folder.", "Move it away: council makes the folder again.")
		}
	}
	return nil
}

// ledger looks at the ledger.
func (c *checkup) ledger(top atomicfile.Files) {
	report, err := ledger.Verify(top, nil)
	at, damage := ledger.Folder, new(chain.DamageError)
	switch {
	case errors.As(err, &damage):
		c.add(Damage, damage.File, "", noCure, fmt.Sprintf("The ledger is damaged at entry %d, byte %d: %s.", damage.Event,
			damage.Offset, damage.Problem), "Nothing that costs is done until the folder is put aside; council audit --help "+
			"says more.")
	case err != nil:
		c.add(Finding, at, "", noCure, fmt.Sprintf("The ledger cannot be read: %v.", err), "Make it readable.")
	case report.Torn:
		c.add(Remark, at, "", noCure, "Its last line was cut off while it was written.", "The next entry mends it.")
	}
}

// sessions looks at every entry of the sessions folder.
func (c *checkup) sessions(top atomicfile.Files) error {
	folder, entries, err := listFolder(top, SessionsFolder)
	if folder == nil {
		return err
	}
	defer folder.Close()
	c.privacy(folder, SessionsFolder, "")
	known := func(e fs.DirEntry) bool { return checkID(council.SessionID(e.Name())) == nil }
	look := func(e fs.DirEntry) Findings {
		one := checkup{root: c.root, trust: c.trust}
		if known(e) && e.IsDir() && !c.root.Archived(council.SessionID(e.Name())) {
			one.session(folder, council.SessionID(e.Name()))
		}
		return one.Findings
	}
	for e, found := range ahead.Each(entries, look) {
		where := path.Join(SessionsFolder, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			c.link(where, "")
		case atomicfile.Temporary(e.Name()):
			c.leftover(where, "")
		case !e.IsDir():
			c.add(Finding, where, "", noCure, "It is not a session folder but a file.", "Move it out of the workspace.")
		case !known(e):
			c.add(Finding, where, "", noCure, "It is not called as sessions are, so no command reads it.",
				"Rename it as it was, or move it out of the workspace.")
		case c.root.Archived(council.SessionID(e.Name())):
			c.add(Finding, where, council.SessionID(e.Name()), noCure, "The session is archived, and its folder is still here: "+
				"a move into the archive or out of it was cut off.", "council gc --apply finishes it.")
		default:
			c.Sessions++
			c.Found = append(c.Found, found.Found...)
		}
	}
	return nil
}

// archive looks at every entry of the archive, and into every session there.
func (c *checkup) archive(top atomicfile.Files) error {
	folder, months, err := listFolder(top, ArchiveFolder)
	if folder == nil {
		return err
	}
	defer folder.Close()
	c.privacy(folder, ArchiveFolder, "")
	ours, err := c.root.archived()
	if err != nil {
		return err
	}
	packs := map[string]council.SessionID{}
	for _, id := range ours {
		packs[PackPath(id)] = id
	}
	for _, m := range months {
		in, entries, err := listFolder(folder, m.Name())
		if err != nil {
			return err
		}
		if in == nil {
			c.add(Finding, path.Join(ArchiveFolder, m.Name()), "", noCure, "It is not a folder of archived sessions.",
				"Move it out of the workspace.")
			continue
		}
		c.privacy(in, path.Join(ArchiveFolder, m.Name()), "")
		look := func(e fs.DirEntry) Findings {
			one := checkup{root: c.root, trust: c.trust}
			where := path.Join(ArchiveFolder, m.Name(), e.Name())
			switch id, ok := packs[where]; {
			case e.Type()&fs.ModeSymlink != 0:
				one.link(where, "")
			case atomicfile.Temporary(e.Name()):
				one.leftover(where, "")
			case !ok:
				one.add(Finding, where, "", noCure, "It is not an archived session of this month, so no command reads it.",
					"Move it to where it belongs, or out of the workspace.")
			default:
				one.Sessions++
				one.verify(where, id)
			}
			return one.Findings
		}
		for _, found := range ahead.Each(entries, look) {
			c.Sessions += found.Sessions
			c.Found = append(c.Found, found.Found...)
		}
		if err := in.Close(); err != nil {
			return err
		}
	}
	return nil
}

// locks looks at the lock files. One without a session remains when a session is moved away.
func (c *checkup) locks(top atomicfile.Files) error {
	folder, entries, err := listFolder(top, LocksFolder)
	if folder == nil {
		return err
	}
	defer folder.Close()
	c.privacy(folder, LocksFolder, "")
	for _, e := range entries {
		where := path.Join(LocksFolder, e.Name())
		id, lock := strings.CutSuffix(e.Name(), lockSuffix)
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			c.link(where, "")
		case !lock || !e.Type().IsRegular():
			c.add(Finding, where, "", noCure, "It is not a lock.", "Move it out of the workspace.")
		default:
			_, err := top.Lstat(path.Join(SessionsFolder, id))
			if errors.Is(err, fs.ErrNotExist) && !c.root.Archived(council.SessionID(id)) {
				c.add(Remark, where, "", noCure, "It is the lock of a session that is not there.",
					"Nothing; it is small.")
			}
		}
	}
	return nil
}

// listFolder opens a folder and lists it; both are nil when it is not there or not a folder, which top has named.
func listFolder(top atomicfile.Files, name string) (atomicfile.Files, []fs.DirEntry, error) {
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

func (c *checkup) link(where string, id council.SessionID) {
	c.add(Finding, where, id, noCure, "It is a symbolic link. Nothing behind it was opened.",
		"Put the file itself in its place, or remove the link.")
}

// leftover adds a temporary file of a write that was cut off. In a session that is not running nothing writes;
// elsewhere the name of the file tells which process began it.
func (c *checkup) leftover(where string, id council.SessionID) {
	if id == "" && atomicfile.Running(atomicfile.Writer(path.Base(where))) {
		c.add(Remark, where, id, noCure, "A process that is still running may be writing it.", "Look again later.")
		return
	}
	c.add(Finding, where, id, sweep, "It is left over from a write that was cut off. Nothing refers to it.",
		"Remove it.")
}

// privacy adds one finding for a folder and the files in it that other users may read or write: one a file would be
// hundreds after an unpacked archive.
func (c *checkup) privacy(folder atomicfile.Files, where string, id council.SessionID) {
	if runtime.GOOS == "windows" { // permissions are not told by mode there
		return
	}
	var open []string
	if info, err := folder.Lstat("."); err == nil && info.Mode().Perm()&0o077 != 0 {
		open = append(open, ".")
	}
	entries, err := folder.List()
	if err != nil {
		return // the next listing reports it
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Type().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			open = append(open, e.Name())
		}
	}
	if len(open) == 0 {
		return
	}
	c.add(Finding, path.Join(where, "."), id, private,
		"Other users of this machine may read or write: "+plural.List(open, 5)+".",
		"Take the permissions of group and others away.")
}
