package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

type checkup struct {
	root  *Root
	trust func(council.SessionID) (Trust, error)
	Findings
}

// Check lists everything in a workspace that is not as it should be, and changes nothing. trust returns the outside
// knowledge of a session; it may be nil, and is called for several sessions at once. The error is that of the
// workspace: an error in one session is a finding.
func (r *Root) Check(trust func(council.SessionID) (Trust, error)) (Findings, error) {
	c := checkup{root: r, trust: trust}
	entries, err := r.files.List()
	if err != nil {
		return Findings{}, err
	}
	c.checkPermissions(r.files, entries, "", "")
	for _, e := range entries {
		if c.reportStray(e, e.Name(), "") {
			continue
		}
		ours := []string{SessionsFolder, LocksFolder, ArchiveFolder, conversation.AfterFolder}
		if slices.Contains(ours, e.Name()) && !e.IsDir() {
			c.add(Damage, e.Name(), "", noCure, "It is not a folder.", "Move it away: council makes the folder again.")
		}
	}
	c.checkLedger()
	c.checkConversations()
	err = cmp.Or(c.checkEntries(r.files, SessionsFolder, (*checkup).checkSessionEntry),
		c.checkEntries(r.files, ArchiveFolder, (*checkup).checkMonth),
		c.checkEntries(r.files, LocksFolder, (*checkup).checkLockFile))
	return c.Findings, err
}

func (c *checkup) checkLedger() {
	report, err := ledger.Verify(c.root.files, nil)
	at, damage := ledger.Folder, new(chain.DamageError)
	switch {
	case errors.As(err, &damage):
		c.add(Damage, damage.File, "", noCure,
			fmt.Sprintf("The ledger is damaged at entry %d, byte %d: %s.", damage.Event, damage.Offset, damage.Problem),
			"Nothing that costs is done until the folder is put aside; council record audit --help says more.")
	case err != nil:
		c.add(Finding, at, "", noCure, fmt.Sprintf("The ledger cannot be read: %v.", err), "Make it readable.")
	case report.Torn:
		c.add(Remark, at, "", noCure, "Its last line was cut off while it was written.", "The next entry mends it.")
	}
}

func (c *checkup) checkConversations() {
	all, err := c.root.Conversations.List()
	if err != nil {
		c.addUnreadable(conversation.AfterFolder, "", err)
	}
	for _, a := range all {
		if a.Err != nil {
			c.addUnreadable(a.Path(), "", a.Err)
		}
	}
}

// checkEntries calls look with every entry of a folder, several at once, and adds the findings in their order. It
// reports links and leftovers itself. A folder that is missing, or is no folder, was reported by Check.
func (c *checkup) checkEntries(in atomicfile.Files, where string,
	look func(one *checkup, folder atomicfile.Files, e fs.DirEntry, at string)) error {
	folder, err := in.Folder(path.Base(where))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, atomicfile.ErrLink) || errors.Is(err, fs.ErrInvalid) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	entries, err := folder.List()
	c.checkPermissions(folder, entries, where, "")
	for _, found := range prefetch.Each(entries, func(e fs.DirEntry) Findings {
		one := checkup{root: c.root, trust: c.trust}
		if at := path.Join(where, e.Name()); !one.reportStray(e, at, "") {
			look(&one, folder, e, at)
		}
		return one.Findings
	}) {
		c.Sessions += found.Sessions
		c.Found = append(c.Found, found.Found...)
	}
	return err
}

func (c *checkup) checkSessionEntry(sessions atomicfile.Files, e fs.DirEntry, at string) {
	switch id := council.SessionID(e.Name()); {
	case !e.IsDir():
		c.add(Finding, at, "", noCure, "It is not a session folder but a file.", "Move it out of the workspace.")
	case checkID(id) != nil:
		c.add(Finding, at, "", noCure, "It is not called as sessions are, so no command reads it.",
			"Rename it as it was, or move it out of the workspace.")
	case c.root.Archive.Holds(id):
		c.add(Finding, at, id, noCure, "The session is archived, and its folder is still here: "+
			"a move into the archive or out of it was cut off.", "council record gc --apply finishes it.")
	default:
		c.Sessions++
		c.checkSession(sessions, id)
	}
}

func (c *checkup) checkMonth(archive atomicfile.Files, e fs.DirEntry, at string) {
	if !e.IsDir() {
		c.add(Finding, at, "", noCure, "It is not a folder of archived sessions.", "Move it out of the workspace.")
	} else if err := c.checkEntries(archive, at, (*checkup).checkPack); err != nil {
		c.addUnreadable(at, "", err)
	}
}

func (c *checkup) checkPack(_ atomicfile.Files, e fs.DirEntry, at string) {
	name, ok := strings.CutSuffix(e.Name(), packSuffix)
	if id := council.SessionID(name); ok && checkID(id) == nil && PackPath(id) == at {
		c.Sessions++
		c.verifySession(at, id)
		return
	}
	c.add(Finding, at, "", noCure, "It is not an archived session of this month, so no command reads it.",
		"Move it to where it belongs, or out of the workspace.")
}

// checkLockFile looks at a lock file, which remains when its session is moved away.
func (c *checkup) checkLockFile(_ atomicfile.Files, e fs.DirEntry, at string) {
	if !strings.HasSuffix(e.Name(), lockSuffix) || !e.Type().IsRegular() {
		c.add(Finding, at, "", noCure, "It is not a lock.", "Move it out of the workspace.")
	}
}

