package verify

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

func (v *verification) derived(c *Check) {
	wanted, err := v.Render(v.log.Entries)
	if err != nil {
		c.find("The log cannot be rendered: %v.", err)
		return
	}
	v.wanted = wanted
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		v.compare(c, name, wanted[name])
	}
	if v.beside.listed != nil {
		c.find("The folder cannot be listed: %v.", v.beside.listed)
	}
	for _, e := range v.beside.entries {
		if _, belongs := wanted[e.Name()]; !belongs {
			v.stranger(c, e.Name())
		}
	}
	if v.moving && len(c.Notes) > 0 {
		c.note("The session has not come to rest, so its derived files may be behind its log.")
	}
}

// compare compares one derived file with its rendering. The files of a session under way may be behind its log, and
// never ahead.
func (v *verification) compare(c *Check, name string, want []byte) {
	held, err := v.beside.read(name)
	behind := c.find
	if v.moving {
		behind = c.note
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		behind("%s is missing.", name)
	case err != nil:
		c.find("%s cannot be read: %v.", name, err)
	case bytes.Equal(held, want):
	default:
		behind("%s is not what the log renders to; they differ at byte %d.", name, difference(held, want))
	}
}

// stranger notes or reports a file that the log does not yield.
func (v *verification) stranger(c *Check, name string) {
	switch {
	case name == wire.File, name == conversation.Folder, name == anchor.File:
	case render.Derived(name) && v.moving:
		c.note("%s is there, but the log does not yield it.", name)
	case render.Derived(name):
		c.find("%s is there, but the log does not yield it.", name)
	case name == conversation.Doubts:
		c.note("%s counts the questions that crashes cut off; a budget is held more carefully for it.", name)
	case strings.HasPrefix(name, wire.File+".") && atomicfile.AsideAs(name) == atomicfile.Torn:
		c.note("%s holds what a crash left unfinished.", name)
	case atomicfile.AsideAs(name) == atomicfile.Edited:
		c.note("%s was edited by hand and kept aside by a rebuild.", name)
	case atomicfile.Temporary(name):
		c.note("%s is left over from a write that was interrupted. Resuming the session removes it.", name)
	default:
		c.note("%s is not ours.", name)
	}
}

// difference returns the index of the first byte at which two texts differ.
func difference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// anchors compares the log, as far as it is good, with every anchor.
func (v *verification) anchors(c *Check) {
	sources := slices.Clone(v.Anchors)
	text, err := v.beside.read(anchor.File)
	switch {
	case err == nil:
		sources = append(sources, anchor.Source{Name: anchor.File, Text: text})
	case !errors.Is(err, fs.ErrNotExist):
		c.find("%s cannot be read: %v.", anchor.File, err)
	}
	v.judged, v.failed = anchor.NewTree(v.ID, v.log.Entries).Judge(sources, v.Keys)
	strangers := 0
	for _, j := range v.judged {
		switch {
		case v.damage != nil && j.Size > len(v.log.Entries):
			c.note("The anchor of %s in %s cannot be compared: the log is damaged after event e%d.",
				plural.Things(j.Size, "event"), j.Source, len(v.log.Entries))
		case j.Problem != "" && j.Size > 0:
			c.find("The anchor of %s in %s does not hold. %s", plural.Things(j.Size, "event"), j.Source, j.Problem)
		case j.Problem != "":
			c.find("An anchor in %s does not hold. %s", j.Source, j.Problem)
		case !j.Known:
			strangers++
		}
	}
	if strangers > 0 {
		c.note("%s by a key that is not known here; what it is worth depends on where it was kept.",
			plural.Things(strangers, "anchor is signed", "anchors are signed"))
	}
	if reach, _ := anchor.Reach(v.judged); reach == 0 {
		c.note("Nothing outside the record vouches for it: whoever can write all of it can change it unseen.")
	}
}

// snapshot is a session's folder as it was read at one time.
type snapshot struct {
	entries []fs.DirEntry
	listed  error
	held    map[string]content // of the files that are compared with the log
	members []council.MemberID // that have conversations
	failed  error
	tapes   map[council.MemberID]tape
}

type content struct {
	data []byte
	err  error
}

type tape struct {
	log *conversation.Log
	err error
}

// readSnapshot reads everything in a session's folder that is compared with the log.
func readSnapshot(s Subject) snapshot {
	b := snapshot{held: map[string]content{}, tapes: map[council.MemberID]tape{}}
	b.entries, b.listed = s.Files.List()
	for _, e := range b.entries {
		if render.Derived(e.Name()) || e.Name() == anchor.File {
			data, err := atomicfile.Read(s.Files, e.Name())
			b.held[e.Name()] = content{data, err}
		}
	}
	b.members, b.failed = conversation.Members(s.Files)
	for _, m := range b.members {
		log, err := conversation.Read(s.Files, s.ID, m)
		b.tapes[m] = tape{log, err}
	}
	return b
}

func (b snapshot) read(name string) ([]byte, error) {
	if c, ok := b.held[name]; ok {
		return c.data, c.err
	}
	return nil, fs.ErrNotExist
}

// eventsBefore returns the number of events in the log when it was first read, before the files of the session. extends
// reports whether the log begins with them.
func eventsBefore(log *wire.Log, now, before []byte) (events int, extends bool) {
	if bytes.Equal(now, before) {
		return len(log.Entries), true
	}
	first, _ := wire.Scan(log.Session, before) // the events before damage are enough
	n := len(first.Entries)
	return n, n == 0 || n <= len(log.Entries) && log.Entries[n-1].Sum == first.Entries[n-1].Sum
}
