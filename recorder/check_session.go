package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// session checks one session: first the files in its folder, then what they hold.
func (c *checkup) session(in atomicfile.Files, id council.SessionID) {
	where := path.Join(SessionsFolder, string(id))
	folder, err := in.Folder(string(id))
	if err != nil {
		c.unreadable(where, id, err)
		return
	}
	defer folder.Close()
	holder, running := c.root.Holder(id)
	c.folder(folder, where, id, running)
	if running {
		c.add(Remark, where, id, noCure, "It is being written by "+holder.String()+".",
			"Look again when that has finished: what it says is not judged now.")
		return
	}
	c.conversations(folder, where, id)
	c.verify(where, id)
}

// folder judges the names in a session's folder.
func (c *checkup) folder(folder atomicfile.Files, where string, id council.SessionID, running bool) {
	for _, e := range c.list(folder, where, id) {
		ours := slices.Contains([]string{wire.File, conversation.Folder, conversation.Doubts, anchor.File}, e.Name()) ||
			render.Derived(e.Name())
		link := e.Type()&fs.ModeSymlink != 0
		switch at := path.Join(where, e.Name()); {
		case ours && !link, running && atomicfile.Temporary(e.Name()):
		case link && !ours, !c.stray(e, at, id):
			c.add(Remark, at, id, noCure, "It is not ours.", "Nothing; it is left alone.")
		}
	}
}

// list returns what is in a folder of a session, and judges who else may read it.
func (c *checkup) list(folder atomicfile.Files, where string, id council.SessionID) []fs.DirEntry {
	entries, err := folder.List()
	if err != nil {
		c.unreadable(where, id, err)
		return nil
	}
	c.privacy(folder, where, id)
	return entries
}

// conversations looks at the names of the conversations and at their ends.
func (c *checkup) conversations(session atomicfile.Files, where string, id council.SessionID) {
	folder, err := session.Folder(conversation.Folder)
	if err != nil {
		return // there is none, or it is a link, which folder has named
	}
	defer folder.Close()
	at := path.Join(where, conversation.Folder)
	members, err := conversation.Members(session)
	if err != nil {
		c.unreadable(at, id, err)
		return
	}
	for _, e := range c.list(folder, at, id) {
		ours := slices.ContainsFunc(members, func(m council.MemberID) bool {
			return conversation.FileName(m) == conversation.Folder+"/"+e.Name()
		})
		if at := path.Join(at, e.Name()); !c.stray(e, at, id) && !ours {
			c.add(Remark, at, id, noCure, "It is not a conversation of a member.", "Nothing; it is left alone.")
		}
	}
}

// verify verifies the session, and tells damage from files that only have to be rendered again.
func (c *checkup) verify(where string, id council.SessionID) {
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
			c.unreadable(where, id, err)
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
				if c.root.Archived(id) {
					c.add(Finding, where, id, noCure, problem, "Restore it: council gc restore "+string(id)+". Then repair it.")
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

func (c *checkup) unreadable(where string, id council.SessionID, err error) {
	c.add(Damage, where, id, noCure, fmt.Sprintf("It cannot be read: %v.", err), "Mend the permissions or the disk.")
}
