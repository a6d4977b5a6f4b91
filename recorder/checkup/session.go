package checkup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// session looks at one session: first at what stands in its folder, then at what it says.
func (c *Checkup) session(in atomicfile.Files, id council.SessionID) {
	where := path.Join(recorder.SessionsFolder, string(id))
	folder, err := in.Folder(string(id))
	if err != nil {
		c.unreadable(where, id, err)
		return
	}
	defer folder.Close()
	s := c.glance(folder, id)
	running := s.Status == recorder.StatusRunning
	c.folder(folder, where, id, running)
	if running {
		c.report.add(Found{Weight: Remark, Path: where, Session: id, Problem: "It is being written by " + s.Holder.String() + ".",
			Do: "Look again when that has finished: what it says is not judged now."})
		return
	}
	if s.Torn && s.Err == nil {
		c.torn(folder, where, wire.File, id)
	}
	c.conversations(folder, where, id, running)
	c.verify(where, id)
}

// glance reads a session only where it may be running or torn. Of any other it says no more than the id.
func (c *Checkup) glance(folder atomicfile.Files, id council.SessionID) recorder.Summary {
	if _, held := c.root.Holder(id); !held && endsIn(folder, wire.File, "\n]") {
		return recorder.Summary{ID: id}
	}
	return c.root.Summary(id)
}

// endsIn reports whether a file can be read and ends in these bytes.
func endsIn(folder atomicfile.Files, name, end string) bool {
	f, err := folder.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil || size < int64(len(end)) {
		return false
	}
	last := make([]byte, len(end))
	_, err = f.ReadAt(last, size-int64(len(end)))
	return err == nil && string(last) == end
}

// folder judges the names in a session's folder.
func (c *Checkup) folder(folder atomicfile.Files, where string, id council.SessionID, running bool) {
	entries, err := folder.List()
	if err != nil {
		c.unreadable(where, id, err)
		return
	}
	c.privacy(folder, where, &id)
	for _, e := range entries {
		name := e.Name()
		at := path.Join(where, name)
		ours := name == wire.File || name == conversation.Folder || name == conversation.Doubts || name == anchor.File || render.Derived(name)
		switch {
		case atomicfile.Temporary(name) && running:
		case atomicfile.Temporary(name) && e.Type().IsRegular():
			c.leftover(at, id)
		case ours && e.Type()&fs.ModeSymlink != 0:
			c.link(at, id)
		case atomicfile.IsAside(name):
			c.report.add(Found{Weight: Remark, Path: at, Session: id, Problem: "It was put aside by a repair or a rebuild.",
				Do: "Read it, and remove it when nothing in it matters."})
		case !ours:
			c.report.add(Found{Weight: Remark, Path: at, Session: id, Problem: "It is not ours.", Do: "Nothing; it is left alone."})
		}
	}
}

// conversations looks at the names of the conversations and at their ends.
func (c *Checkup) conversations(session atomicfile.Files, where string, id council.SessionID, running bool) {
	folder, err := session.Folder(conversation.Folder)
	if err != nil {
		return // there is none, or it is a link, which was said
	}
	defer folder.Close()
	at := path.Join(where, conversation.Folder)
	members, err := conversation.Members(session)
	if err != nil {
		c.unreadable(at, id, err)
		return
	}
	c.privacy(folder, at, &id)
	ours := map[string]bool{}
	for _, m := range members {
		ours[path.Base(conversation.FileName(m))] = true
		if endsIn(session, conversation.FileName(m), "\n") {
			continue
		}
		if found, err := conversation.Read(session, id, m); err == nil && found.Torn {
			c.torn(session, where, conversation.FileName(m), id)
		}
	}
	entries, err := folder.List()
	if err != nil {
		c.unreadable(at, id, err)
		return
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			c.link(name, id)
		case ours[e.Name()]:
		case atomicfile.Temporary(e.Name()):
			if !running {
				c.leftover(name, id)
			}
		case atomicfile.IsAside(e.Name()):
			c.report.add(Found{Weight: Remark, Path: name, Session: id, Problem: "It was put aside by a repair.",
				Do: "Read it, and remove it when nothing in it matters."})
		default:
			c.report.add(Found{Weight: Remark, Path: name, Session: id, Problem: "It is not a conversation of a member.", Do: "Nothing; it is left alone."})
		}
	}
}

// torn is a file whose last append was cut off.
func (c *Checkup) torn(folder atomicfile.Files, where, name string, id council.SessionID) {
	lost := "its last line"
	if data, err := atomicfile.Read(folder, name); err == nil {
		lost = fmt.Sprintf("what follows its last whole line, of %s in all,", plural.Things(len(data), "byte"))
	}
	c.report.add(Found{Weight: Finding, Path: path.Join(where, name), Session: id,
		Problem: "Its last append was cut off: " + lost + " is not whole. Everything before is good.",
		Do:      "Cut it off; the bytes are kept beside, in " + path.Base(name) + ".torn-1 or the next number. What they said was never acknowledged.",
		cure:    mend})
}

// verify lets the session be verified, and tells damage from files that only have to be rendered again.
func (c *Checkup) verify(where string, id council.SessionID) {
	var trust recorder.Trust
	if c.trust != nil {
		var err error
		if trust, err = c.trust(id); err != nil {
			c.report.add(Found{Weight: Finding, Path: where, Session: id, Problem: fmt.Sprintf("Its anchors cannot be read: %v.", err),
				Do: "Make the folder of the anchors readable, or mend what is named."})
		}
	}
	report, err := c.root.Verify(id, trust)
	if len(report.Checks) == 0 {
		switch {
		case errors.Is(err, recorder.ErrNotBegun):
			c.report.add(Found{Weight: Finding, Path: where, Session: id, Problem: "It was cut off before its first event, and cost nothing.",
				Do: "Remove the folder, or leave it."})
		case errors.Is(err, recorder.ErrNewer):
			c.report.add(Found{Weight: Finding, Path: where, Session: id, Problem: fmt.Sprintf("It cannot be judged: %v.", err),
				Do: "Look at it with the version of council that wrote it."})
		case err != nil:
			c.unreadable(where, id, err)
		}
		return
	}
	for _, check := range report.Checks {
		for _, problem := range check.Findings {
			f := Found{Weight: Damage, Path: where, Session: id, Problem: problem,
				Do: "Nothing is repaired here: take the session from a copy, or keep it as evidence. council verify " + string(id) + " says more."}
			if check.Name == verify.DerivedFiles && report.Holds(verify.Completeness) {
				f.Weight, f.cure = Finding, rebuild
				f.Do = "Render it again; what somebody edited is kept beside it."
			}
			c.report.add(f)
		}
	}
}

func (c *Checkup) unreadable(where string, id council.SessionID, err error) {
	c.report.add(Found{Weight: Damage, Path: where, Session: id, Problem: fmt.Sprintf("It cannot be read: %v.", err),
		Do: "Mend the permissions or the disk."})
}