// reportStray reports a link, the leftover of a write, and a file kept aside, and returns whether the entry is one of
// them.
func (c *checkup) reportStray(e fs.DirEntry, at string, id council.SessionID) bool {
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		c.add(Finding, at, id, noCure, "It is a symbolic link. Nothing behind it was opened.",
			"Put the file itself in its place, or remove the link.")
	case atomicfile.Temporary(e.Name()) && id == "" && atomicfile.Running(atomicfile.Writer(e.Name())):
		c.add(Remark, at, id, noCure, "A process that is still running may be writing it.", "Look again later.")
	case atomicfile.Temporary(e.Name()): // in a session that is not running nothing writes
		c.add(Finding, at, id, sweep, "It is left over from a write that was cut off. Nothing refers to it.", "Remove it.")
	case id != "" && atomicfile.IsAside(e.Name()):
		c.add(Remark, at, id, noCure, "It was put aside by a repair or a rebuild.",
			"Read it, and remove it when nothing in it matters.")
	default:
		return false
	}
	return true
}

// checkPermissions adds one finding for a folder and its files that other users may read or write: one a file would be
// hundreds after unpacking an archive.
func (c *checkup) checkPermissions(folder atomicfile.Files, entries []fs.DirEntry, where string, id council.SessionID) {
	if runtime.GOOS == "windows" { // modes do not show permissions there
		return
	}
	var open []string
	if info, err := folder.Lstat("."); err == nil && info.Mode().Perm()&0o077 != 0 {
		open = append(open, ".")
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

func (c *checkup) checkSession(in atomicfile.Files, id council.SessionID) {
	where := path.Join(SessionsFolder, string(id))
	folder, err := in.Folder(string(id))
	if err != nil {
		c.addUnreadable(where, id, err)
		return
	}
	defer folder.Close()
	holder, running := c.root.Holder(id)
	c.checkNames(folder, where, id, running)
	if running {
		c.add(Remark, where, id, noCure, "It is being written by "+holder.String()+".",
			"Look again when that has finished: what it says is not judged now.")
		return
	}
	c.checkTapeNames(folder, where, id)
	c.verifySession(where, id)
}

func (c *checkup) checkNames(folder atomicfile.Files, where string, id council.SessionID, running bool) {
	for _, e := range c.listFolder(folder, where, id) {
		ours := isOurs(e.Name())
		link := e.Type()&fs.ModeSymlink != 0
		switch at := path.Join(where, e.Name()); {
		case ours && !link, running && atomicfile.Temporary(e.Name()):
		case link && !ours, !c.reportStray(e, at, id):
			c.add(Remark, at, id, noCure, "It is not ours.", "Nothing; it is left alone.")
		}
	}
}

func isOurs(name string) bool {
	return slices.Contains([]string{wire.File, conversation.Folder, conversation.Doubts, anchor.File}, name) ||
		render.Derived(name)
}

func (c *checkup) listFolder(folder atomicfile.Files, where string, id council.SessionID) []fs.DirEntry {
	entries, err := folder.List()
	if err != nil {
		c.addUnreadable(where, id, err)
		return nil
	}
	c.checkPermissions(folder, entries, where, id)
	return entries
}

func (c *checkup) checkTapeNames(session atomicfile.Files, where string, id council.SessionID) {
	folder, err := session.Folder(conversation.Folder)
	if err != nil {
		return // there is none, or it is a link, which folder has named
	}
	defer folder.Close()
	at := path.Join(where, conversation.Folder)
	for _, e := range c.listFolder(folder, at, id) {
		_, ours := conversation.MemberOf(e.Name())
		if at := path.Join(at, e.Name()); !c.reportStray(e, at, id) && !ours {
			c.add(Remark, at, id, noCure, "It is not a conversation of a member.", "Nothing; it is left alone.")
		}
	}
}

// verifySession verifies the session. Derived files that differ can be rendered again; all else is damage.
func (c *checkup) verifySession(where string, id council.SessionID) {
	var trust Trust
	if c.trust != nil {
		var err error
		if trust, err = c.trust(id); err != nil {
			c.add(Finding, where, id, noCure, fmt.Sprintf("Its anchors cannot be read: %v.", err),
				"Make the folder of the anchors readable, or mend what is named.")
		}
	}
	report, err := c.root.Verify(id, trust)
	if len(report.Checks) == 0 {
		switch {
		case errors.Is(err, ErrNotBegun):
			c.add(Finding, where, id, noCure, "It was cut off before its first event, and cost nothing.",
				"Remove the folder, or leave it.")
		case errors.Is(err, ErrNewer):
			c.add(Finding, where, id, noCure, fmt.Sprintf("It cannot be judged: %v.", err),
				"Look at it with the version of council that wrote it.")
		case err != nil:
			c.addUnreadable(where, id, err)
		}
		return
	}
	for _, name := range report.Torn {
		c.add(Finding, path.Join(where, name), id, mend,
			"Its last append was cut off: its last line is not whole. Everything before is good.",
			"Cut it off; the bytes are kept beside, in "+path.Base(name)+
				".torn-1 or the next number. What they said was never acknowledged.")
	}
	for _, check := range report.Checks {
		for _, problem := range check.Findings {
			if check.Name == verify.DerivedFiles && report.Holds(verify.Completeness) {
				if c.root.Archive.Holds(id) {
					c.add(Finding, where, id, noCure, problem, "Restore it: council record gc restore "+string(id)+". Then repair it.")
				} else {
					c.add(Finding, where, id, rebuild, problem, "Render it again; what somebody edited is kept beside it.")
				}
				continue
			}
			c.add(Damage, where, id, noCure, problem, "Nothing is repaired here: take the session from a copy, or keep "+
				"it as evidence. council verify "+string(id)+" says more.")
		}
	}
}

func (c *checkup) addUnreadable(where string, id council.SessionID, err error) {
	c.add(Damage, where, id, noCure, fmt.Sprintf("It cannot be read: %v.", err), "Mend the permissions or the disk.")
}
