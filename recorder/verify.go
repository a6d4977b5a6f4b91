package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// Report says what a verification looked at and what it found.
type Report struct {
	Session council.SessionID
	Events  int
	Checks  []Check
}

// Check is one part of a verification.
type Check struct {
	Name     string
	Looked   string   // what was compared, in one sentence
	Findings []string // what is wrong, each a plain sentence; none when all is well
	Notes    []string // what is worth knowing and not wrong
}

// OK reports whether nothing is wrong.
func (r Report) OK() bool {
	for _, c := range r.Checks {
		if len(c.Findings) > 0 {
			return false
		}
	}
	return true
}

func (c *Check) find(format string, args ...any) {
	c.Findings = append(c.Findings, fmt.Sprintf(format, args...))
}

func (c *Check) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// Verify recomputes everything that a session's folder holds and changes nothing: the chain and the digests of the
// log, the schema of every event, every consequence by the rules, every derived file, and the conversations against
// the events. The error wraps [ErrDamaged] when the report is not OK; without a report it says why nothing could be
// verified: [ErrUnknownSession], [ErrNotBegun], [ErrNewer] or the disk's.
func (r *Root) Verify(id council.SessionID) (Report, error) {
	files, err := r.folder(id)
	if err != nil {
		return Report{}, err
	}
	defer files.Close()
	log, _, err := scan(files, id)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(log.Entries) == 0 {
		return Report{}, fmt.Errorf("%w: %s", ErrNotBegun, id)
	}
	if err != nil && !errors.Is(err, ErrDamaged) {
		return Report{}, plain(files.Path(), err)
	}
	v := verification{id: id, files: files, render: r.render, log: log, moving: moving(log.Entries)}
	report := Report{Session: id, Events: len(log.Entries)}
	report.Checks = append(report.Checks, v.chain(err), v.schemas())
	if err == nil { // what follows from a damaged log says nothing about the files beside it
		report.Checks = append(report.Checks, v.rules(), v.derived(), v.conversations())
	}
	if !report.OK() {
		return report, fmt.Errorf("%w: session %s does not verify", ErrDamaged, id)
	}
	return report, nil
}

// moving reports whether a session is neither closed nor suspended: then the derived files are behind its log.
func moving(entries []wire.Entry) bool {
	suspended, outcome := standing(entries)
	return suspended == nil && outcome == nil
}

// verification is what the checks of one session share.
type verification struct {
	id     council.SessionID
	files  atomicfile.Files
	render renderer
	log    *wire.Log
	moving bool // neither closed nor suspended

	follows bool // the log follows from the rules of this version
}

// chain reports what the scan found.
func (v *verification) chain(damage error) Check {
	c := Check{Name: "log", Looked: fmt.Sprintf("%d events: the chain of their sums, and each payload by its digest.", len(v.log.Entries))}
	if damage != nil {
		c.find("%v.", damage)
	}
	if v.log.Torn {
		c.note("The end of %s is unfinished. Resuming the session repairs it.", eventsFile)
	}
	return c
}

// schemas holds every payload against its schema.
func (v *verification) schemas() Check {
	c := Check{Name: "schemas", Looked: "Every event by the schema of its type."}
	for _, e := range v.log.Entries {
		text, err := wire.JSON(e.Payload)
		if err == nil {
			err = schemas.Validate(schemas.Event(string(e.Type())), text)
		}
		if err != nil {
			c.find("Event %s breaks its schema: %v.", e.ID, err)
		}
	}
	return c
}

// derived compares every derived file with the rendering of the log.
func (v *verification) derived() Check {
	c := Check{Name: "files", Looked: "Every derived file, byte for byte, with what the log renders to."}
	wanted, err := v.render.artifacts(v.log.Entries)
	if err != nil {
		c.find("The log cannot be rendered: %v.", err)
		return c
	}
	wrong := c.find
	if v.moving {
		wrong = c.note
	}
	for name, text := range sorted(wanted) {
		held, err := atomicfile.Read(v.files, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong("%s is missing.", name)
		case err != nil:
			c.find("%s cannot be read: %v.", name, err)
		case string(held) != string(text):
			wrong("%s is not what the log renders to; they differ at byte %d.", name, difference(held, text))
		}
	}
	entries, err := v.files.List()
	if err != nil {
		c.find("The folder cannot be listed: %v.", err)
	}
	for _, e := range entries {
		switch _, belongs := wanted[e.Name()]; {
		case belongs, e.Name() == eventsFile, e.Name() == conversationsFolder:
		case derivedName.MatchString(e.Name()):
			wrong("%s is there, but the log does not yield it.", e.Name())
		case strings.HasPrefix(e.Name(), eventsFile+".torn-"):
			c.note("%s holds what a crash left unfinished.", e.Name())
		case atomicfile.Temporary(e.Name()):
			c.note("%s is left over from a write that was interrupted. Resuming the session removes it.", e.Name())
		default:
			c.note("%s is not ours.", e.Name())
		}
	}
	if v.moving && len(c.Notes) > 0 {
		c.note("The session is neither closed nor suspended, so its derived files may be behind its log.")
	}
	return c
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
