package recorder

import (
	"errors"
	"fmt"
	"io/fs"

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
