package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/tape"
)

// derived compares every derived file with the rendering of the log.
func (v *verification) derived() Check {
	c := Check{Name: "files", Looked: "Every derived file, byte for byte, with what the log renders to."}
	wanted, err := v.render.artifacts(v.log.Entries)
	if err != nil {
		c.find("The log cannot be rendered: %v.", err)
		return c
	}
	for name, text := range sorted(wanted) {
		v.compare(&c, name, text)
	}
	entries, err := v.files.List()
	if err != nil {
		c.find("The folder cannot be listed: %v.", err)
	}
	for _, e := range entries {
		if _, belongs := wanted[e.Name()]; !belongs {
			v.stranger(&c, e.Name())
		}
	}
	if v.moving && len(c.Notes) > 0 {
		c.note("The session is neither closed nor suspended, so its derived files may be behind its log.")
	}
	return c
}

// compare holds one derived file against its rendering. While a session is under way its files may be behind its log;
// nothing is ever written of an event that is not in the log, so they cannot be ahead.
func (v *verification) compare(c *Check, name string, want []byte) {
	held, err := atomicfile.Read(v.files, name)
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
	case v.moving && name == transcriptFile && !bytes.HasPrefix(want, held):
		c.find("%s tells what the log does not hold, from byte %d on: the log has been cut short, or the transcript changed.",
			name, difference(held, want))
	case v.moving && name == sessionFile && lastEvent(held) > len(v.log.Entries):
		c.find("%s speaks of event e%d, but the log ends with e%d: it has been cut short.", name, lastEvent(held), len(v.log.Entries))
	default:
		behind("%s is not what the log renders to; they differ at byte %d.", name, difference(held, want))
	}
}

// stranger judges a file that the log does not yield.
func (v *verification) stranger(c *Check, name string) {
	switch {
	case name == eventsFile, name == tape.Folder:
	case derivedName.MatchString(name) && v.moving:
		c.note("%s is there, but the log does not yield it.", name)
	case derivedName.MatchString(name):
		c.find("%s is there, but the log does not yield it.", name)
	case strings.HasPrefix(name, eventsFile+".torn-"):
		c.note("%s holds what a crash left unfinished.", name)
	case atomicfile.Temporary(name):
		c.note("%s is left over from a write that was interrupted. Resuming the session removes it.", name)
	default:
		c.note("%s is not ours.", name)
	}
}

// lastEvent is the last event that a session.json knows of, or 0.
func lastEvent(text []byte) int {
	var file artifact.SessionFile
	if json.Unmarshal(text, &file) != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(file.LastEvent, "e"))
	if err != nil {
		return 0
	}
	return n
}

// difference is the first byte at which two texts differ.
func difference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
